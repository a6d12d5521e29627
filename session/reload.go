package session

import (
	"context"
	"errors"

	"candor/safety"
	"candor/session/journal"
)

// This file folds events that the session did not append itself: those of its journal when it is
// opened, and those that another process appended since.

// CatchUp reads and folds what other processes have appended to the session. Its readers receive
// it. It does nothing for a session without a journal. It fails with ErrStorage or ErrDamaged.
//
// What the session appended itself without learning that the storage kept it is read in the same way. A
// turn that began so is interrupted: its message was refused, so nobody runs it.
func (s *Session) CatchUp() error {
	if s.log.journal == nil || s.log.harm() != nil {
		return nil
	}
	if err := s.readOn(); err != nil {
		return err
	}
	var failed error
	for ref, writer := range s.strangers() {
		if writer == s.log.journal.Writer() {
			failed = errors.Join(failed, s.interrupt(ref))
		}
	}
	return failed
}

// readOn reads and folds what is behind the end of the log.
func (s *Session) readOn() error {
	ctx, cancel := context.WithTimeout(context.Background(), storageTimeout)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.charge()
	defer func() { s.budget.put(s, s.charge()-before) }()
	head, sum := s.log.journal.End()
	for b, err := range s.log.journal.Read(ctx, head+1, &sum) {
		if err == nil {
			err = s.take(b)
		}
		if err != nil {
			return storageError(err)
		}
	}
	return nil
}

// behind catches up with the other processes that were first to append, and calls do again, with mu
// held. It fails with ErrDamaged if the journal takes no append and has nothing to catch up with
// either, which means that it has lost its end.
func (s *Session) behind(do func() (used int, err error)) (used int, err error) {
	for idle := 0; idle < triesBehind; {
		head := s.Head()
		if err := s.CatchUp(); err != nil {
			return 0, err
		}
		if s.Head() == head {
			idle++ // or another goroutine has caught up just before
		}
		if used, err = s.locked(do); err != errBehind {
			return used, err
		}
	}
	at := s.Head()
	return 0, storageError(&journal.Damage{
		Session: s.ID(), First: at, Last: at, Reason: "it is no longer the journal's end",
	})
}

// triesBehind is how often an append may be refused without anything to catch up with.
const triesBehind = 4

// take adds a batch of the journal to the log and folds it. The caller holds mu.
func (s *Session) take(b journal.Batch) error {
	events, err := decodeEvents(s.log.session, b)
	if err != nil {
		return err
	}
	s.log.follow(b, events)
	s.claim(events, b.Writer)
	for _, e := range events {
		s.suspect(e)
		s.replay(e)
	}
	return nil
}

// follow adds a batch that another process appended.
func (l *Log) follow(b journal.Batch, events []Event) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.journal.Advance(b.Last, b.Sum)
	if len(events) > 0 {
		l.adopt(events)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head.Store(b.Last) // erased since
	l.wake()
}

// replay folds any event of the log. The caller holds mu.
func (s *Session) replay(e Event) {
	switch b := e.Body.(type) {
	case Erased:
		s.unfinished = append(s.unfinished, s.forget(e))
	case Dropped:
		s.unfinished = append(s.unfinished, s.drop(b, e.Seq)...)
	default:
		if e.Job == "" {
			s.fold(e)
			return
		}
		j := s.jobs[e.Job]
		if j == nil {
			j = &job{}
			s.jobs[e.Job] = j
		}
		if j.cold() { // another run of a job that had ended
			j.Job, j.last = j.Apply(e), e.Seq
			s.noticed += costOf(e.Body)
			return
		}
		j.add(e)
	}
}

