package session

import (
	"context"
	"fmt"
	"slices"

	"candor/session/journal"
)

// EraseThread deletes a thread for good: its turns leave the session and the storage, and an Erased
// event tells every reader. It fails with ErrNoThread, with ErrTurnOpen while a turn of the thread
// runs or waits, and with ErrStorage. Of an attached agent only a call that waits for a person keeps
// the thread: nobody may ever tell that its last turn is over. It fails with ErrUncleared if the thread
// is gone but the storage still has its bytes, which are cleared when the session is saved or opened
// the next time.
func (s *Session) EraseThread(ctx context.Context, id string) error {
	return s.erase(ctx, Ref{Thread: id}, false)
}

// EraseJob is EraseThread for a job. It fails with ErrNoJob, or with ErrJobOpen until the job has ended.
func (s *Session) EraseJob(ctx context.Context, id string) error {
	return s.erase(ctx, Ref{Job: id}, false)
}

// erase records that a thread or a job is erased, forgets it, and clears the storage. expired says that
// the store's retention asked for it, and not the user. It needs no room: a full session can be
// erased from, which is how its user makes room.
func (s *Session) erase(ctx context.Context, ref Ref, expired bool) error {
	err := s.charged(0, func() (int, error) {
		if err := s.erasable(ref); err != nil {
			return 0, err
		}
		added, err := s.log.appendAll([]Event{{Ref: ref, Body: Erased{Expired: expired}}})
		if err != nil {
			return 0, err
		}
		before := s.charge()
		gone := s.forget(added[0])
		if s.log.journal != nil {
			s.unfinished = append(s.unfinished, gone)
		}
		return s.charge() - before, nil
	})
	s.shared.forget()
	if err != nil {
		return err
	}
	if s.log.journal == nil {
		return s.eraseIndexed(ref)
	}
	if err := s.Save(ctx); err != nil { // the snapshot before has the title
		return fmt.Errorf("%w: %w", ErrUncleared, err)
	}
	return nil
}

// erasable returns an error unless a thread or a job is there and nothing goes on in it. The caller
// holds mu.
func (s *Session) erasable(ref Ref) error {
	if ref.Job != "" {
		j, ok := s.jobs[ref.Job]
		switch {
		case !ok:
			return ErrNoJob
		case !j.State.Ended():
			return ErrJobOpen
		}
		return nil
	}
	th, err := s.lookup(ref.Thread)
	if err == nil && th.inUse() {
		err = fmt.Errorf("thread %s: %w", ref.Thread, ErrTurnOpen)
	}
	return err
}

// inUse reports whether a turn of the thread runs or waits, of an attached agent whether a call waits for a person.
func (th *thread) inUse() bool {
	if !th.origin.Attached() {
		return th.open() > 0
	}
	// A turn may have ended by another channel's word while its agent still waits.
	return slices.ContainsFunc(th.turns, folding.asks)
}

// forget removes the thread or the job that an Erased event names from the fold, and its events from
// memory. It returns where they are in the journal. The caller holds mu.
func (s *Session) forget(e Event) erasure {
	gone := erasure{Ref: Ref{Thread: e.Thread, Job: e.Job}, first: e.Seq, last: e.Seq - 1}
	if th := s.threads[e.Thread]; th != nil {
		gone.first = th.opened
		delete(s.threads, e.Thread)
		s.outlines.forget(e.Thread)
	}
	if j := s.jobs[e.Job]; j != nil {
		gone.first = j.first
		delete(s.jobs, e.Job)
	}
	if s.active == e.Thread {
		s.active = s.latest()
	}
	s.log.forget(func(of Event) bool {
		return of.Thread == e.Thread && of.Job == e.Job && !tellsOfLoss(of.Body)
	})
	s.noticed = s.strays()
	if s.budget.OnErase != nil {
		s.budget.OnErase(s, gone.Ref)
	}
	return gone
}

// Erased reports whether a thread or a job was erased after a position, so that a reader who resumes
// there has yet to be told. It reads the log from there on.
func (s *Session) Erased(ctx context.Context, ref Ref, after uint64) bool {
	for head := s.Head(); after < head; {
		events, _, err := s.log.read(ctx, after)
		if err != nil || len(events) == 0 {
			return false
		}
		for _, e := range events {
			if _, erased := e.Body.(Erased); erased && e.Thread == ref.Thread && e.Job == ref.Job {
				return true
			}
		}
		after = events[len(events)-1].Seq
	}
	return false
}

// latest returns the id of the thread that the user opened or wrote to last, or "". The caller
// holds mu.
func (s *Session) latest() (id string) {
	at := uint64(0)
	for _, th := range s.threads {
		if !th.origin.Observed() && th.entered > at {
			id, at = th.id, th.entered
		}
	}
	return id
}

// forget removes events from memory.
func (l *Log) forget(gone func(Event) bool) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.filter(func(e Event) (Event, bool) { return e, !gone(e) })
}

// clear erases the events of a thread or a job from the journal. What was erased before and stands beside them is
// erased along with them, so that neighbours become one frame.
func (s *Session) clear(ctx context.Context, of erasure) error {
	var batches, run []journal.Batch // run are erased batches in a row, which have to be erased anew if any is new
	isNew, bytes := false, 0
	flush := func() error {
		if isNew {
			batches = append(batches, run...)
		}
		err := s.log.journal.Erase(ctx, batches)
		batches, run, isNew, bytes = nil, nil, false, 0
		return err
	}
	if err := s.eraseIndexed(of.Ref); err != nil {
		return err
	}
	for b, err := range s.log.journal.Read(ctx, s.afterGap(ctx, of.first), nil) {
		if err != nil {
			return storageError(err)
		}
		covered, err := s.coveredBy(of, b)
		if err != nil {
			return err
		}
		if covered || b.Erased {
			if bytes += len(b.Payload); bytes > eraseAtOnce {
				if err := flush(); err != nil {
					return storageError(err)
				}
			}
			b.Payload = nil
			run, isNew = append(run, b), isNew || covered
			continue
		}
		if isNew {
			batches = append(batches, run...)
		}
		run, isNew = run[:0], false
		if b.First > of.last {
			break
		}
	}
	return storageError(flush())
}

// eraseAtOnce is how many bytes are erased at once, since an engine needs as much room for it.
const eraseAtOnce = 1 << 20

// afterGap returns where what was erased before an event begins, or the event's own number.
func (s *Session) afterGap(ctx context.Context, seq uint64) uint64 {
	if seq == 1 {
		return seq
	}
	for b, err := range s.log.journal.Read(ctx, seq-1, nil) {
		if err == nil && b.Erased && b.Last == seq-1 {
			return b.First
		}
		break // an event, or it is damaged, which is for its own readers to say
	}
	return seq
}

// coveredBy reports whether a batch has events of what is erased.
func (s *Session) coveredBy(of erasure, b journal.Batch) (bool, error) {
	if b.Erased || b.First > of.last {
		return false, nil
	}
	events, err := decodeEvents(s.log.session, b)
	return err == nil && len(events) > 0 && of.covers(events[0]), storageError(err)
}
