package session

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"candor/session/journal"
)

// Log is an append-only sequence of events with any number of readers. Its zero
// value is an empty log whose events carry no session id; a [Session] keeps its own.
// A Log is safe for concurrent use.
type Log struct {
	session string
	journal *journal.Journal            // outlives the process; nil for a log in memory only
	gone    atomic.Uint64               // the highest number of a Dropped event that was dropped itself
	stored  atomic.Int64                // about how many bytes the journal takes, where that is limited
	head    atomic.Uint64               // number of the latest event; changed under mu
	latest  atomic.Pointer[sharedBatch] // the events that a reader took last; stored under mu

	writing sync.Mutex // held while events are added, dropped or unloaded; comes before mu

	mu      sync.RWMutex
	events  []Event           // ascending by Seq, with gaps where events were dropped; those after cold
	cold    uint64            // events up to this number are in the journal only
	last    time.Time         // time of the latest event
	changed chan struct{}     // closed by the next append; nil while no reader waits
	readers int               // running iterations of Follow
	missed  []*journal.Damage // what the load has found; then the log is read only
	ended   error             // ErrEvicted or ErrClosed; nil while the log accepts events
}

// Append numbers and dates one event, adds it to the log and wakes waiting readers.
// It never waits for a reader. It fails with ErrEvicted or ErrClosed, and with ErrStorage if the log
// has a journal that did not keep the event; then the log is unchanged.
func (l *Log) Append(ref Ref, b Body) (Event, error) {
	events, err := l.appendAll([]Event{{Ref: ref, Body: b}})
	if err != nil {
		return Event{}, err
	}
	return events[0], nil
}

// appendAll adds several events, either all or none, with no other event in between. It numbers
// and dates them, and sets their session. It fails with errBehind if the journal has events that
// the log has not.
func (l *Log) appendAll(facts []Event) ([]Event, error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	dated, err := l.date(facts)
	if err != nil || len(dated) == 0 {
		return dated, err
	}
	if err := l.keep(dated); err != nil {
		return nil, err
	}
	l.adopt(dated)
	return dated, nil
}

// date returns the events with the numbers and times that they get. The caller holds writing.
func (l *Log) date(facts []Event) ([]Event, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.ended != nil {
		return nil, l.ended
	}
	if err := l.harm(); err != nil {
		return nil, err
	}
	dated, head, last := slices.Clone(facts), l.head.Load(), l.last
	for i := range dated {
		head, last = head+1, nextTime(last)
		dated[i].Seq, dated[i].At, dated[i].Session = head, last, l.session
	}
	return dated, nil
}

// adopt adds events that have their numbers and times. The caller holds writing.
func (l *Log) adopt(events []Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	latest := events[len(events)-1]
	l.events = append(l.events, events...)
	l.last = latest.At
	l.head.Store(latest.Seq)
	l.wake()
}

// drop removes the events for which keep returns false, and appends a notice of it. keep
// may return another event of the same number to be kept instead.
func (l *Log) drop(keep func(Event) (Event, bool), notice Dropped) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	dated, err := l.date([]Event{{Body: notice}})
	if err != nil {
		return err
	}
	if err := l.keep(dated); err != nil {
		return err
	}
	l.filter(keep)
	l.adopt(dated)
	return nil
}

// filter removes the events for which keep returns false. The caller holds writing.
func (l *Log) filter(keep func(Event) (Event, bool)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var left []Event
	for _, e := range l.events {
		if e, ok := keep(e); ok {
			left = append(left, e)
		} else if tellsOfLoss(e.Body) {
			l.gone.Store(e.Seq)
		}
	}
	l.events = left
	l.latest.Store(nil)
}

// nextTime returns the current time in microseconds, moved past the last event's time if
// necessary. History is paged by time, so two turns with the same time could be
// separated by a page boundary and one of them lost.
func nextTime(last time.Time) time.Time {
	at := time.Now().UTC().Truncate(time.Microsecond)
	if !at.After(last) {
		at = last.Add(time.Microsecond)
	}
	return at
}

// Head returns the number of the latest event, or 0 for an empty log.
func (l *Log) Head() uint64 { return l.head.Load() }

// Follow yields every event with a number greater than after: first those the log
// still has, then each new one as it is appended. Where events were dropped, a [Dropped]
// event that says so comes later. The sequence ends when the
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
		events, changed, err := l.read(ctx, after)
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

// maxBatch and maxBatchCost bound the events that a reader holds at a time. A slow reader
// keeps no more than these in memory once the log has dropped them.
const (
	maxBatch     = 64
	maxBatchCost = 256 << 10
	// minBatch is how many events a batch that others took must have for a reader that could have more.
	minBatch = 16
)

// read returns the next events with numbers greater than after. If there are none, it
// returns a channel that the next append closes, or nil if the log is closed. Readers share the
// slice, which keeps nothing else in memory, and may not change it. A reader that keeps up with
// others takes no lock.
func (l *Log) read(ctx context.Context, after uint64) ([]Event, <-chan struct{}, error) {
	if events := l.latest.Load().behind(after, l.Head()); len(events) > 0 {
		return events, nil, nil
	}
	for {
		events, changed, cold, err := l.readWarm(after)
		if after >= cold || err != nil {
			return events, changed, err
		}
		if events, err = l.readCold(ctx, after, cold); err != nil || len(events) > 0 {
			return events, nil, err
		}
		after = cold // all of it was erased
	}
}

// readWarm is read for what is in memory. after is before cold if the journal has to be read first.
func (l *Log) readWarm(after uint64) (events []Event, changed <-chan struct{}, cold uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case after > l.Head():
		return nil, nil, 0, fmt.Errorf("%w: %d, the log is at %d", ErrUnknownCursor, after, l.Head())
	case after < l.cold:
		return nil, nil, l.cold, nil
	case after < l.Head():
		return l.batch(after), nil, 0, nil
	case l.ended == ErrClosed:
		return nil, nil, 0, nil
	case l.ended != nil:
		return nil, nil, 0, l.ended
	}
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return nil, l.changed, 0, nil
}

// sharedBatch is some events that follow each other in the log. It is never changed.
type sharedBatch struct {
	after  uint64 // the position behind which it begins
	events []Event
}

// behind returns the events of a batch behind a position, or none if it does not have the next
// ones of a log whose latest event is head, or so few of them that a new batch is worth its cost.
func (b *sharedBatch) behind(after, head uint64) []Event {
	if b == nil || after < b.after {
		return nil
	}
	rest := b.events[indexOf(b.events, after+1):]
	if len(rest) == 0 || len(rest) < minBatch && rest[len(rest)-1].Seq < head {
		return nil
	}
	return rest
}

// batch copies the next events after a position, of which there are some, for all readers that come
// by soon. The caller holds mu.
func (l *Log) batch(after uint64) []Event {
	if events := l.latest.Load().behind(after, l.Head()); len(events) > 0 {
		return events
	}
	from := l.index(after + 1)
	to, cost := from, 0
	for to < len(l.events) && to-from < maxBatch && cost < maxBatchCost {
		cost += costOf(l.events[to].Body)
		to++
	}
	b := &sharedBatch{after: after, events: slices.Clone(l.events[from:to])}
	l.latest.Store(b)
	return b.events
}

// index returns the position in events of the first event that has the number seq or a greater
// one. The caller holds mu.
func (l *Log) index(seq uint64) int { return indexOf(l.events, seq) }

func indexOf(events []Event, seq uint64) int {
	at, _ := slices.BinarySearchFunc(events, seq, func(e Event, seq uint64) int { return cmp.Compare(e.Seq, seq) })
	return at
}
