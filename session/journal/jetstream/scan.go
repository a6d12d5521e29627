package jetstream

import (
	"context"
	"errors"
	"iter"
)

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
