package collect

import (
	"encoding/json"
	"slices"
	"strings"

	"candor/safety"
	"candor/session"
	"candor/web/mew/wire"
)

// thought is the latest thought of a reasoning.
type thought struct {
	id   string
	raw  string // to find the name of a tool in; cut to maxText
	text safety.Text
}

// start begins a reasoning: the turn of its agent, or a part of the turn around it.
func (c *Collector) start(m *message, e wire.Envelope, path string) {
	payload := members(e.Payload)
	raw, own := said(payload, "message", "text", "content"), join(path, e.ID)
	if e.Context.InPayload {
		path, own = "", path // it names the reasoning that begins, not one around it
	}
	r := c.adopt(m, e, payload, own)
	if r == nil {
		r = c.beginReasoning(m, e, payload, path, own)
	}
	if r == nil {
		return
	}
	r.seen = true
	m.where = place{turn: r.turn, context: r}
	if r.parent == nil {
		c.narrate(r, e.ID, raw, "")
	} else {
		c.handOff(r.parent, r, raw)
	}
	m.text = r.thought.text
}

// adopt returns the reasoning that began before its start came, with what asked for it.
func (c *Collector) adopt(m *message, e wire.Envelope, payload map[string]json.RawMessage, path string) *reasoning {
	r := c.contexts[path]
	if r == nil || r.owner != m.from || r.over || r.seen {
		return nil
	}
	if trigger := c.trigger(m.from, e, payload); trigger != nil && r.parent == nil {
		c.learn(r.turn, trigger)
	}
	return r
}

// beginReasoning begins the reasoning own, which was not known, within the context path. Within
// one of its own agent it is a part of that turn; anywhere else it is a turn.
func (c *Collector) beginReasoning(
	m *message, e wire.Envelope, payload map[string]json.RawMessage, path, own string,
) *reasoning {
	if old := c.contexts[own]; old != nil && !old.over {
		c.interrupt(old.turn) // of an earlier visit, as Admit has seen
	}
	around := c.contexts[path]
	if path != "" && around != nil {
		c.count(around)
	}
	if path != "" && around == nil {
		around = c.within(m.from, e, path)
	}
	if around != nil && around.owner == m.from && !around.over {
		return c.enter(around.turn, around, own)
	}
	trigger := c.trigger(m.from, e, payload)
	if trigger == nil && around != nil && around.owner != m.from {
		trigger = &message{from: around.owner, text: around.thought.text, where: place{around.turn, around, nil}}
	}
	c.concludeAnswered(m.from)
	t := c.begin(m.from, trigger, false)
	if t == nil {
		return nil
	}
	t.about = slices.Clone(e.CorrelationID[:min(len(e.CorrelationID), maxIDs)])
	return c.enter(t, nil, own)
}

// trigger returns the message that a reasoning is about. Shipped agents do not name it, but
// repeat its text.
func (c *Collector) trigger(from *speaker, e wire.Envelope, payload map[string]json.RawMessage) *message {
	if m := c.named(e.CorrelationID); m != nil {
		return m
	}
	input := said(payload, "input")
	if input == "" || len(e.CorrelationID) > 0 {
		return nil
	}
	text := c.short(input, maxText)
	for i := len(c.memory.order) - 1; i >= 0; i-- {
		m := c.memory.order[i]
		if m.from != from && m.kind == kindChat && m.text.String() == text.String() {
			return m
		}
	}
	return &message{from: &speaker{}, text: text}
}

// concludeAnswered ends the reasonings of a participant that were answered and never
// concluded: it begins another one.
func (c *Collector) concludeAnswered(s *speaker) {
	for _, t := range slices.Clone(s.turns) {
		if t.root != nil && !t.answer.Empty() {
			c.complete(t, safety.Text{}, nil)
		}
	}
}

// think adds a thought to its reasoning: as the reason of the call that it announces, or as
// the narrative of a step. A thought in the reasoning of another is a note.
func (c *Collector) think(m *message, e wire.Envelope, path string) {
	payload := members(e.Payload)
	raw := said(payload, "message", "reasoning", "text", "thought", "content", "hint", "input")
	if known := c.contexts[path]; path != "" && known != nil && known.owner != m.from {
		c.count(known)
		c.note(known.turn, m.from, session.NoteThought, raw)
		return
	}
	r := c.thinkingIn(m, e, path)
	if r == nil {
		return
	}
	c.count(r)
	m.where = place{turn: r.turn, context: r}
	if r.over && !r.turn.over {
		m.text = c.noteIn(r.turn, m.from, session.NoteThought, raw, true)
		return
	}
	stop := session.StopOf(said(payload, "stop"))
	if r.parent == nil {
		r.turn.stop = stop
	}
	if tool, args := announced(payload); tool != "" {
		c.announce(r, m, raw, tool, args)
	} else {
		c.narrate(r, e.ID, raw, stop)
	}
	m.text = r.thought.text
}

// thinkingIn returns the reasoning in which a participant thinks: that of the path, or its only
// open one, or the one that has just ended.
func (c *Collector) thinkingIn(m *message, e wire.Envelope, path string) *reasoning {
	if path != "" {
		return c.within(m.from, e, path)
	}
	if r := m.from.only(); r != nil {
		return r
	}
	if t := c.recent(m.from); t != nil {
		return t.root
	}
	return c.implicit(m.from, e, e.ID)
}

// narrate makes a thought the narrative of the next step. stop says why the model stopped in it, as those of candor mew
// do: the format itself has no such member.
func (c *Collector) narrate(r *reasoning, id, raw string, stop session.Stop) {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return
	}
	c.settleAnnounced(r)
	text, report := c.layer.Clean(raw)
	blocked := report.Verdict == safety.Blocked
	c.nextStep(r)
	r.thought = thought{id: id, raw: cut(raw), text: text}
	if !blocked && len(raw) > maxText {
		r.thought.text = c.short(raw, maxText)
	}
	c.record(r.ref(), session.Narrated{
		Step: r.step, Text: text, Source: session.FromModel, Blocked: blocked, Stop: stop, Findings: report.Findings,
	})
}

// nextStep ends the latest step and begins another.
func (c *Collector) nextStep(r *reasoning) {
	c.endStep(r)
	r.step++
	r.stepEnded = false
}

// endStep ends the latest step.
func (c *Collector) endStep(r *reasoning) {
	if r.step > 0 && !r.stepEnded {
		r.stepEnded = true
		c.record(r.ref(), session.StepEnded{Step: r.step})
	}
}
