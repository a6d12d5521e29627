package jetstream

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"candor/session/journal"
)

// Read yields the frames of the log, with erased frames in their places. What a server that is
// behind does not have is asked of the one that leads; what is missing there as well is left
// out for the journal to see, or said if nothing follows it.
func (e frames) Read(ctx context.Context, session string, from uint64) iter.Seq2[journal.Frame, error] {
	return func(yield func(journal.Frame, error) bool) {
		r, err := e.s.reader(ctx, session, max(from, 1))
		for err == nil {
			var f journal.Frame
			if f, err = r.next(ctx); err == nil && !yield(f, nil) {
				return
			}
		}
		if !errors.Is(err, errNone) {
			yield(journal.Frame{}, err)
		}
	}
}

// reader merges a log with its erased frames.
type reader struct {
	s       *store
	session string
	scan    scan
	gone    erased
	head    head
	lost    *journal.Damage // what was there behind head; nil if nothing was
	want    uint64          // number of the event that comes next
	place   uint64          // of the stream behind the last message that was read

	ahead *record // a message that was read and not used yet
	looks int     // that were taken for what is missing before ahead
}

// reader returns one that begins with the event with number from.
func (s *store) reader(ctx context.Context, session string, from uint64) (*reader, error) {
	h, err := s.askHead(ctx, session)
	lost, ok := errors.AsType[*journal.Damage](err)
	if err != nil && !(ok && h.kind == kindFrame && from < lost.First && lost.First == h.last+1) {
		return nil, err
	}
	if h.seq == 0 || h.kind == kindRemoved || from > h.last {
		return nil, errNone
	}
	r := &reader{s: s, session: session, head: h, want: from, lost: lost}
	if r.gone, _, err = s.erased(ctx, session); err != nil {
		return nil, err
	}
	stream, subject := s.names.log(session)
	if r.place, err = s.find(ctx, session, from, h); err != nil {
		return nil, err
	}
	r.scan = scan{c: &s.client, stream: stream, subject: subject, seq: r.place, upto: h.seq}
	return r, nil
}

// find returns where in the stream the first message of a log stands that ends at the event with
// number from or behind it.
func (s *store) find(ctx context.Context, session string, from uint64, h head) (uint64, error) {
	if from <= 1 {
		return 1, nil
	}
	if from >= h.first && h.kind == kindFrame {
		return h.seq, nil
	}
	stream, subject := s.names.log(session)
	// The numbers of a log grow with those of the stream, so a bisection finds the place. Each question
	// gives the log's first message at the middle or behind it.
	low, high := uint64(1), h.seq
	for low < high {
		middle := low + (high-low)/2
		m, err := s.get(ctx, stream, question{Seq: middle, NextFor: subject})
		if errors.Is(err, errNone) {
			high = middle
			continue
		}
		if err != nil {
			return 0, err
		}
		switch r, err := decodeRecord(m); {
		case err != nil:
			return 0, foreign(session, err)
		case r.last >= from:
			high = middle
		default:
			low = m.seq + 1
		}
	}
	return low, nil
}

// maxLooks is how often a reader looks for what is missing. With three servers of which one is damaged
// it finds what the others have but for one time in two hundred.
const maxLooks = 6

// next returns the next frame, or errNone behind the last.
func (r *reader) next(ctx context.Context) (journal.Frame, error) {
	for {
		if err := r.peek(ctx); err != nil {
			return journal.Frame{}, err
		}
		// An erased frame comes first where it stands, whether the messages under it are gone yet or not.
		if f, ok := r.gone.at(r.want); ok && (r.ahead == nil || f.First <= r.ahead.first) {
			r.want = f.Last + 1
			return f, nil
		}
		again, err := r.lookAgain(ctx)
		if err != nil {
			return journal.Frame{}, err
		}
		if again {
			continue
		}
		if r.ahead == nil {
			return journal.Frame{}, r.end(ctx)
		}
		f := journal.Frame{First: r.ahead.first, Last: r.ahead.last, Data: r.ahead.frame}
		r.want, r.place, r.ahead, r.looks = max(r.want, f.Last+1), r.ahead.seq+1, nil, 0
		return f, nil
	}
}

