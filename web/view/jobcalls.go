package view

import (
	"slices"

	"candor/session"
)

// jobCalls rebuilds the calls of a job from its log, each with its result and its
// rationale. A result names its call; one that names none belongs to the oldest open
// call of the same tool. Rationales are logged after the calls that they explain, in
// the same order.
func jobCalls(events []session.Event) []session.Call {
	var calls []session.Call
	for _, e := range events {
		switch b := e.Body.(type) {
		case session.JobToolUse:
			calls = append(calls, session.Call{
				ID: b.Call, Tool: b.Tool, Params: b.Input, Outcome: session.Pending,
				StartedAt: e.At, Findings: b.Findings,
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
				calls = explain(calls, e, d)
			}
		}
	}
	return calls
}

// explain adds a decision's rationale to the oldest call of its tool that has none.
// A decision about a call that was never posted becomes a call of its own.
func explain(calls []session.Call, e session.Event, d session.Decision) []session.Call {
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
