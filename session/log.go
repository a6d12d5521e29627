package session

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"
)

// Log is one session's events, in order. The zero value is not usable; a
// [Session] makes its own. It is safe for concurrent use.
type Log struct {
	session string

	mu      sync.RWMutex
	events  []Event       // events[i].Seq == i+1; grows only
	changed chan struct{} // closed on the next append; nil while nobody waits
	readers int
	ended   error // why the log takes nothing more; nil while it is open
}

// Append adds a fact, numbers and dates it. It never waits for a reader. The
// error is ErrEvicted or ErrClosed, and then nothing was added.
func (l *Log) Append(ref Ref, b Body) (Event, error) {
	events, err := l.appendAll(ref, []Post{{Body: b}})
	if err != nil {
		return Event{}, err
	}
	return events[0], nil
}

// appendAll adds several facts, all of them or none.
func (l *Log) appendAll(ref Ref, posts []Post) ([]Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return nil, l.ended
	}
	from := len(l.events)
	for _, p := range posts {
		l.events = append(l.events, Event{
			Seq: uint64(len(l.events)) + 1, At: l.now(), Session: l.session, Ref: ref, Key: p.Key, Body: p.Body,
		})
	}
	l.wake()
	return l.events[from:len(l.events):len(l.events)], nil
}

// now is the time to the microsecond, moved on where needed so that no two
// events share it: history pages by time and must not lose a turn at an edge.
func (l *Log) now() time.Time {
	at := time.Now().UTC().Truncate(time.Microsecond)
	if n := len(l.events); n > 0 {
		if last := l.events[n-1].At; !at.After(last) {
			at = last.Add(time.Microsecond)
		}
	}
	return at
}

// Head is the number of the latest event, 0 when there is none.
func (l *Log) Head() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return uint64(len(l.events))
}

// Follow yields the events after the given number, past ones first and then
// each new one as it is appended, until the caller breaks off, ctx ends, or the
// log ends. After the log was closed it yields what is left and stops; after an
// eviction it yields ErrEvicted last. A number that the log has not given out
// yields ErrUnknownCursor. ctx's end is not an error.
func (l *Log) Follow(ctx context.Context, after uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		defer l.enter()()
		for {
			batch, wait, err := l.past(after)
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, e := range batch {
				if ctx.Err() != nil || !yield(e, nil) {
					return
				}
				after = e.Seq
			}
			if len(batch) > 0 {
				continue
			}
			if wait == nil {
				return
			}
			select {
			case <-wait:
			case <-ctx.Done():
				return
			}
		}
	}
}

// past gives the events after a number. When there are none it gives a channel
// that closes on the next append, or nil when the log was closed. The slice
// shares the log's memory, which no append ever changes.
func (l *Log) past(after uint64) ([]Event, <-chan struct{}, error) {
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

// end makes the log take nothing more and wakes every reader.
func (l *Log) end(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended == nil {
		l.ended = why
		l.wake()
	}
}

func (l *Log) wake() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// enter counts a reader in and returns what counts it out again.
func (l *Log) enter() (leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readers++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.readers--
	}
}

// watched reports whether anybody follows the log.
func (l *Log) watched() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.readers > 0
}
