package session

import (
	"cmp"

	"candor/safety"
)

// answered folds in the reasoning behind an answer, which has a step of its own unless nothing
// is left of it.
func (f *jobFold) answered(e Event, b JobReasoned) {
	t := f.work(e)
	t.used(b.Usage, b.Spent)
	f.calledBy(e, b.Agent, b.Caller)
	if b.Agent.Empty() {
		t.Stop = b.Stop
	}
	if b.Narrative.Empty() && !b.NarrativeBlocked && !b.Sealed.Known() && b.Stop == "" {
		t.touch(e, b.Findings)
		return
	}
	at := f.newStep(t, b.Agent.String())
	t.Steps[at].Answer, t.Steps[at].Sealed, t.Steps[at].Stop = true, b.Sealed, b.Stop
	setNarrative(&t.Steps[at], b.Narrative, b.NarrativeSource, b.NarrativeBlocked)
	t.Steps[at].setThought(b.Thought, b.ThoughtBlocked)
	f.closed[place{turn: f.current, step: at}] = true
	t.touch(e, b.Findings)
}

// used adds what answers of models took to the sums of the turn.
func (t *Turn) used(u Usage, s Spent) { t.Usage, t.Spent = t.Usage.plus(u), t.Spent.plus(s) }

// reasoned folds in the reasons of a step: the one that has the first of the calls that
// they explain, or a new one.
func (f *jobFold) reasoned(e Event, b JobReasoned) {
	if b.Answer {
		f.answered(e, b)
		return
	}
	at, known := place{}, false
	for _, d := range b.Decisions {
		if p, ok := f.places[d.Call]; ok && d.Call != "" {
			at, known = place{turn: p.turn, step: p.step}, true
			break
		}
	}
	if !known {
		t := f.turn(e)
		if len(b.Decisions) > 0 {
			t = f.work(e)
			f.demoteAnswer(t)
		}
		f.start(e)
		at = place{turn: f.current, step: f.openStep(t, b.Agent.String(), b.Narrative)}
	}
	t := &f.turns[at.turn]
	t.used(b.Usage, b.Spent)
	f.calledBy(e, b.Agent, b.Caller)
	t.Steps[at.step].Sealed = b.Sealed.or(t.Steps[at.step].Sealed)
	setNarrative(&t.Steps[at.step], b.Narrative, b.NarrativeSource, b.NarrativeBlocked)
	t.Steps[at.step].setThought(b.Thought, b.ThoughtBlocked)
	t.Steps[at.step].Stop = cmp.Or(b.Stop, t.Steps[at.step].Stop)
	for _, d := range b.Decisions {
		c := f.call(d.Call)
		if c == nil {
			c = f.addCall(t, at.step, Call{ID: d.Call, Tool: d.Tool})
			f.places[d.Call] = place{at.turn, at.step, len(t.Steps[at.step].Calls) - 1}
		}
		explain(c, d.Rationale, d.Group)
		c.ReasonInferred, c.Findings = d.Inferred, Merge(c.Findings, d.Findings)
		if c.Outcome == Pending && d.Outcome != Pending {
			c.Outcome, c.Untimed = d.Outcome, true
		}
	}
	f.closed[at] = true
	t.touch(e, b.Findings)
}

// explain gives a call its reason. A fallback does not replace the model's own words, and
// a missing group does not replace a group.
func explain(c *Call, why Rationale, group *int) {
	if !why.Text.Empty() && (c.Rationale.Text.Empty() || why.Source != FromFallback || why.Blocked) {
		c.Rationale = why
	}
	if group != nil {
		c.Group = group
	}
}

// setThought sets the thought beside a step's narrative, unless the event has none.
func (s *Step) setThought(text safety.Text, blocked bool) {
	s.Thought, s.ThoughtBlocked = cmp.Or(text, s.Thought), s.ThoughtBlocked || blocked
}
