package session

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"candor/safety"
)

// This file makes the turn of an attached agent out of the facts that its channels saw. The result depends
// on the set of facts alone, and not on the order in which they came.

// channels are all channels, those whose word counts most first. The file has what the model really sent, in full and
// with its place in the answer. Hooks are told what the program made of it. Telemetry often has texts cut short, and
// the wrapper sees only the calls of its own tools.
var channels = [...]Channel{FromFile, FromHooks, FromTelemetry, FromWrapper}

// rank returns the place of a channel in the order of channels.
func (c Channel) rank() int { return slices.Index(channels[:], c) }

// better reports whether a fact counts more than another of its kind: by its channel, and of one channel the
// later one.
func (x sightedFact) better(y sightedFact) bool {
	return cmp.Or(cmp.Compare(x.channel.rank(), y.channel.rank()), y.At.Compare(x.At), x.comparePlace(&y)) < 0
}

// sight folds an event of sightings. The turn that it returns has what its facts say of it as a whole, and lacks what
// project adds. StartedAt and EndedAt are times of the agent's clock; CreatedAt is ours, so that pages of history
// stay in order.
func (t Turn) sight(e Event, b Sighted) Turn {
	t = t.begin(e, Processing, b.Key, safety.Text{}, nil)
	t.facts = t.facts.join(b)
	t.Findings, t.Steps, t.Handoffs, t.Usage, t.was = nil, nil, nil, Usage{}, nil
	t.Input, t.StartedAt = t.facts.prompt(), t.facts.began()
	t.Response, t.Error, t.EndedAt = safety.Text{}, safety.Text{}, time.Time{}
	if end, ok := t.facts.end(); ok {
		t.State, t.Response, t.Error, t.EndedAt = end.Ended.State, end.Ended.Response, end.Ended.Error, end.At
	}
	return t
}

// project returns the turn with the steps, the hand-offs and the usage that its facts make. What people said of
// its calls, answers and ratings, stays with the calls. All of it is made anew after an event, since one late fact may
// change what earlier ones mean: that two calls belong to one step, that a text is the answer, what a sub-agent is
// called.
func (t Turn) project() Turn {
	t.Findings = t.facts.findings()
	p := newProjection(t.facts, t.said, t.State.Ended(), t.Response.String())
	t.Steps, t.Handoffs, t.Usage, t.was = p.turnSteps(), p.handoffs(), p.usage(), p.was
	if t.Stop = ""; t.State.Ended() {
		t.Stop = p.stop()
	}
	for i := range t.Steps {
		for j := range t.Steps[i].Calls {
			c := &t.Steps[i].Calls[j]
			for _, id := range []string{c.ID, p.was[c.ID]} {
				before := t.said[id]
				c.Approval, c.Feedback = cmp.Or(before.Approval, c.Approval), cmp.Or(before.Feedback, c.Feedback)
				c.ratings += before.ratings
			}
			*c = c.denied()
		}
	}
	return t
}

// remember returns the turn once people said something of a call. It stays with the call that was heard, whichever of
// the file's that turns out to be.
func (t Turn) remember(id string) Turn {
	c, ok := t.Call(id)
	if !ok || c.Sighted == nil {
		return t
	}
	said := maps.Clone(t.said)
	if said == nil {
		said = map[string]Call{}
	}
	delete(said, c.ID)
	said[cmp.Or(t.was[c.ID], c.ID)] = c
	t.said = said
	return t
}

// findings returns what safety found in the facts.
func (all sightings) findings() (sum []safety.Finding) {
	for _, s := range all {
		if len(s.Findings) > 0 {
			sum = Merge(sum, s.Findings)
		}
	}
	return sum
}

// prompt returns the person's message: that of the lowest index, since what a program says to its agent within the turn
// comes behind it.
func (all sightings) prompt() (text safety.Text) {
	index := -1
	for _, s := range all {
		switch {
		case s.Prompted == nil || index >= 0 && s.Index > index:
		case s.Index == index:
			text = longer(text, s.Prompted.Text)
		default:
			text, index = s.Prompted.Text, s.Index
		}
	}
	return text
}

// began returns the earliest time of any fact.
func (all sightings) began() (at time.Time) {
	for _, s := range all {
		at = earlier(at, s.At)
	}
	return at
}

// Told returns when an attached agent last did something that a channel told of in the turn, by the agent's clock.
// It is zero for other turns. A session that is imported long after it was has old times, so this tells a turn that
// goes on from one that was left in the middle, which the times of our log do not.
func (t Turn) Told() (at time.Time) {
	for _, s := range t.facts {
		if s.At.After(at) {
			at = s.At
		}
	}
	return at
}

// told returns the latest Told of the turns that are open. Those that are over say by their end that nothing goes on.
// Open turns are always in memory.
func (th *thread) told() (at time.Time) {
	for _, f := range th.turns {
		if f.ended() {
			continue
		}
		if told := f.head.Told(); told.After(at) {
			at = told
		}
	}
	return at
}

// end returns the fact that ends the turn. Of several the one with an answer counts most.
func (all sightings) end() (end sightedFact, ok bool) {
	for _, s := range all {
		if s.Ended == nil || s.Sub != "" {
			continue
		}
		says, said := !s.Ended.Response.Empty(), ok && !end.Ended.Response.Empty()
		if !ok || (says && !said) || (says == said && s.better(end)) {
			end, ok = *s, true
		}
	}
	return end, ok
}
