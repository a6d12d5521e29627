package collect

import (
	"slices"

	"candor/safety"
	"candor/session"
	"candor/web/mew/wire"
)

// chat records a message: as a note of the reasoning in whose context it is, as the answer of a
// reasoning, or as a turn of its author.
func (c *Collector) chat(m *message, e wire.Envelope, path string) {
	raw := said(members(e.Payload), "text", "message", "content")
	if raw == "" {
		return
	}
	m.text = c.short(raw, maxText)
	if in := c.contexts[path]; path != "" && in != nil {
		c.count(in)
		m.where = place{turn: in.turn, context: in}
		own := m.from.about(e.CorrelationID)
		if in.owner != m.from || own != in.turn {
			c.remark(in.turn, m.from, e.To, raw)
		}
		if own != nil && own.trigger != nil && slices.Contains(e.CorrelationID, own.trigger.id) {
			c.reply(own, raw, false)
		}
		return
	}
	if t := c.answers(m.from, e); t != nil {
		m.where = place{turn: t}
		c.reply(t, raw, false)
		return
	}
	c.speak(m, e, raw)
}

// answers returns the turn that a message of its agent answers, or nil. A message that names
// nothing answers the only reasoning that is open or has just ended without an answer, unless it
// is for others than those who asked.
func (c *Collector) answers(from *speaker, e wire.Envelope) *turn {
	if t := from.about(e.CorrelationID); t != nil {
		return t
	}
	if len(e.CorrelationID) > 0 {
		return c.answersLate(from, e)
	}
	t := c.recent(from)
	if r := from.only(); r != nil {
		t = r.turn
	}
	if t == nil || (t.over && (t.answered || !t.answer.Empty())) {
		return nil
	}
	if len(e.To) > 0 && t.trigger != nil && t.trigger.from.id != "" && !e.IsTo(t.trigger.from.id) {
		return nil
	}
	return t
}

// answersLate returns the turn whose agent tells only with its answer what it is about: the only
// one that is open, or the one that has just ended, if it has no answer and nobody is known to
// have asked for it.
func (c *Collector) answersLate(from *speaker, e wire.Envelope) *turn {
	t, trigger := c.recent(from), c.named(e.CorrelationID)
	if r := from.only(); r != nil {
		t = r.turn
	}
	if t == nil || trigger == nil || trigger.from == from || t.trigger != nil || len(t.about) > 0 || !t.answer.Empty() {
		return nil
	}
	c.learn(t, trigger)
	return t
}

// reply takes a text as the answer of a turn. While its reasoning is open, the text is a note
// that the next one may follow; it becomes the answer when the turn ends.
func (c *Collector) reply(t *turn, raw string, failed bool) {
	text, found := c.mask(raw)
	if text.Empty() {
		return
	}
	switch {
	case t.over && t.final:
		c.note(t, t.owner, session.NoteChat, raw)
		return
	case t.over:
		t.answer, t.found, t.answered, t.final = text, found, false, true
		c.giveAnswer(t)
		return
	case failed:
		c.finish(t)
		c.record(t.ref, session.TurnFailed{Error: text, Findings: found})
		t.answered = true
		return
	}
	t.answer, t.found, t.replied = text, found, c.now()
	c.record(t.ref, session.Noted{From: t.owner.name, Kind: session.NoteChat, Text: text})
}

// speak records a message that belongs to no reasoning.
func (c *Collector) speak(m *message, e wire.Envelope, raw string) {
	about := c.memory.first(e.CorrelationID)
	if about != nil && about.from == m.from {
		about = nil
	}
	t := c.begin(m.from, about, false)
	if t == nil {
		return
	}
	m.where = place{turn: t}
	t.answer, t.found = c.mask(raw)
	c.complete(t, safety.Text{}, nil)
}
