package collect

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"candor/session"
	"candor/web/mew/wire"
)

// conclude ends a reasoning: the turn, or the part of it. Conclusions that are repeated, or
// about a reasoning that nobody knows and say nothing, change nothing.
func (c *Collector) conclude(from *speaker, e wire.Envelope, path string) {
	payload := members(e.Payload)
	raw := said(payload, "message", "reasoning", "text", "conclusion", "content")
	r := c.find(from, path)
	switch {
	case r != nil && r.owner != from:
		c.count(r)
		c.note(r.turn, from, session.NoteConclusion, raw)
		return
	case r == nil && path != "" && raw != "":
		r = c.within(from, e, path)
	}
	if r == nil {
		return
	}
	c.count(r)
	if r.over {
		c.concludeAgain(r, raw)
		return
	}
	c.closeWith(r, raw, payload)
}

// concludeAgain keeps what a conclusion says that comes after the end, once.
func (c *Collector) concludeAgain(r *reasoning, raw string) {
	text, found := c.mask(raw)
	switch t := r.turn; {
	case text.Empty() || text == t.closing:
	case r.parent == nil && t.closing.Empty():
		t.closing = text
		c.record(t.ref, session.Answered{Conclusion: text, Findings: found})
	default:
		c.noteIn(t, r.owner, session.NoteConclusion, raw, true)
	}
}

// closeWith ends a reasoning with its conclusion. If that has a member "cancelled", as those of
// shipped agents, the turn was stopped; with "failed", as those of candor mew, it failed.
func (c *Collector) closeWith(r *reasoning, raw string, payload map[string]json.RawMessage) {
	if r.parent != nil {
		c.handOff(r, r.parent, raw)
		c.close(r)
		return
	}
	text, found := c.mask(raw)
	switch {
	case string(payload["cancelled"]) == "true":
		c.interrupt(r.turn)
		c.concludeAgain(r, raw)
	case string(payload["failed"]) == "true" && !text.Empty():
		c.finish(r.turn)
		r.turn.closing = text
		c.record(r.turn.ref, session.TurnFailed{Error: text, Findings: found})
	default:
		c.complete(r.turn, text, found)
	}
}

// cancel stops a reasoning, as its agent or anybody else asks.
func (c *Collector) cancel(from *speaker, e wire.Envelope, path string) {
	raw := cmp.Or(said(members(e.Payload), "reason", "message", "text"), "asked to stop")
	r := c.contexts[path]
	if r == nil {
		if t := c.asked(e.CorrelationID); t != nil {
			r = t.root
		}
	}
	if r == nil {
		return
	}
	c.note(r.turn, from, session.NoteCancel, raw)
	if r.parent == nil {
		c.interrupt(r.turn)
	} else if !r.over {
		c.handOff(r, r.parent, "")
		c.close(r)
	}
}

// shutdown stops the reasonings of the participants that are told to shut down.
func (c *Collector) shutdown(from *speaker, e wire.Envelope) {
	raw := cmp.Or(said(members(e.Payload), "reason", "message", "text"), "asked to shut down")
	for _, id := range e.To {
		s := c.speakers[id]
		if s == nil {
			continue
		}
		for _, t := range slices.Clone(s.turns) {
			c.note(t, from, session.NoteShutdown, raw)
			c.interrupt(t)
		}
	}
}

// other keeps a message of another kind that was said in a reasoning.
func (c *Collector) other(from *speaker, e wire.Envelope, path string) {
	r := c.contexts[path]
	if path == "" || r == nil {
		return
	}
	c.count(r)
	what := said(members(e.Payload), "message", "text", "reason", "status", "content")
	c.note(r.turn, from, session.NoteOther, strings.TrimSuffix(e.Kind+": "+what, ": "))
}
