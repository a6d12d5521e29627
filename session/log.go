package session

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"
)

// Log is an append-only sequence of events with any number of readers. Its zero
// value is an empty log whose events carry no session id; a [Session] keeps its own.
// A Log is safe for concurrent use.
type Log struct {
	session string

	mu      sync.RWMutex
	events  []Event       // events[i].Seq == i+1; only ever appended to
	changed chan struct{} // closed by the next append; nil while no reader waits
	readers int           // running iterations of Follow
	ended   error         // ErrEvicted or ErrClosed; nil while the log accepts events
}

// Append numbers and dates one event, adds it to the log and wakes waiting readers.
// It never waits for a reader. It fails with ErrEvicted or ErrClosed, and then the
// log is unchanged.
func (l *Log) Append(ref Ref, b Body) (Event, error) {
	events, err := l.appendAll(ref, []Post{{Body: b}})
	if err != nil {
		return Event{}, err
	}
	return events[0], nil
}

// appendAll adds several events, either all or none, with no other event in between.
func (l *Log) appendAll(ref Ref, posts []Post) ([]Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return nil, l.ended
	}
	first := len(l.events)
	for _, p := range posts {
		l.events = append(l.events, Event{
			Seq: uint64(len(l.events)) + 1, At: l.now(), Session: l.session, Ref: ref,
			Key: p.Key, Ignored: p.Ignored, Body: p.Body,
		})
	}
	l.wake()
	return l.events[first:len(l.events):len(l.events)], nil
}

// now returns the current time in microseconds, moved past the last event's time if
// necessary. History is paged by time, so two turns with the same time could be
// separated by a page boundary and one of them lost.
func (l *Log) now() time.Time {
	at := time.Now().UTC().Truncate(time.Microsecond)
	if n := len(l.events); n > 0 {
		if last := l.events[n-1].At; !at.After(last) {
			at = last.Add(time.Microsecond)
		}
	}
	return at
}

// Head returns the number of the latest event, or 0 for an empty log.
func (l *Log) Head() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return uint64(len(l.events))
}

// Follow yields every event with a number greater than after: first those the log
// already has, then each new one as it is appended. The sequence ends when the
// caller breaks out of its loop, when ctx ends, or when the log ends.
//
// A closed log yields its remaining events and stops without an error. An evicted
// log yields its remaining events and then ErrEvicted. A number greater than Head
// yields ErrUnknownCursor. The end of ctx is not reported as an error.
func (l *Log) Follow(ctx context.Context, after uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		l.countReader(+1)
		defer l.countReader(-1)
		for {
			events, err := l.await(ctx, after)
			if err != nil {
				yield(Event{}, err)
				return
			}
			if len(events) == 0 || !yieldAll(ctx, events, yield) {
				return
			}
			after = events[len(events)-1].Seq
		}
	}
}

// yieldAll passes events on until the caller or ctx ends the iteration, and reports
// whether all of them were passed on.
func yieldAll(ctx context.Context, events []Event, yield func(Event, error) bool) bool {
	for _, e := range events {
		if ctx.Err() != nil || !yield(e, nil) {
			return false
		}
	}
	return true
}

// await returns the events with numbers greater than after and waits while there are
// none. It returns neither events nor an error once ctx or the log has ended.
func (l *Log) await(ctx context.Context, after uint64) ([]Event, error) {
	for {
		events, changed, err := l.read(after)
		if err != nil || len(events) > 0 || changed == nil {
			return events, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// read returns the events with numbers greater than after. If there are none, it
// returns a channel that the next append closes, or nil if the log is closed. The
// slice shares memory with the log, which is safe because events never change.
func (l *Log) read(after uint64) ([]Event, <-chan struct{}, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	head := uint64(len(l.events))
	switch {
	case after > head:
		return nil, nil, fmt.Errorf("%w: %d, the log is at %d", ErrUnknownCursor, after, head)
	case after < head:
		return l.events[after:head:head], nil, nil
	case l.ended == ErrClosed:
		return nil, nil, nil
	case l.ended != nil:
		return nil, nil, l.ended
	}
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return nil, l.changed, nil
}

// end makes the log refuse further events with the given error and wakes all
// readers. Only the first call has an effect.
func (l *Log) end(reason error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended == nil {
		l.ended = reason
		l.wake()
	}
}

// wake releases the readers that wait in await. The caller holds mu.
func (l *Log) wake() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// wakeAll makes every waiting reader look again.
func (l *Log) wakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wake()
}

// countReader adds change to the number of active readers.
func (l *Log) countReader(change int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readers += change
}

// watched reports whether any reader is active.
func (l *Log) watched() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.readers > 0
}
