package collect

import (
	"slices"
	"strings"
	"time"

	"candor/web/mew/wire"
)

// justEnded is how long after its end a reasoning is still meant by a message without a
// context.
const justEnded = 30 * time.Second

// leftGrace is how long a participant may be away before its reasonings are interrupted.
const leftGrace = time.Minute

// find returns the context that a message of a participant is about, if there is one of that
// path. Without a path it is the participant's only open reasoning.
func (c *Collector) find(from *speaker, path string) *reasoning {
	if path != "" {
		return c.contexts[path]
	}
	return from.only()
}

// only returns the root of the participant's only open reasoning, or nil.
func (s *speaker) only() *reasoning {
	var found *reasoning
	for _, t := range s.turns {
		if t.root == nil {
			continue
		}
		if found != nil {
			return nil
		}
		found = t.root
	}
	return found
}

// recent returns the participant's turn that has just ended, or nil if there is none or a new
// one is open.
func (c *Collector) recent(s *speaker) *turn {
	reasons := func(t *turn) bool { return t.root != nil }
	if len(s.past) == 0 || slices.ContainsFunc(s.turns, reasons) {
		return nil
	}
	t := s.past[len(s.past)-1]
	if t.root == nil || c.now().Sub(t.ended) > justEnded {
		return nil
	}
	return t
}

// within returns the context with this path as one that the participant reasons in. One that
// is not known begins there: below the nearest context of the participant, or as a reasoning
// whose start nobody saw. It is nil if the context is somebody else's, or if the session is full.
func (c *Collector) within(from *speaker, e wire.Envelope, path string) *reasoning {
	if known := c.contexts[path]; known != nil {
		if known.owner != from {
			return nil
		}
		return known
	}
	parts := strings.Split(path, "/")
	known := len(parts) - 1
	for known > 0 && c.contexts[strings.Join(parts[:known], "/")] == nil {
		known--
	}
	r := c.contexts[strings.Join(parts[:known], "/")]
	switch {
	case r == nil:
		r, known = c.implicit(from, e, parts[0]), 1
	case r.owner != from || r.over:
		return c.implicit(from, e, path)
	}
	if r == nil {
		return nil
	}
	for _, next := range parts[known:] {
		inner := c.enter(r.turn, r, join(r.path, next))
		c.handOff(r, inner, "")
		r = inner
	}
	return r
}

// implicit begins a reasoning with a message that is not its start. The contexts of ADR-k9j
// have no start; of any other it was not seen.
func (c *Collector) implicit(from *speaker, e wire.Envelope, path string) *reasoning {
	object := len(e.Context.Given) > 0 && e.Context.Given[0] == '{'
	trigger := c.named(e.CorrelationID)
	t := c.begin(from, trigger, !object && trigger == nil)
	if t == nil {
		return nil
	}
	r := c.enter(t, nil, path)
	r.seen = object
	return r
}

// asked returns the turn that one of the ids asked for, or the root of which it is: the latest
// such turn.
func (c *Collector) asked(ids []string) *turn {
	for _, s := range c.speakers {
		if t := s.about(ids); t != nil {
			return t
		}
	}
	return nil
}

// about returns the participant's turn that one of the ids asked for or began, the latest
// first: an open one, or one of those that ended last.
func (s *speaker) about(ids []string) *turn {
	if len(ids) == 0 {
		return nil
	}
	for _, list := range [][]*turn{s.turns, s.past} {
		for _, t := range slices.Backward(list) {
			if t.isAbout(ids) {
				return t
			}
		}
	}
	return nil
}

// isAbout reports whether one of the ids is that of the turn's trigger or of one of its
// reasonings. A message that is a turn of its own has no more to come.
func (t *turn) isAbout(ids []string) bool {
	if t.root == nil && t.made == 0 {
		return false
	}
	if slices.ContainsFunc(t.about, func(id string) bool { return slices.Contains(ids, id) }) {
		return true
	}
	if t.trigger != nil && slices.Contains(ids, t.trigger.id) {
		return true
	}
	return slices.ContainsFunc(t.inside, func(r *reasoning) bool {
		return slices.Contains(ids, r.path) || slices.Contains(ids, r.id())
	})
}
