package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"candor/session/journal"
)

// This file has the part of a log that is in its journal: an engine keeps it, and memory holds the
// latest events only.

// storageTimeout bounds how long an append or a read of a journal may take.
const storageTimeout = 10 * time.Second

// errBehind means that the journal has events that the log has not, because another process
// appended to the session.
var errBehind = errors.New("the log is behind its journal")

// keep makes the journal keep events before anybody can see them. The caller holds writing.
func (l *Log) keep(events []Event) error {
	if l.journal == nil {
		return nil
	}
	// An append is never cut off halfway by the end of a request.
	ctx, cancel := context.WithTimeout(context.Background(), storageTimeout)
	defer cancel()
	if !slices.ContainsFunc(events, func(e Event) bool { return !endsSomething(e.Body) }) {
		ctx = journal.HeldBack(ctx)
	}
	payload := encodeEvents(events)
	err := l.journal.Append(ctx, len(events), payload)
	if errors.Is(err, journal.ErrConflict) {
		return errBehind
	}
	if err == nil {
		l.stored.Add(int64(len(payload)) + frameSize)
	}
	return storageError(err)
}

// frameSize is about what an engine takes for an append beside its events.
const frameSize = 256

// endsSomething reports whether a body frees room, or is so short that a session can always end what is open.
func endsSomething(b Body) bool {
	switch b := b.(type) {
	case Erased, Dropped, TurnInterrupted, JobCancelled, StepEnded, ApprovalAnswered:
		return true
	case ToolReturned:
		return b.Outcome == Cancelled
	}
	return false
}

// measure asks the engine how much the session takes, where that is limited.
func (s *Session) measure(ctx context.Context) error {
	if s.sizeOf == nil || s.budget.Disk == 0 {
		return nil
	}
	n, err := s.sizeOf(ctx, s.ID())
	if err == nil {
		s.log.stored.Store(n)
	}
	return storageError(err)
}

// storageError returns an engine's error as one of this package.
func storageError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, journal.ErrDamaged):
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case errors.Is(err, journal.ErrClosed):
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return fmt.Errorf("%w: %w", ErrStorage, err)
}

// DamageOf returns which events a damage concerns, and ok false for any other error than ErrDamaged with
// a known place.
func DamageOf(err error) (d journal.Damage, ok bool) {
	if at, found := errors.AsType[*journal.Damage](err); found {
		return *at, true
	}
	return journal.Damage{}, false
}

// readCold returns the next events after a position from the journal, up to the number cold. It
// returns none if all of them were erased, or ctx has ended.
func (l *Log) readCold(ctx context.Context, after, cold uint64) (events []Event, err error) {
	cost := 0
	for e, err := range l.kept(ctx, after+1, cold) {
		if ctx.Err() != nil {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		events, cost = append(events, e), cost+costOf(e.Body)
		if len(events) >= maxBatch || cost >= maxBatchCost {
			break
		}
	}
	return events, nil
}

// kept yields the events of the journal with numbers from from to through, both included. Those
// that were erased are left out. Behind damage the caller may go on.
func (l *Log) kept(ctx context.Context, from, through uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		last := from - 1
		for b, err := range l.journal.Read(journal.Wanting(ctx, through+1-min(from, through)), from, nil) {
			var events []Event
			if err == nil {
				events, err = decodeEvents(l.session, b)
			}
			if d, ok := errors.AsType[*journal.Damage](err); ok && yield(Event{}, storageError(err)) {
				if last = max(last, d.Last); last >= through {
					return
				}
				continue
			} else if err != nil {
				if !ok {
					yield(Event{}, storageError(err))
				}
				return
			}
			for _, e := range events {
				if e.Seq < from {
					continue
				}
				if e.Seq > through || !yield(e, nil) {
					return
				}
			}
			if last = b.Last; last >= through {
				return
			}
		}
		yield(Event{}, storageError(&journal.Damage{
			Session: l.session, First: last + 1, Last: through, Reason: "they are missing",
		}))
	}
}

// between returns the events from one number up to, but without, another, from memory and where
// they are not there from the journal. The slice is the caller's own.
func (l *Log) between(from, to uint64) ([]Event, error) {
	if to <= from {
		return nil, nil // as for a turn of an erased thread whose name another has now
	}
	l.mu.RLock()
	cold := l.cold
	warm := slices.Clone(l.events[l.index(from):l.index(to)])
	l.mu.RUnlock()
	if from > cold {
		return warm, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), storageTimeout)
	defer cancel()
	var events []Event
	for e, err := range l.kept(ctx, from, min(cold, to-1)) {
		if l.isMissed(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return append(events, warm...), nil
}

// warm returns the events in memory, which the caller must not change.
func (l *Log) warm() []Event {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.events[:len(l.events):len(l.events)]
}

// unload removes the events up to a number from memory. The journal has them.
func (l *Log) unload(through uint64) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if through > l.cold {
		l.events = slices.Clone(l.events[l.index(through+1):])
		l.cold = through
		l.latest.Store(nil)
	}
}
