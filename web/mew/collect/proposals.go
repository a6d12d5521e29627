package collect

import (
	"slices"

	"candor/session"
	"candor/web/mew/wire"
)

// propose records a call that somebody else has to make: one that waits for an approval.
func (c *Collector) propose(m *message, e wire.Envelope, path string) {
	c.request(m, e, path)
	one := m.where.call
	if one == nil || one.asking != "" {
		return
	}
	a := readAsks(e.Payload)
	one.proposed = a.digest()
	shown := c.short(oneLine(a.tool), maxName).String() == a.tool
	if !shown || !a.whole || c.askedBytes+len(e.Raw) > maxAsked {
		return // a person would not see all that is sent, or too many wait
	}
	// A proposal that cannot be shown as a whole can be fulfilled by its participants alone.
	q, err := c.layer.Question(a.argsOrEmpty())
	if err != nil {
		return
	}
	one.asked = e
	c.askedBytes += len(e.Raw)
	one.asking = c.own.RequestID(one.turn.ref, one.id)
	c.record(one.ref(), session.ApprovalAsked{
		Request: one.asking, Call: one.id, Description: c.short("Proposed to the space "+c.space+".", maxText),
		Shown: q.Shown, Hidden: q.Hidden,
	})
}

// argsOrEmpty returns the arguments, an empty object if there are none.
func (a asks) argsOrEmpty() []byte {
	if len(a.args) == 0 {
		return []byte("{}")
	}
	return a.args
}

// Proposal returns the proposal that an approval request asks about, and the turn that it is
// part of. ok is false if no such request is open.
func (c *Collector) Proposal(request string) (proposal wire.Envelope, ref session.Ref, ok bool) {
	for _, s := range c.speakers {
		for _, t := range s.turns {
			at := slices.IndexFunc(t.calls, func(o *call) bool { return o.asking != "" && o.asking == request })
			if at >= 0 {
				return t.calls[at].asked, t.ref, true
			}
		}
	}
	return wire.Envelope{}, session.Ref{}, false
}

// fulfil notes that a request makes the call that was proposed. It reports false if the request
// names no proposal, or asks for something else than an open one does: that is a call of its own.
func (c *Collector) fulfil(m *message, e wire.Envelope, a asks) bool {
	p := c.memory.first(e.CorrelationID)
	if p == nil || p.kind != kindProposal || p.where.call == nil {
		return false
	}
	one := p.where.call
	if one.proposed != [32]byte{} && a.digest() != one.proposed {
		return false
	}
	if one.asking != "" && len(e.To) > 0 {
		one.to = e.To
		c.called(one, one.ref(), a, nil)
	}
	c.decide(one, session.Approve)
	m.where = place{turn: one.turn, context: p.where.context, call: one}
	m.text = p.text
	return true
}

// decide records the decision about a proposal. The first one counts.
func (c *Collector) decide(one *call, answer session.Answer) {
	if one.asking == "" {
		return
	}
	c.record(one.turn.ref, session.ApprovalAnswered{Request: one.asking, Call: one.id, Answer: answer})
	c.forget(one)
}

// forget drops the question about a proposal.
func (c *Collector) forget(one *call) {
	c.askedBytes -= len(one.asked.Raw)
	one.asking, one.asked = "", wire.Envelope{}
}

// refuse ends a proposal that was rejected by another, or withdrawn by its participant.
func (c *Collector) refuse(from *speaker, e wire.Envelope) {
	p := c.memory.first(e.CorrelationID)
	if p == nil || p.kind != kindProposal || p.where.call == nil {
		return
	}
	one, raw := p.where.call, said(members(e.Payload), "reason", "message", "text")
	back, answer := session.ToolReturned{Outcome: session.Rejected}, session.Deny
	if e.Kind == kindWithdraw {
		if p.from != from {
			return
		}
		back.Outcome, answer = session.Cancelled, session.Withdrawn
	} else if raw == "" {
		raw = "rejected"
	}
	if one.over {
		if e.Kind == kindReject {
			c.note(one.turn, from, session.NoteReject, raw)
		}
		return
	}
	c.decide(one, answer)
	if e.Kind == kindReject {
		c.note(one.turn, from, session.NoteReject, raw)
	}
	back.Error, back.Findings = c.mask(raw)
	c.end(one, back)
	if one.turn.root == nil {
		c.complete(one.turn, one.turn.closing, nil)
	}
}
