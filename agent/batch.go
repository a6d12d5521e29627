package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"candor/safety"
	"candor/safety/thinking"
	"candor/session"
)

// maxStepCalls is the number of calls of one step that may run. One more is recorded, as
// rejected, to show that there were too many; the rest are dropped, so a hostile model
// cannot make us hold an unbounded number.
const maxStepCalls = 64

// batch is the calls of one step on their way through three phases: preflight decides
// in call order which calls may run and records them all; run executes them
// concurrently; postflight records the result of each when it ends. The turn keeps the calls
// in the order in which the model made them.
type batch struct {
	*agentRun
	step     int
	tools    *toolset
	stop     Stop // why the model stopped, if it was not done
	attempts []*attempt
}

// attempt is one call of a batch. While the batch runs, each attempt belongs to the
// goroutine that executes it.
type attempt struct {
	requested Call            // as the model wrote it
	id        string          // ours, unique within the turn
	tool      boundTool       // zero if the tool is unknown
	args      json.RawMessage // without the rationale and the confidence
	stated    json.RawMessage // the confidence, as the model wrote it

	confidence *session.Confidence // nil if none was stated

	// suspicious are the rules of medium severity that matched the reason or the arguments.
	suspicious []string

	// awaitApproval waits for a person's answer; nil if none was requested.
	awaitApproval func(context.Context) Reply
	reply         Reply // once it is there
	// awaitFrontEnd waits for the front end's result; nil if the tool runs here.
	awaitFrontEnd func(context.Context) (json.RawMessage, error)

	outcome session.Outcome // set before the run only for calls that will not run
	result  json.RawMessage
	err     error
	took    time.Duration
}

var (
	errUnknownTool  = errors.New("there is no tool of this name")
	errTooManyCalls = fmt.Errorf("this call and those after it were not run: a step may have %d calls", maxStepCalls)
)

// newBatch gives each call of a response an id of its own. The model's ids are not
// used: they may repeat, and they are model text.
func (r *agentRun) newBatch(step int, resp Response, tools *toolset) *batch {
	b := &batch{agentRun: r, step: step, tools: tools, stop: resp.Stop}
	for _, c := range resp.Calls[:min(len(resp.Calls), maxStepCalls+1)] {
		id := "call_" + strconv.FormatInt(r.calls.Add(1), 10)
		b.attempts = append(b.attempts, &attempt{requested: c, id: id})
	}
	return b
}

// preflight decides in call order which calls may run. Only then does it record them
// all, so that a call's parallel group counts exactly the calls that run with it.
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
		if i == 0 {
			a.requested.Before = "" // it is the narrative
		}
		b.recordCall(ctx, a, reasons[i], group)
		if b.full.Load() {
			a.refuse(session.Rejected, b.unrecordable()) // nothing runs whose reason is not in the log
		}
		b.requestApproval(ctx, a)
		b.forwardToFrontEnd(a)
		b.announce(a)
	}
}

// announce tells the recorder that a call runs which nobody is asked about.
func (b *batch) announce(a *attempt) {
	if announcer, ok := b.rec.(CallAnnouncer); ok && a.outcome == "" && a.awaitApproval == nil {
		announcer.CallRuns(a.id, a.args)
	}
}

// check prepares the call at an index of the batch: it resolves the tool, removes from the
// arguments what was stated beside them, and refuses a call that must not run. It returns the
// reason that the arguments contained.
func (b *batch) check(ctx context.Context, index int, a *attempt) (reason string) {
	tool, known := b.tools.resolve(a.requested.Name)
	if known {
		a.requested.Name = tool.spec.Name
	}
	a.tool, a.args = tool, mended(a.requested.Arguments)
	reason = b.takeStated(a, known)
	switch {
	case index >= maxStepCalls:
		a.refuse(session.Rejected, errTooManyCalls)
	case b.stop.CutOff():
		a.refuse(session.Errored, cutOff(b.stop))
	case a.requested.written:
		a.refuse(session.Errored, errWritten)
	case !known:
		// A rule may deny a tool that does not exist any more.
		if err := b.allow(ctx, Spec{Name: a.requested.Name}, a.args); err != nil {
			a.refuse(session.Rejected, err)
		} else {
			a.refuse(session.Errored, errUnknownTool)
		}
	default:
		if err := tool.validate(ctx, a.args); err != nil {
			a.refuse(session.Errored, err)
		} else if err := b.allow(ctx, tool.spec, a.args); err != nil {
			a.refuse(session.Rejected, err)
		}
	}
	return reason
}

// allow applies the dispatcher's policy.
func (b *batch) allow(ctx context.Context, tool Spec, args json.RawMessage) error {
	if b.Policy == nil {
		return nil
	}
	return b.Policy(ctx, tool, args)
}

// refuse decides that the call does not run.
func (a *attempt) refuse(o session.Outcome, cause error) { a.outcome, a.err = o, cause }

// recordCall records that the model made a call, and why. A call that will not run is
// recorded too, but belongs to no parallel group.
func (b *batch) recordCall(ctx context.Context, a *attempt, reason string, group *int) {
	why, found := rationale(b.Safety, reason, a.requested.Reasoning)
	b.warnChanged("rationale", b.step, found)
	params, inParams := b.Safety.CleanJSON(a.args)
	name, inName := b.Safety.Mask(a.requested.Name)
	before, inBefore := b.Safety.Clean(thinking.Strip(a.requested.Before))
	if a.outcome != "" {
		group = nil
	}
	a.suspicious = b.rulesToReview(a, params, found, inParams)
	a.confidence = b.confidence(a)
	user, _ := User(ctx)
	b.coverage.count(user, b.Model, coverageName(a.tool.spec), why.Source)
	b.record(session.ToolCalled{
		Step: b.step, Call: a.id, Tool: name, Before: before, Rationale: why, Params: params, Group: group,
		FrontEnd: a.outcome == "" && a.tool.spec.FrontEnd, Transport: a.tool.spec.transport(),
		Decides: a.outcome == "" && a.tool.spec.Decides, Confidence: a.confidence,
		Findings: session.Merge(found.Findings, inParams.Findings, inName.Findings, inBefore.Findings),
	})
}

