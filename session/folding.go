package session

import (
	"iter"
	"sync"
)

// folding is a turn while events are folded into it. What an attached agent's turn says depends on all of its facts, of
// which there may be thousands: its steps are made when somebody asks for the turn, once, and not with each fact.
// A folding is a value, and the functions on it are safe for concurrent use.
type folding struct {
	head  Turn        // without findings, steps, hand-offs and usage if whole is set
	whole func() Turn // makes the turn; nil if head is all of it
}

// apply returns the folding that results from folding e into f.
func (f folding) apply(e Event) folding {
	b, sights := e.Body.(Sighted)
	if !sights {
		return folding{head: f.turn().Apply(e)}
	}
	f.head.LastSeq = e.Seq
	head := f.head.sight(e, b)
	return folding{head: head, whole: sync.OnceValue(head.project)}
}

// turn returns the whole turn.
func (f folding) turn() Turn {
	if f.whole == nil {
		return f.head
	}
	return f.whole()
}

// asked yields the calls about which a person is asked. It makes no steps for turns of whose calls nobody ever said
// anything.
func (f folding) asked() iter.Seq[Call] {
	return func(yield func(Call) bool) {
		if f.whole != nil && len(f.head.said) == 0 {
			return
		}
		for c := range f.turn().Calls() {
			if c.waits() && !yield(c) {
				return
			}
		}
	}
}

// asks reports whether a person is asked about a call of the turn.
func (f folding) asks() bool {
	for range f.asked() {
		return true
	}
	return false
}

// ended reports whether the turn has ended.
func (f folding) ended() bool { return f.head.State.Ended() }

// turnsOf returns the whole turns.
func turnsOf(all []folding) []Turn {
	turns := make([]Turn, len(all))
	for i, f := range all {
		turns[i] = f.turn()
	}
	return turns
}
