package agui

import (
	"encoding/json"
	"slices"
	"strings"

	"candor/safety"
	"candor/session"
)

// called shows a call after its rationale. A call that the front end is to run is shown when it
// may run, by forward or approved: a front end runs what it is shown.
func (p *Projector) called(t session.Turn, e session.Event, b session.ToolCalled) {
	if p.Reasoning == Full {
		p.reason(e.Agent, reasonID(e.Turn, b.Call), b.Rationale.Text.String(), reasoningMeta{
			About: "rationale", Source: b.Rationale.Source, Blocked: b.Rationale.Blocked, Step: b.Step, Call: b.Call,
		})
	}
	if c, ok := t.Call(b.Call); ok && !c.FrontEnd {
		p.call(c)
	}
}

// forward shows the front end the calls of a step that it is to run, and that nobody is asked about.
func (p *Projector) forward(t session.Turn, agent string, step int) {
	for c := range t.Calls() {
		if c.FrontEnd && c.Agent == agent && c.Step == step && c.Approval == nil && c.Outcome == session.Pending {
			p.call(c)
		}
	}
}

// approved shows the front end a call that it may run from now on.
func (p *Projector) approved(t session.Turn, b session.ApprovalAnswered) {
	if c, ok := t.Call(b.Call); ok && c.FrontEnd && b.Answer.Allows() {
		p.call(c)
	}
}

// forwarded reports whether the front end was shown a call that it is to run: because a person
// has approved it, or, if nobody was asked, because its step has begun to wait.
func forwarded(t session.Turn, c session.Call) bool {
	if c.Approval != nil {
		return c.Approval.Answer.Allows()
	}
	return slices.ContainsFunc(t.Steps, func(s session.Step) bool {
		return s.Agent == c.Agent && s.Number == c.Step && s.Waits
	})
}

// call shows a call. Its step may have begun in an earlier run, which closed it at its end.
func (p *Projector) call(c session.Call) {
	p.step(c.Agent, c.Step)
	id := callID(p.turn.Number, c.ID)
	start := &Call{p.of(c.Agent, ToolStart), id, c.Tool.String()}
	start.Metadata = Metadata{metaCall: callMeta{c.ID, c.Step, c.Group, c.Agent}}
	start.Metadata.confidence(c)
	p.add(start)
	p.add(&Args{p.of(c.Agent, ToolArgs), id, string(c.Params.Raw())})
	p.add(&Call{Head: p.of(c.Agent, ToolEnd), ToolCallID: id})
	if c.Agent != "" {
		return // no later turn continues a sub-agent's conversation
	}
	if value := p.encryptedReasoning(c.ID); value != "" {
		p.add(&Encrypted{p.of("", EncryptedValue), "tool-call", id, value})
	}
}

// callMeta holds what AG-UI has no members for on calls: the call's id in history, its
// step, from 1, and its parallel group, absent for a call that runs alone. Agent is absent
// for the main agent; AG-UI 0.x has no member of its own for it.
type callMeta struct {
	Call  string `json:"call_id"`
	Step  int    `json:"step"`
	Group *int   `json:"parallel_group,omitempty"`
	Agent string `json:"agent,omitempty"`
}

// resultMeta holds what AG-UI has no members for on results: how the call ended, and how
// long it took, in milliseconds.
type resultMeta struct {
	Outcome    session.Outcome `json:"outcome"`
	DurationMS int64           `json:"duration_ms"`

	Edited   *safety.JSON `json:"edited_arguments,omitempty"` // with which it ran: a person changed them
	EditedBy *safety.Text `json:"edited_by,omitempty"`
}

// resultMetaOf describes how a call ended.
func resultMetaOf(c session.Call, b session.ToolReturned) resultMeta {
	m := resultMeta{Outcome: b.Outcome, DurationMS: b.Took.Milliseconds()}
	if edited, ok := c.Edited(); ok {
		m.Edited, m.EditedBy = &edited, &c.Approval.EditedBy
	}
	return m
}

// returned shows the result of a call, and with it the call that the front end was not to run.
func (p *Projector) returned(t session.Turn, b session.ToolReturned) {
	c, ok := t.Call(b.Call)
	if !ok || c.FrontEnd && p.answered[b.Call] {
		return // the client gave the result itself
	}
	if c.FrontEnd && !forwarded(t, c) {
		p.call(c)
	}
	p.step(c.Agent, c.Step) // an earlier run may have begun it, and closed it at its end
	id := resultID(t.Number, b.Call)
	if t.State.Ended() {
		id += "_late" // the first one said that none was seen
	}
	r := &Result{p.of(c.Agent, ToolResult), id, callID(t.Number, b.Call), resultText(b), "tool"}
	r.Metadata = Metadata{metaResult: resultMetaOf(c, b)}
	p.add(r)
}

// resultText returns a result as text: a string without its quotes, anything else as
// JSON, and for a call that failed its error.
func resultText(b session.ToolReturned) string {
	if b.Outcome == session.Unknown && b.Error.Empty() {
		return "No result was seen."
	}
	if b.Outcome != session.Success {
		return b.Error.String()
	}
	var s string
	if raw := b.Result.Raw(); json.Unmarshal(raw, &s) != nil || strings.TrimSpace(string(raw)) == "null" {
		return string(raw)
	}
	return s
}
