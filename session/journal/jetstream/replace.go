package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"candor/session/journal"
	"candor/session/pause"
)

// note says what a Replace is about to do, so that another process can finish it.
type note struct {
	First, Last uint64   // numbers of the first and the last event
	Seqs        []uint64 // of the messages to overwrite
}

// Replace notes what it is about to erase, puts the frames into the session's list of erased ones,
// from when readers get them, and then overwrites the messages that they cover. A process that
// dies in between leaves the note, and the next Replace or Open finishes.
func (e frames) Replace(ctx context.Context, session string, with []journal.Frame) error {
	if len(with) == 0 {
		return nil
	}
	if err := e.s.everyNode(ctx, session); err != nil {
		return err
	}
	if err := e.s.finishErasure(ctx, session); err != nil {
		return err
	}
	now, before, err := e.s.erased(ctx, session)
	if err != nil || now.has(with) {
		return err
	}
	n, err := e.s.plan(ctx, session, with, now)
	if err != nil {
		return err
	}
	// From here on a process may die at each step.
	if err := e.s.keepTail(ctx, session, n.Last); err != nil {
		return err
	}
	value, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if _, err := e.s.setCell(ctx, cellErasing, session, value, 0); err != nil {
		return err
	}
	if _, err := e.s.setCell(ctx, cellErased, session, now.with(with).encode(), before); err != nil {
		return err
	}
	return e.s.finishErasure(ctx, session)
}

// errCut means that frames to be put into a log do not stand for whole frames of it.
var errCut = fmt.Errorf("%w: the events to replace are not there, or are parts of frames", journal.ErrUnavailable)

// plan finds the messages that frames cover, and that they cover whole frames.
func (s *store) plan(ctx context.Context, session string, with []journal.Frame, gone erased) (note, error) {
	n := note{First: with[0].First, Last: with[len(with)-1].Last}
	h, err := s.askHead(ctx, session)
	if err != nil {
		return n, err
	}
	if h.kind == kindRemoved || n.First == 0 || n.Last > h.last {
		return n, errCut
	}
	stream, subject := s.names.log(session)
	sc := scan{c: &s.client, stream: stream, subject: subject, upto: h.seq}
	if sc.seq, err = s.find(ctx, session, n.First, h); err != nil {
		return n, err
	}
	in := edges{with: with, firsts: map[uint64]bool{}, lasts: map[uint64]bool{}}
	for r, err := range sc.records(ctx, session) {
		if err != nil {
			return n, err
		}
		if r.first > n.Last {
			break
		}
		if r.kind == kindFrame {
			in.add(r.first, r.last)
		}
		// The last message keeps the number given. It has no bytes of a frame.
		isTail := r.kind == kindTail && r.seq == h.seq
		if erased(with).covers(r.first, r.last) && !isTail {
			n.Seqs = append(n.Seqs, r.seq)
		}
	}
	for _, f := range gone {
		in.add(f.First, f.Last)
	}
	if !in.whole() {
		return n, errCut
	}
	return n, nil
}

// edges are the numbers at which the frames of a log begin and end, to compare others with.
type edges struct {
	with          []journal.Frame
	firsts, lasts map[uint64]bool
}

// add notes a frame of the log.
func (e edges) add(first, last uint64) { e.firsts[first], e.lasts[last] = true, true }

// whole says whether the frames are in order and cut none of the log.
func (e edges) whole() bool {
	next := uint64(1)
	for _, f := range e.with {
		if f.First < next || f.Last < f.First || !e.firsts[f.First] || !e.lasts[f.Last] {
			return false
		}
		next = f.Last + 1
	}
	return true
}

// keepTail puts a message without a frame behind a log whose last frame is to be erased, so that
// its number is not given again.
func (s *store) keepTail(ctx context.Context, session string, last uint64) error {
	return s.endWith(ctx, session, func(h head) (record, bool) {
		return record{kind: kindTail, first: h.last, last: h.last}, h.kind == kindFrame && h.last == last
	})
}

// endWith appends a message without a frame behind a log, unless it needs none.
func (s *store) endWith(ctx context.Context, session string, end func(head) (r record, needed bool)) error {
	stream, subject := s.names.log(session)
	for range attempts(ctx) {
		h, err := s.askHead(ctx, session)
		if err != nil {
			return err
		}
		r, needed := end(h)
		if !needed {
			return nil
		}
		_, err = s.publish(ctx, stream, subject, r.encode(), h.seq)
		if !errors.Is(err, journal.ErrConflict) {
			return err
		}
	}
	return journal.ErrConflict
}

// finishErasure does what is left to do of the session's last erasure. If the list of erased frames was
// never written, the frames are still the session's and the note is void.
func (s *store) finishErasure(ctx context.Context, session string) error {
	m, err := s.cell(ctx, cellErasing, session)
	if err != nil || m.seq == 0 {
		return err
	}
	var n note
	if err := json.Unmarshal(m.data, &n); err != nil {
		return &journal.Damage{Session: session, Reason: "what was being erased cannot be read"}
	}
	done, seq, err := s.erased(ctx, session)
	if err != nil {
		return err
	}
	stream, _ := s.names.log(session)
	// The list was written after the note if it is this erasure that it has.
	if done.covers(n.First, n.First) && done.covers(n.Last, n.Last) && seq > m.seq {
		for _, covered := range n.Seqs {
			if err := s.erase(ctx, stream, covered); err != nil {
				return err
			}
		}
	}
	if err := s.eraseCell(ctx, cellErased, session, seq); err != nil {
		return err
	}
	return s.eraseCell(ctx, cellErasing, session, m.seq+1)
}

// finishErasures finishes what any process left half erased.
func (s *store) finishErasures(ctx context.Context) error {
	prefix := s.names.prefix + ".state." + cellErasing + "."
	for m, err := range s.all(ctx, s.names.state(), prefix+"*") {
		if err != nil {
			return err
		}
		session, ok := untoken(strings.TrimPrefix(m.subject, prefix))
		if !ok {
			continue
		}
		if err := s.finishErasure(ctx, session); err != nil {
			s.warnings = append(s.warnings, fmt.Sprintf("An erasure in session %s is not finished: %v.", session, err))
		}
	}
	return nil
}

// endOfStream is behind every message of a stream.
const endOfStream = math.MaxUint64

// The pauses between attempts, which double, and how many attempts there are: they take 3 to 4 seconds in all.
const (
	firstPause   = 2 * time.Millisecond
	longestPause = 500 * time.Millisecond
	maxAttempts  = 14
)

// attempts yields once for each attempt at a message that has to be the first behind another, until ctx
// ends or there were enough. It pauses between them.
//
// A server refuses such a message not only when it has one in that place. While the message of somebody else is
// on its way to the other servers, the one that leads refuses all others in its place, and still answers
// questions as if there were none. So whoever asks and tries again at once may be refused many times.
func attempts(ctx context.Context) iter.Seq[int] {
	return func(yield func(int) bool) {
		next := firstPause
		for i := range maxAttempts {
			if !yield(i) || i == maxAttempts-1 {
				return
			}
			if pause.For(ctx, next) != nil {
				return
			}
			next = min(2*next, longestPause)
		}
	}
}
