package collect

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"candor/safety"
	"candor/session"
)

// turn is a turn of the session that the collector may still add to.
type turn struct {
	ref     session.Ref
	owner   *speaker
	root    *reasoning // nil for a message or a call outside of any reasoning
	trigger *message   // what asked for it; nil if that is not known
	about   []string   // ids that it said it is about
	inside  []*reasoning

	metadata [2]string // of the context and of a payload, as they were noted last
	calls    []*call   // that have no result
	made     int       // calls so far
	nested   int       // reasonings within this one so far

	answer   safety.Text // said, and not yet recorded as the answer
	found    []safety.Finding
	replied  time.Time // when the agent said it
	answered bool      // the answer is recorded
	final    bool      // it came after the end, so that no other replaces it
	over     bool
	ended    time.Time
	closing  safety.Text  // its conclusion
	stop     session.Stop // why the model stopped, as the latest thought says
}

// begin begins a turn. It is nil if the session has no room for it.
func (c *Collector) begin(of *speaker, trigger *message, unseen bool) *turn {
	b := session.TurnStarted{Asked: session.Asked{Unseen: unseen}}
	if trigger != nil {
		b.Asked, b.Input = c.askedBy(trigger), trigger.text
	}
	e, err := c.own.Observe(of.thread, b)
	if errors.Is(err, session.ErrNoThread) && c.reopenThread(of) {
		e, err = c.own.Observe(of.thread, b)
	}
	if err != nil {
		c.fail(err)
		c.log.Warn("a reasoning of a space was not recorded", "space", c.space, "error", err)
		return nil
	}
	t := &turn{ref: e.Ref, owner: of, trigger: trigger}
	of.turns = append(of.turns, t)
	return t
}

// askedBy says who sent a message, and why as far as that is known.
func (c *Collector) askedBy(m *message) session.Asked {
	a := session.Asked{By: m.from.name}
	if m.where.turn == nil {
		return a
	}
	a.Thread, a.Turn = m.where.turn.ref.Thread, m.where.turn.ref.Turn
	if m.where.call != nil {
		a.Call = m.where.call.id
		if why := m.where.call.why; why.Source == session.FromModel {
			a.Reason, a.Source = why.Text, why.Source
		}
	}
	if in := m.where.context; in != nil && a.Reason.Empty() && !in.thought.text.Empty() && in.owner == m.from {
		a.Reason, a.Source = in.thought.text, session.FromThought
	}
	return a
}

// enter begins a reasoning within the turn: its root, or one nested in parent.
func (c *Collector) enter(t *turn, parent *reasoning, path string) *reasoning {
	r := &reasoning{path: path, owner: t.owner, turn: t, parent: parent}
	if parent == nil {
		t.root = r
	} else {
		t.nested++
		r.agent = fmt.Sprintf("sub-%d", t.nested)
	}
	t.inside = append(t.inside, r)
	return c.add(r)
}

// handOff records that a reasoning passed something to one within it, or got it back.
func (c *Collector) handOff(from, to *reasoning, raw string) {
	text, found := c.mask(raw)
	if text.Empty() {
		text = safety.Literal("…")
	}
	c.record(from.ref(), session.Handoff{From: from.agent, To: to.agent, Text: text, Findings: found})
}

// ref returns what an event of the reasoning is about.
func (r *reasoning) ref() session.Ref {
	ref := r.turn.ref
	ref.Agent = r.agent
	return ref
}

// note records something in a turn that is none of its steps.
func (c *Collector) note(t *turn, from *speaker, kind session.NoteKind, raw string) safety.Text {
	return c.noteIn(t, from, kind, raw, false)
}

// remark records what somebody said within a turn, and to whom.
func (c *Collector) remark(t *turn, from *speaker, to []string, raw string) {
	text, found := c.mask(raw)
	whom, inTo := c.mask(oneLine(strings.Join(to, ", ")))
	c.record(t.ref, session.Noted{
		From: from.name, To: whom, Kind: session.NoteChat, Text: text, Findings: session.Merge(found, inTo),
	})
}

