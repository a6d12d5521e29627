package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"candor/safety"
	"candor/session"
)

// maxCalls is how many calls of one step are run. One more is kept, rejected, to
// show that there were too many; it bounds what a hostile model can make us hold.
const maxCalls = 64

// batch is the calls of one step on their way through three phases: preflight in
// order, run together, post-flight in order again, but for calls that wait.
type batch struct {
	*turn
	step     int
	tools    *toolset
	attempts []*attempt
}

// attempt is one call. During the run each belongs to its own goroutine.
type attempt struct {
	asked Call
	id    string
	tool  bound
	args  json.RawMessage                                // without the rationale
	wait  func(context.Context) session.Answer           // for a person, nil when none is asked
	fetch func(context.Context) (json.RawMessage, error) // from the front end, nil where we run the tool

	outcome session.Outcome // set before the run only where the call does not run
	result  json.RawMessage
	err     error
	took    time.Duration
}

// cancelledCall is what a person reads in place of a context's error.
const cancelledCall = "Stopped together with its turn, before it ended."

var (
	errUnknownTool  = errors.New("there is no tool of this name")
	errTooManyCalls = fmt.Errorf("this call and those after it were not run: a step may have %d calls", maxCalls)
)

func (t *turn) newBatch(step int, resp Response, tools *toolset) *batch {
	b := &batch{turn: t, step: step, tools: tools}
	for _, c := range resp.Calls[:min(len(resp.Calls), maxCalls+1)] {
		id := "call_" + strconv.FormatInt(t.calls.Add(1), 10)
		b.attempts = append(b.attempts, &attempt{asked: c, id: id})
	}
	return b
}

// preflight decides in order which calls may run, then records them all, so that
// a call's group says with which others it really ran.
func (b *batch) preflight(ctx context.Context) {
	reasons := make([]string, len(b.attempts))
	runnable := 0
	for i, a := range b.attempts {
		reasons[i] = b.check(ctx, i, a)
		if a.outcome == "" {
			runnable++
		}
	}
	var group *int
	if runnable > 1 {
		group = new(int(b.groups.Add(1)) - 1)
	}
	for i, a := range b.attempts {
		b.recordCall(a, reasons[i], group)
		b.ask(a)
	}
}

// check fills in what the call needs to run, or why it does not, and gives the
// reason that stood in its arguments.
func (b *batch) check(ctx context.Context, place int, a *attempt) (reason string) {
	tool, known := b.tools.byName[a.asked.Name]
	a.tool, a.args = tool, a.asked.Arguments
	if !known || !tool.ownsReason {
		// A failure is reported by the schema check below, in better words.
		reason, a.args, _ = takeRationale(a.asked.Arguments)
	}
	switch {
	case place >= maxCalls:
		a.refuse(session.Rejected, errTooManyCalls)
	case !known:
		a.refuse(session.Errored, errUnknownTool)
	default:
		if err := tool.check(a.args); err != nil {
			a.refuse(session.Errored, err)
		} else if err := b.allow(ctx, a); err != nil {
			a.refuse(session.Rejected, err)
		}
	}
	return reason
}

func (b *batch) allow(ctx context.Context, a *attempt) error {
	if b.Policy == nil {
		return nil
	}
	return b.Policy(ctx, a.asked.Name, a.args)
}

func (a *attempt) refuse(o session.Outcome, why error) { a.outcome, a.err = o, why }

func (b *batch) recordCall(a *attempt, reason string, group *int) {
	why, found := rationale(b.Safety, reason, a.asked.Reasoning)
	if why.Blocked {
		b.warnBlocked("rationale", b.step, found)
	}
	params, inParams := b.Safety.CleanJSON(a.args)
	name, inName := b.Safety.Mask(a.asked.Name)
	if a.outcome != "" {
		group = nil
	}
	b.coverage.count(b.Model, a.tool.description.Name, why.Source)
	b.record(session.ToolCalled{
		Step: b.step, Call: a.id, Tool: name, Rationale: why, Params: params, Group: group,
		FrontEnd: a.outcome == "" && a.tool.description.FrontEnd,
		Findings: session.Merge(found.Findings, inParams.Findings, inName.Findings),
	})
}

