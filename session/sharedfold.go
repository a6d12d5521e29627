package session

import "sync"

// sharedFold folds the events of the present once for all readers of a session, instead of once
// for each. It does so only for events whose turn somebody asks for. Its zero value is ready for use,
// and it is safe for concurrent use.
type sharedFold struct {
	mu       sync.Mutex
	position uint64    // the last event that was folded
	last     folding   // the turn of that event, right after it
	open     openTurns // the turns that are open at position; nil if nothing was folded
}

// Folded returns the turn right after the event, or the zero value for events about a thread or a
// job. It is Turn where that is set; readers of WatchLive that are at the present have it computed
// when they ask, which they need not do for an event whose turn they do not look at.
func (u Update) Folded() (Turn, error) {
	if u.reader == nil {
		return u.Turn, nil
	}
	return u.reader.foldShared(u.Event)
}

// foldShared returns the turn of a recent event right after it.
func (s *Session) foldShared(e Event) (Turn, error) {
	if e.Turn == 0 {
		return Turn{}, nil
	}
	if now, _, err := s.warmTurn(e.Thread, e.Turn); err == nil && now.head.LastSeq == e.Seq {
		return now.turn(), nil
	}
	f := &s.shared
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.advance(s, e.Seq); err != nil {
		f.open = nil
		return Turn{}, err
	}
	if f.position == e.Seq {
		return f.last.turn(), nil
	}
	before, err := s.foldBefore(e) // others have asked for later turns, or e was dropped
	return before.apply(e).turn(), err
}

// advance folds what was logged up to an event, if anything is new. The caller holds mu.
func (f *sharedFold) advance(s *Session, seq uint64) error {
	if f.open == nil || seq > f.position+farBehind {
		f.position, f.open = s.rewind(seq-1), openTurns{}
	}
	if seq <= f.position {
		return nil
	}
	events, err := s.log.between(f.position+1, seq+1)
	for _, e := range events {
		if err == nil {
			f.last, err = s.foldAmong(f.open, e)
			f.position = e.Seq
		}
	}
	return err
}

// forget forgets the turns, of which one was erased.
func (f *sharedFold) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open, f.last, f.position = nil, folding{}, 0
}

// farBehind is how many events behind the log's end a reader of WatchLive is still at the present,
// as one that keeps up may be for a moment.
const farBehind = 2 * maxBatch

// meet makes a reader at the present use the fold that all readers share, and one that is behind
// fold for itself, from the beginning of the turns that are open at its position, since what it asks
// for is of the past.
func (w *liveWatch) meet() {
	present := w.Head() <= max(w.position, w.after)+farBehind
	switch {
	case present:
		w.open = nil
	case w.open == nil:
		w.after = max(w.position, w.after)
		w.position, w.open = w.rewind(w.after), openTurns{}
	}
}