// peek reads the next message that is a frame and was not erased into ahead, if there is one.
func (r *reader) peek(ctx context.Context) error {
	for r.ahead == nil {
		m, err := r.scan.next(ctx)
		if errors.Is(err, errNone) {
			return nil
		}
		if err != nil {
			return err
		}
		rec, err := decodeRecord(m)
		if err != nil {
			return foreign(r.session, err)
		}
		if rec.kind == kindFrame && !r.gone.covers(rec.first, rec.last) {
			r.ahead = &rec
		}
	}
	return nil
}

// lookAgain looks for the frames before the next one if any are missing: at the server that leads, then at
// any server, since the one that leads may be damaged, and among the frames that were erased meanwhile. It says
// whether it did.
//
// What nobody had after several looks is missing, and the journal says so when it sees the frame behind it.
func (r *reader) lookAgain(ctx context.Context) (bool, error) {
	complete := r.want > r.head.last
	if r.ahead != nil {
		complete = r.ahead.first <= r.want
	}
	if complete || r.looks == maxLooks {
		return false, nil
	}
	r.looks++
	// The server that was asked may be behind, or somebody erased since this read began.
	var err error
	r.gone, _, err = r.s.erased(ctx, r.session)
	r.ahead = nil
	r.scan.again(r.place, r.looks == 1)
	return true, err
}

// end returns errNone if the log was read to its end or was removed, and else what is missing.
func (r *reader) end(ctx context.Context) error {
	if r.want > r.head.last && r.lost != nil {
		return r.lost
	}
	if r.want > r.head.last {
		return errNone
	}
	// Removing a session takes its frames from under its readers.
	if h, err := r.s.askHead(ctx, r.session); err != nil || h.kind == kindRemoved {
		return cmp.Or(err, errNone)
	}
	return &journal.Damage{Session: r.session, First: r.want, Last: r.head.last, Reason: "they are missing"}
}

// scan reads the messages of a subject in order, up to one that is known to be there.
type scan struct {
	c       *client
	stream  string
	subject string // may end in a wildcard
	seq     uint64 // of the next message, or before it
	upto    uint64 // of the last message to read

	careful int // how many messages to ask of the server that leads, one by one
	waiting []message
}

// next returns the next message, or errNone behind the last. Batches come from any server; where one
// has no more messages before the last, the one that leads is asked.
func (s *scan) next(ctx context.Context) (message, error) {
	for len(s.waiting) == 0 {
		if s.seq > s.upto {
			return message{}, errNone
		}
		if err := s.fill(ctx); err != nil {
			return message{}, err
		}
	}
	// A batch may go on behind the last message; what was appended since is not for this reader.
	m := s.waiting[0]
	s.waiting = s.waiting[1:]
	s.seq = m.seq + 1
	if m.seq > s.upto {
		return message{}, errNone
	}
	return m, nil
}

// fill gets messages from seq on.
func (s *scan) fill(ctx context.Context) (err error) {
	q := question{Seq: max(s.seq, 1), NextFor: s.subject}
	if s.careful > 0 {
		m, err := s.c.get(ctx, s.stream, q)
		if errors.Is(err, errNone) {
			s.seq = s.upto + 1
			return nil
		}
		if err == nil {
			s.waiting, s.careful = []message{m}, s.careful-1
		}
		return err
	}
	s.waiting, err = s.c.batch(ctx, s.stream, q)
	if len(s.waiting) == 0 {
		s.careful = 1
	}
	return err
}

// again goes back to a place and asks for the next messages there, either the server that leads or any.
func (s *scan) again(seq uint64, careful bool) {
	s.seq, s.careful, s.waiting = seq, 0, nil
	if careful {
		s.careful = batchLength
	}
}

// records yields the messages of a session's log.
func (s *scan) records(ctx context.Context, session string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for {
			m, err := s.next(ctx)
			if errors.Is(err, errNone) {
				return
			}
			var r record
			if err == nil {
				if r, err = decodeRecord(m); err != nil {
					err = foreign(session, err)
				}
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// all yields the messages of a subject, which may end in a wildcard.
func (s *store) all(ctx context.Context, stream, subject string) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		end, err := s.get(ctx, stream, question{LastFor: subject})
		sc := scan{c: &s.client, stream: stream, subject: subject, upto: end.seq}
		for err == nil {
			var m message
			if m, err = sc.next(ctx); err == nil && !yield(m, nil) {
				return
			}
		}
		if !errors.Is(err, errNone) {
			yield(message{}, err)
		}
	}
}
