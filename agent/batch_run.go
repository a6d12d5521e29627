package agent

import (
	"cmp"
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
