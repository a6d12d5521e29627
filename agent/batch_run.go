package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"candor/safety"
	"candor/session"
)

// cancelledCall replaces a context's error in the record of a cancelled call.
const cancelledCall = "Stopped together with its turn, before it ended."

// run executes every call that may run, each in a goroutine of its own, and records
// the results of all. Immediate calls, including those that were refused, come first:
// in call order, each as soon as those before it have ended. Waiting calls follow as
// their answers arrive. When run returns all goroutines have ended, except those of tools
// that ignored for stopGrace that the turn was stopped.
func (b *batch) run(ctx context.Context) {
	immediate, waiting := b.split()
	if len(immediate) == 0 && len(waiting) > 0 {
		b.record(session.StepWaits{Step: b.step}) // before a sub-agent records anything
	}
	var immediateCalls, waitingCalls sync.WaitGroup
	answered := make(chan *attempt, len(waiting))
	for _, a := range waiting {
		waitingCalls.Go(func() {
			b.runOne(ctx, a)
			answered <- a
		})
	}
	ended := make([]chan struct{}, len(immediate))
	for i, a := range immediate {
		ended[i] = make(chan struct{})
		if a.outcome != "" {
			close(ended[i])
			continue
		}
		immediateCalls.Go(func() {
			defer close(ended[i])
			b.runOne(ctx, a)
		})
	}
	for i := range immediate {
		<-ended[i]
		b.postflight(immediate[i : i+1])
	}
	immediateCalls.Wait()
	if len(immediate) > 0 && len(waiting) > 0 {
		b.record(session.StepWaits{Step: b.step})
	}
	b.collect(ctx, waiting, answered)
	waitingCalls.Wait()
}

// split separates the calls that may wait for a person, a front end or another agent
// from those that do not. Both lists are in call order.
func (b *batch) split() (immediate, waiting []*attempt) {
	for _, a := range b.attempts {
		if a.outcome == "" && (a.awaitApproval != nil || a.tool.spec.MayWait) {
			waiting = append(waiting, a)
		} else {
			immediate = append(immediate, a)
		}
	}
	return immediate, waiting
}

// collect records the waiting calls as they end. Once the turn is stopped they all end
// at the same time; the remaining ones are then recorded in call order.
func (b *batch) collect(ctx context.Context, waiting []*attempt, answered <-chan *attempt) {
	for left := slices.Clone(waiting); len(left) > 0; {
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

// runOne waits for the call's approval if it needs one, executes it and sets its
// outcome.
func (b *batch) runOne(ctx context.Context, a *attempt) {
	if a.awaitApproval != nil && !b.approved(ctx, a) {
		a.recall()
		return
	}
	start := time.Now()
	a.result, a.err = a.execute(withCallSite(ctx, callSite{b.agentRun, a.id, a.reply}))
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

// postflight records the results of calls in the order given. A result that exceeds
// the turn's memory budget becomes an error, for the model as well as in the record.
func (b *batch) postflight(attempts []*attempt) {
	began := time.Now()
	defer func() { b.worked += time.Since(began) }()
	for _, a := range attempts {
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
}
