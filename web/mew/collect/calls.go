package collect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"candor/safety"
	"candor/session"
	"candor/web/mew/wire"
)

// call is a call of a tool that a turn made.
type call struct {
	id        string
	turn      *turn
	in        *reasoning // nil outside of any reasoning
	step      int
	tool      string   // as its caller named it
	request   string   // id of the message that made the call; "" while it was only announced
	to        []string // who was asked to run it
	thoughtID string   // id of the thought that announced it
	why       session.Rationale
	at        time.Time
	asking    string        // id of its approval request, while somebody has to approve it
	asked     wire.Envelope // the proposal that has to be approved
	proposed  [32]byte      // what a proposal asks for; zero for a request
	over      bool          // it has a result
}

// ref returns what an event of the call is about.
func (one *call) ref() session.Ref {
	if one.in != nil {
		return one.in.ref()
	}
	return one.turn.ref
}

// announce records the call that a thought announces. Agents that run a tool themselves send
// nothing else; for others the request follows.
func (c *Collector) announce(r *reasoning, m *message, raw, tool string, args json.RawMessage) {
	c.settleAnnounced(r)
	why, found := c.reason(raw)
	r.thought = thought{id: m.id, raw: cut(raw), text: why.Text}
	one := &call{in: r, turn: r.turn, tool: tool, thoughtID: m.id, why: why}
	c.make(one, asks{tool: tool, args: args}, found)
}

// settleAnnounced ends the calls that were announced and not made: their agent has gone on, so
// it ran the tools itself, and nobody saw the results.
func (c *Collector) settleAnnounced(r *reasoning) {
	for _, one := range slices.Clone(r.turn.calls) {
		if one.in == r && one.request == "" {
			c.end(one, session.ToolReturned{Outcome: session.Unknown})
		}
	}
}

// make records a call in its step, which it begins if none is open.
func (c *Collector) make(one *call, a asks, found []safety.Finding) {
	t, ref := one.turn, one.turn.ref
	if r := one.in; r != nil {
		if r.step == 0 || r.stepEnded {
			c.nextStep(r)
		}
		one.step, ref = r.step, r.ref()
	} else {
		one.step = 1
	}
	t.made++
	one.id, one.at = fmt.Sprintf("call_%d", t.made), c.now()
	t.calls = append(t.calls, one)
	c.called(one, ref, a, found)
}

// called records what is called, a second time if more of it is known.
func (c *Collector) called(one *call, ref session.Ref, a asks, found []safety.Finding) {
	tool := c.short(oneLine(a.tool), maxName)
	if tool.Empty() {
		tool = safety.Literal("(no name)")
	}
	params, inParams := c.value(a.args)
	to, inTo := c.mask(oneLine(strings.Join(one.to, ", ")))
	c.record(ref, session.ToolCalled{
		Step: one.step, Call: one.id, Tool: tool, To: to, Rationale: one.why, Params: params, Group: a.group,
		Findings: session.Merge(found, inParams, inTo),
	})
}

// request records a call that a participant makes of another, or the fulfilment of a proposal.
func (c *Collector) request(m *message, e wire.Envelope, path string) {
	a := readAsks(e.Payload)
	if e.Kind == kindRequest && c.fulfil(m, e, a) {
		return
	}
	m.text = c.textOfArguments(a)
	r := c.caller(m.from, e, path, a.tool)
	if r == nil && path != "" && c.contexts[path] != nil {
		c.count(c.contexts[path])
		c.note(c.contexts[path].turn, m.from, session.NoteOther, "called "+a.tool)
		return
	}
	if r == nil && (!worthATurn(e.Payload) || len(m.from.turns) >= c.limits.OpenEach) {
		return
	}
	one := c.bind(r, m, e, a)
	if one == nil {
		one = c.newCall(r, m.from, e, a)
	}
	if one == nil {
		return
	}
	one.request = e.ID
	m.where = place{turn: one.turn, context: r, call: one}
}

// caller returns the reasoning that a request is part of, or nil.
func (c *Collector) caller(from *speaker, e wire.Envelope, path, tool string) *reasoning {
	if path != "" {
		r := c.within(from, e, path)
		if r != nil {
			c.count(r)
		}
		return r
	}
	if t := from.about(e.CorrelationID); t != nil && !t.over {
		return t.root
	}
	if m := c.memory.first(e.CorrelationID); m != nil && m.from == from && m.where.context != nil {
		return m.where.context
	}
	for _, t := range slices.Backward(from.turns) {
		if t.root != nil && t.expects(tool) {
			return t.root
		}
	}
	return from.only()
}

// expects reports whether the turn announced a call of the tool, or its latest thought names it.
func (t *turn) expects(tool string) bool {
	return slices.ContainsFunc(t.calls, func(o *call) bool { return o.request == "" && o.tool == tool }) ||
		names(t.root.thought.raw, tool)
}

// bind returns the announced call that a request makes, with what the request adds.
func (c *Collector) bind(r *reasoning, m *message, e wire.Envelope, a asks) *call {
	if r == nil {
		return nil
	}
	at := slices.IndexFunc(r.turn.calls, func(o *call) bool {
		return o.request == "" && o.tool == a.tool && (len(e.CorrelationID) == 0 || o.thoughtID == "" ||
			slices.Contains(e.CorrelationID, o.thoughtID) || c.memory.first(e.CorrelationID) == nil)
	})
	if at < 0 {
		return nil
	}
	one := r.turn.calls[at]
	one.to, one.at = e.To, c.now()
	ref := one.in.ref()
	c.called(one, ref, a, nil)
	return one
}

// newCall records a call that nothing announced. Outside of any reasoning it is a turn.
func (c *Collector) newCall(r *reasoning, from *speaker, e wire.Envelope, a asks) *call {
	one := &call{in: r, tool: a.tool, to: e.To, why: session.Fallback()}
	var found []safety.Finding
	if r != nil {
		one.turn = r.turn
		if raw := c.tied(r, e.CorrelationID, a.tool); raw != "" {
			one.why, found = c.reason(raw)
		}
	} else {
		trigger := c.named(e.CorrelationID)
		if one.turn = c.begin(from, trigger, false); one.turn == nil {
			return nil
		}
	}
	c.make(one, a, found)
	return one
}

// tied returns the latest thought of a reasoning if it is about this very call: the request
// names it, or it names the tool.
func (c *Collector) tied(r *reasoning, ids []string, tool string) string {
	if r.thought.id != "" && slices.Contains(ids, r.thought.id) || names(r.thought.raw, tool) {
		return r.thought.raw
	}
	return ""
}