// run starts every call that may run, and records what came of them all: first the
// calls that were not run and those that end by themselves, in the order they were
// made and each as soon as those before it have ended, then those that wait for
// somebody, each when its answer has come.
func (b *batch) run(ctx context.Context) {
	prompt, patient := b.split()
	if len(prompt) == 0 && len(patient) > 0 {
		b.record(session.StepWaits{Step: b.step}) // before another agent can speak
	}
	var running, waiting sync.WaitGroup
	answered := make(chan *attempt, len(patient))
	for _, a := range patient {
		waiting.Go(func() {
			b.runOne(ctx, a)
			answered <- a
		})
	}
	ended := make([]chan struct{}, len(prompt))
	for i, a := range prompt {
		ended[i] = make(chan struct{})
		if a.outcome != "" {
			close(ended[i])
			continue
		}
		running.Go(func() {
			defer close(ended[i])
			b.runOne(ctx, a)
		})
	}
	for i := range prompt {
		<-ended[i]
		b.postflight(prompt[i : i+1])
	}
	running.Wait()
	if len(prompt) > 0 && len(patient) > 0 {
		b.record(session.StepWaits{Step: b.step})
	}
	b.collect(ctx, patient, answered)
	waiting.Wait()
}

// split tells the calls that wait for somebody from those that do not.
func (b *batch) split() (prompt, patient []*attempt) {
	for _, a := range b.attempts {
		if a.outcome == "" && (a.wait != nil || a.tool.description.MayWait) {
			patient = append(patient, a)
		} else {
			prompt = append(prompt, a)
		}
	}
	return prompt, patient
}

// collect records the calls that waited as they end. Once the turn is stopped they
// all end at once, and are recorded in their order.
func (b *batch) collect(ctx context.Context, patient []*attempt, answered <-chan *attempt) {
	for left := slices.Clone(patient); len(left) > 0; {
		a := <-answered
		if ctx.Err() != nil {
			for range len(left) - 1 {
				<-answered
			}
			b.postflight(left)
			return
		}
		b.postflight([]*attempt{a})
		left = slices.DeleteFunc(left, func(other *attempt) bool { return other == a })
	}
}

func (b *batch) runOne(ctx context.Context, a *attempt) {
	if a.wait != nil && !a.allowed(ctx) {
		return
	}
	start := time.Now()
	a.result, a.err = a.call(withCall(ctx, b.turn, a.id))
	a.took = time.Since(start)
	switch {
	case a.err == nil:
		a.outcome = session.Success
	case ctx.Err() != nil:
		a.outcome = session.Cancelled
	default:
		a.outcome = session.Errored
	}
}

// call runs the tool; a panic becomes the call's error and nothing else's.
func (a *attempt) call(ctx context.Context) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fmt.Errorf("the tool panicked: %v", p)
		}
	}()
	if a.fetch != nil {
		return a.fetch(ctx)
	}
	return a.tool.tool.Run(ctx, a.args)
}

// postflight records what came of calls, in the order given.
func (b *batch) postflight(attempts []*attempt) {
	for _, a := range attempts {
		if a.err == nil && !b.take(len(a.result)) {
			a.result, a.outcome = nil, session.Errored
			a.err = fmt.Errorf("the tool ran, but what it gave is not kept: %w", b.tooLarge())
		}
		e := session.ToolReturned{Call: a.id, Outcome: a.outcome, Took: a.took}
		var report safety.Report
		switch {
		case a.outcome == session.Cancelled:
			e.Error = safety.Literal(cancelledCall)
		case a.err != nil:
			e.Error, report = b.Safety.Mask(a.err.Error())
		default:
			e.Result, report = b.Safety.CleanJSON(a.result)
		}
		e.Findings = report.Findings
		b.record(e)
	}
}

// messages is the step as the model will see it: what it said and asked, then
// each call's raw result under the id it was asked by.
func (b *batch) messages(resp Response) []Message {
	asked := Message{Role: RoleAssistant, Text: resp.Text, Opaque: resp.Opaque}
	out := make([]Message, 1, len(b.attempts)+1)
	for _, a := range b.attempts {
		c := a.asked
		c.ID = a.id
		asked.Calls = append(asked.Calls, c)
		answer := string(a.result)
		if a.err != nil {
			answer = fmt.Sprintf("Tool '%s' failed: %s", a.asked.Name, a.err)
		}
		out = append(out, Message{Role: RoleTool, CallID: a.id, Text: answer})
	}
	out[0] = asked
	return out
}
