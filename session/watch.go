package session

import (
	"context"
	"iter"
	"maps"
	"slices"
)

// Update is an event together with its turn right after the event. Turn is the zero
// value for events about a thread or a job. Text is nil but in updates of WatchLive that
// have no event.
type Update struct {
	Event Event
	Turn  Turn
	Text  *StepText

	reader *Session // in which Folded finds the turn
}

// Watch is Log.Follow with the turn of each event. Each call folds the turns it needs
// for itself, from their first event on, so the turns are whole wherever the reader
// starts.
func (s *Session) Watch(ctx context.Context, after uint64) iter.Seq2[Update, error] {
	return func(yield func(Update, error) bool) {
		open := openTurns{}
		for e, err := range s.log.Follow(ctx, s.rewind(after)) {
			if err != nil {
				yield(Update{}, err)
				return
			}
			turn, err := s.foldAmong(open, e)
			if err != nil {
				yield(Update{}, err)
				return
			}
			if e.Seq > after && !yield(Update{Event: e, Turn: turn.turn()}, nil) {
				return
			}
		}
	}
}

// TurnEvents returns the events of a turn so far, oldest first. It fails with ErrNoThread, ErrNoTurn
// or ErrDropped, or with the error of a storage.
func (s *Session) TurnEvents(threadID string, number int) ([]Event, error) {
	t, err := s.Turn(threadID, number)
	if err != nil {
		return nil, err
	}
	events, err := s.log.between(t.FirstSeq, t.LastSeq+1)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(events, func(e Event) bool { return e.Thread != threadID || e.Turn != number }), nil
}

// openTurns holds the turns of a reader that have begun and not ended.
type openTurns map[Ref]folding

// foldAmong folds an event into its turn among the open ones. The turn of an event that came
// after its end, which only observed turns have, is folded from its beginning.
func (s *Session) foldAmong(open openTurns, e Event) (folding, error) {
	if _, known := open[e.turn()]; !known && e.Turn > 0 && follows(e.Body) {
		before, err := s.foldBefore(e)
		if err != nil {
			return folding{}, err
		}
		open[e.turn()] = before
	}
	return open.fold(e), nil
}

// forgetErased removes the turns of a thread whose end the reader cannot come to any more.
func (o openTurns) forgetErased(threadID string) {
	maps.DeleteFunc(o, func(r Ref, _ folding) bool { return r.Thread == threadID })
}

// fold applies an event to its turn and returns the turn, or the zero value if the
// event belongs to none. An ended turn is forgotten, since hardly any has further events.
func (o openTurns) fold(e Event) folding {
	switch b := e.Body.(type) {
	case Dropped:
		o.forget(b)
	case Erased:
		o.forgetErased(e.Thread)
	}
	if e.Turn == 0 {
		return folding{}
	}
	f := o[e.turn()].apply(e)
	if o[e.turn()] = f; f.ended() {
		delete(o, e.turn())
	}
	return f
}

// forget removes the turns that were dropped before the reader had read their ends.
func (o openTurns) forget(d Dropped) {
	for _, t := range d.Threads {
		maps.DeleteFunc(o, func(r Ref, _ folding) bool { return r.Thread == t.Thread && r.Turn <= t.Turns })
	}
}

// rewind returns the event number to fold from so that every turn that was open right
// after the given event is folded from its beginning.
func (s *Session) rewind(after uint64) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	from := after
	for _, th := range s.threads {
		for _, m := range slices.Backward(th.marks) {
			if th.over(m.number) && m.last <= after {
				if th.origin.Observed() {
					continue // an earlier one may be open
				}
				break // turns end in order, so no earlier turn was open
			}
			if m.first <= after {
				from = min(from, m.first-1)
			}
		}
	}
	return from
}
