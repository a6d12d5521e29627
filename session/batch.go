package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

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