// noteIn is note for what came after the end of a part of the turn.
func (c *Collector) noteIn(t *turn, from *speaker, kind session.NoteKind, raw string, late bool) safety.Text {
	text, found := c.mask(raw)
	if !text.Empty() {
		c.record(t.ref, session.Noted{From: from.name, Kind: kind, Text: text, Late: late, Findings: found})
	}
	return text
}

// complete ends a turn with what was said as its answer, if anything was.
func (c *Collector) complete(t *turn, conclusion safety.Text, found []safety.Finding) {
	if t.over {
		return
	}
	c.finish(t)
	t.closing = conclusion
	t.answered = !t.answer.Empty()
	c.record(t.ref, session.TurnCompleted{
		Response: t.answer, Conclusion: conclusion, Stop: t.stop, Findings: session.Merge(found, t.found),
	})
}

// interrupt ends a turn that was stopped.
func (c *Collector) interrupt(t *turn) {
	if t.over {
		return
	}
	c.finish(t)
	c.record(t.ref, session.TurnInterrupted{})
	c.giveAnswer(t)
}

// giveAnswer records as the answer of an ended turn what was said before.
func (c *Collector) giveAnswer(t *turn) {
	if !t.answer.Empty() && !t.answered {
		t.answered = true
		c.record(t.ref, session.Answered{Response: t.answer, Findings: t.found})
	}
}

// finish closes all that is open in a turn. Calls without a result stay without one.
func (c *Collector) finish(t *turn) {
	for _, one := range slices.Clone(t.calls) {
		c.end(one, session.ToolReturned{Outcome: session.Unknown})
	}
	for _, r := range t.inside {
		c.close(r)
	}
	t.over, t.ended = true, c.now()
	t.owner.turns = slices.DeleteFunc(t.owner.turns, func(o *turn) bool { return o == t })
	if t.root != nil || t.made > 0 {
		t.owner.past = append(t.owner.past, t)
		t.owner.past = t.owner.past[max(0, len(t.owner.past)-maxPast):]
	}
}

// learn records what asked for a turn, where that became known after its beginning.
func (c *Collector) learn(t *turn, trigger *message) {
	t.trigger = trigger
	c.record(t.ref, session.TurnStarted{Asked: c.askedBy(trigger), Input: trigger.text})
}

// Expire ends the reasonings that have been silent for too long.
func (c *Collector) Expire(now time.Time) {
	if c.own == nil || c.keepRest() != nil {
		return
	}
	for _, s := range c.speakers {
		if !s.left.IsZero() && now.Sub(s.left) >= leftGrace {
			c.abandon(s)
		}
		for _, t := range slices.Clone(s.turns) {
			quiet := now.Sub(t.lastHeard())
			answered := !t.answer.Empty() && now.Sub(t.replied) >= c.limits.AnswerGrace && quiet >= c.limits.AnswerGrace
			if answered || quiet >= c.limits.Idle {
				c.complete(t, safety.Text{}, nil)
			}
		}
	}
}

// Left notes that a participant is gone. Its reasonings are interrupted if it does not come
// back soon.
func (c *Collector) Left(participant string) {
	if s := c.speakers[participant]; s != nil {
		s.left, s.gone = c.now(), true
	}
}

// Joined notes that a participant is there, or there again.
func (c *Collector) Joined(participant string) {
	if s := c.speakers[participant]; s != nil {
		s.left, s.gone = time.Time{}, false
		s.visits++
	}
}

// abandon interrupts the reasonings of a participant that has not come back.
func (c *Collector) abandon(s *speaker) {
	s.left = time.Time{}
	for _, t := range slices.Clone(s.turns) {
		if t.answer.Empty() {
			c.interrupt(t)
		} else {
			c.complete(t, safety.Text{}, nil)
		}
	}
}

// lastHeard returns when the latest message of the turn came.
func (t *turn) lastHeard() time.Time {
	last := t.replied
	for _, r := range t.inside {
		if r.last.After(last) {
			last = r.last
		}
	}
	for _, one := range t.calls {
		if one.at.After(last) {
			last = one.at
		}
	}
	return last
}