// messages returns the step as the model sees it next: its own text and calls, then
// each call's raw result under our id.
func (b *batch) messages(resp Response) []Message {
	said := Message{Role: RoleAssistant, Text: resp.Text, Opaque: resp.Opaque}
	out := make([]Message, 1, len(b.attempts)+1)
	for _, a := range b.attempts {
		c := a.requested
		c.ID = a.id
		said.Calls = append(said.Calls, c)
		text := string(a.result)
		if a.err != nil {
			text = fmt.Sprintf("Tool '%s' failed: %s", a.requested.Name, a.err)
		}
		out = append(out, Message{Role: RoleTool, CallID: a.id, Text: told(a.cleanEdit(), text)})
	}
	out[0] = said
	return out
}

// cancelledCall replaces a context's error in the record of a cancelled call.
const cancelledCall = "Stopped together with its turn, before it ended."

// run executes every call that may run, each in a goroutine of its own, and records the result of
// each call when it ends; a call that was refused has ended already. When run returns all goroutines
// have ended, except those of tools that ignored for stopGrace that the turn was stopped.
func (b *batch) run(ctx context.Context) {
	var calls sync.WaitGroup
	defer calls.Wait()
	var running []*attempt
	for _, a := range b.attempts {
		if a.outcome != "" {
			b.postflight(a)
		} else {
			running = append(running, a)
		}
	}
	b.waitsOnly(running) // before a sub-agent records anything
	ended := make(chan *attempt, len(running))
	for _, a := range running {
		calls.Go(func() {
			b.runOne(ctx, a)
			ended <- a
		})
	}
	b.collect(running, ended)
}

// collect records the results of the calls that run, as they end. A scripted call is recorded
// after those that its script lets end before it.
func (b *batch) collect(running []*attempt, ended <-chan *attempt) {
	scripted := slices.DeleteFunc(slices.Clone(running), func(a *attempt) bool { return !a.scripted() })
	slices.SortStableFunc(scripted, func(x, y *attempt) int {
		return cmp.Compare(*x.tool.spec.Takes, *y.tool.spec.Takes)
	})
	record := func(a *attempt) {
		b.postflight(a)
		running = slices.DeleteFunc(running, func(other *attempt) bool { return other == a })
		if !a.mayWait() {
			b.waitsOnly(running)
		}
	}
	back := make(map[*attempt]bool, len(running))
	for len(running) > 0 {
		a := <-ended
		back[a] = true
		if !a.scripted() {
			record(a)
		}
		for ; len(scripted) > 0 && back[scripted[0]]; scripted = scripted[1:] {
			record(scripted[0])
		}
	}
}

// waitsOnly records that the step waits, if calls run and all of them may wait for somebody.
func (b *batch) waitsOnly(running []*attempt) {
	if len(running) > 0 && !slices.ContainsFunc(running, func(a *attempt) bool { return !a.mayWait() }) {
		b.record(session.StepWaits{Step: b.step})
	}
}

// mayWait reports whether the call may wait for a person, a front end or another agent.
func (a *attempt) mayWait() bool { return a.awaitApproval != nil || a.tool.spec.MayWait }

// scripted reports whether it is known beforehand when the call ends.
func (a *attempt) scripted() bool { return a.tool.spec.Takes != nil && !a.mayWait() }

// runOne waits for the call's approval if it needs one, executes it and sets its
// outcome.
func (b *batch) runOne(ctx context.Context, a *attempt) {
	if a.awaitApproval != nil && !b.approved(ctx, a) {
		a.recall()
		return
	}
	start := time.Now()
	a.result, a.err = a.execute(context.WithValue(ctx, callSiteKey{}, callSite{b.agentRun, a.id, a.reply}))
	a.took = time.Since(start)
	if errors.Is(a.err, errLeftBehind) {
		b.Log.Warn("a tool ignored that its turn was stopped and was left behind", "call", a.id)
	}
	switch {
	case a.err == nil:
		a.outcome = session.Success
	case ctx.Err() != nil:
		a.outcome = session.Cancelled
	default:
		a.outcome = session.Errored
	}
}

// execute runs the tool, or waits for the front end that runs it.
func (a *attempt) execute(ctx context.Context) (json.RawMessage, error) {
	switch {
	case a.awaitFrontEnd != nil:
		return a.awaitFrontEnd(ctx)
	case a.tool.spec.MayWait:
		// Another agent, which records what it does until it returns. It returns soon after
		// the turn is stopped, since its own calls are left behind in time.
		return runRecovered(ctx, a.tool.tool, a.args)
	}
	return runTool(ctx, a.tool.tool, a.args)
}

// postflight records the result of a call. A result that exceeds the turn's memory budget becomes
// an error, for the model as well as in the record.
func (b *batch) postflight(a *attempt) {
	began := time.Now()
	defer func() { b.worked += time.Since(began) }()
	if a.err == nil && !b.reserve(len(a.result)) {
		a.result, a.outcome = nil, session.Errored
		a.err = fmt.Errorf("the tool ran, but its result was dropped: %w", b.exceeded())
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