// drop removes what a notice with a number says is gone from the fold. It returns where that is in the
// journal. The caller holds mu.
func (s *Session) drop(d Dropped, seq uint64) (gone []erasure) {
	for _, t := range d.Threads {
		th := s.threads[t.Thread]
		if th == nil || t.Turns <= th.dropped || t.Turns > th.total() || !th.over(t.Turns) {
			continue
		}
		gone = append(gone, erasure{
			Ref: Ref{Thread: t.Thread, Turn: t.Turns}, first: th.marks[0].first, last: seq - 1,
		})
		th.cut(t.Turns)
		th.title = safety.Text{} // that of a turn which is gone for good
		s.log.forget(func(e Event) bool { return e.Thread == t.Thread && e.Turn > 0 && e.Turn <= t.Turns })
	}
	s.noticed = s.strays()
	return gone
}

// charge computes what the session is charged for what it holds in memory of its log. The caller
// holds mu.
func (s *Session) charge() int {
	n := sessionCost + s.noticed
	for _, th := range s.threads {
		n += th.charge()
	}
	for _, j := range s.jobs {
		n += j.openedCost + warmCost(j.events)
		if !j.State.Ended() {
			n += jobPromise
		}
	}
	return n
}

// charge computes what the thread is charged: each turn that is in memory for its events and, while
// it is open, for its end, unless it is an attached agent's, of which it may never be told; each of the others for its
// mark.
func (th *thread) charge() int {
	n := threadCost + textCost(th.origin.Space, th.origin.Participant) + titleCost(th.title)
	for _, m := range th.marks {
		if m.number <= th.cold {
			n += markCost
			continue
		}
		n += m.cost
		switch t := th.turns[m.number-1-th.cold].head; {
		case t.State == Queued:
			n += turnPromise + t.startCost()
		case !t.State.Ended() && !th.origin.Attached():
			n += turnPromise
		}
	}
	return n
}

// load folds the session's journal, from a snapshot on if there is a usable one. What does not
// fit into memory is unloaded on the way.
func (s *Session) load(ctx context.Context, kept snapshot) error {
	s.restore(kept)
	before, next := sessionCost, s.resumeAt(kept)
	for b, err := range s.log.journal.Read(ctx, next, nil) {
		if err == nil {
			err = s.reload(b, kept)
		}
		// Where an engine does not read up to what it names, more is missing than it says.
		if d, ok := errors.AsType[*journal.Damage](err); ok && 0 < d.First && d.First <= next {
			s.log.pass(d)
			next = d.Last + 1
			continue
		}
		if err != nil {
			return storageError(err)
		}
		next = b.Last + 1
		if b.Last/reloadCheck != (b.First-1)/reloadCheck {
			before = s.settleCharge(before)
		}
	}
	s.blameAll()
	s.settleCharge(before)
	return nil
}

// reloadCheck is after how many events of a load the memory that they take is looked at.
const reloadCheck = 1 << 12

// settleCharge charges the session for what it holds beyond before, makes it smaller if it is over
// its limit, and returns what it holds then.
func (s *Session) settleCharge(before int) int {
	s.mu.Lock()
	now := s.charge()
	s.mu.Unlock()
	s.budget.put(s, now-before)
	if over := now - s.budget.Session/2; over > 0 {
		now -= s.unload(over)
	}
	return now
}

// resumeAt returns the number of the first event that a load from a snapshot has to read: of what
// was going on then, or the one after the snapshot.
func (s *Session) resumeAt(kept snapshot) uint64 {
	from := kept.Seq + 1
	for _, th := range kept.Threads {
		if th.Open > 0 {
			from = min(from, th.Open)
		}
	}
	for _, j := range kept.Jobs {
		if j.Open {
			from = min(from, j.First)
		}
	}
	return from
}

// reload folds a batch. Of those that the snapshot has, only the events of what was going on are
// needed.
func (s *Session) reload(b journal.Batch, kept snapshot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.Last > kept.Seq {
		return s.take(b)
	}
	events, err := decodeEvents(s.log.session, b)
	s.claim(events, b.Writer)
	for _, e := range events {
		if th := s.threads[e.Thread]; th != nil && e.Turn > th.cold {
			updated, ratings := th.updated, th.ratings // the snapshot knows of all events, also of later ones
			th.apply(e)
			th.updated, th.ratings = updated, ratings
		} else if kept.openJob(e.Job) {
			s.replay(e)
		}
	}
	return err
}
