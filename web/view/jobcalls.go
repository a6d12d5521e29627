package view

import (
	"slices"

	"candor/session"
)

// jobCalls are the calls of a job's log, each with its result and its reason. A
// result names its call, or else is that of the first open one of its tool; reasons
// come after the calls they are about, in the same order.
func jobCalls(events []session.Event) []session.Call {
	var calls []session.Call
	for _, e := range events {
		switch b := e.Body.(type) {
		case session.JobToolUse:
			calls = append(calls, session.Call{
				ID: b.Call, Tool: b.Tool, Params: b.Input, Outcome: session.Pending, StartedAt: e.At, Findings: b.Findings,
			})
		case session.JobToolResult:
			at := slices.IndexFunc(calls, func(c session.Call) bool {
				return c.Outcome == session.Pending && c.ID == b.Call && (b.Call != "" || c.Tool == b.Tool)
			})
			if at < 0 {
				continue
			}
			c := &calls[at]
			c.Outcome, c.Result, c.Error, c.Took = b.Outcome, b.Output, b.Error, b.Took
			c.Findings = session.Merge(c.Findings, b.Findings)
		case session.JobReasoned:
			for _, d := range b.Decisions {
				calls = decided(calls, e, d)
			}
		}
	}
	return calls
}

// decided gives a reason to the call it is about, or to one that was not posted.
func decided(calls []session.Call, e session.Event, d session.Decision) []session.Call {
	at := slices.IndexFunc(calls, func(c session.Call) bool {
		return c.Rationale.Source == "" && c.Tool == d.Tool
	})
	if at < 0 {
		calls = append(calls, session.Call{Tool: d.Tool, Outcome: d.Outcome, StartedAt: e.At})
		at = len(calls) - 1
	}
	calls[at].Rationale, calls[at].Group = d.Rationale, d.Group
	return calls
}
