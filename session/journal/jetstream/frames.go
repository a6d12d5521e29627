package jetstream

import (
	"context"
	"errors"
	"fmt"

	"candor/session/journal"
)

// frames keeps a session's frames, each as a message on the session's subject.
type frames struct{ s *store }

// Append keeps f as one message that the server takes only if the log's last message is still the
// one that ends before f. Whoever gets ErrConflict finds what was first when it reads.
func (e frames) Append(ctx context.Context, session string, f journal.Frame) error {
	e.s.waiting.Add(1)
	defer e.s.waiting.Add(-1)
	stream, subject := e.s.names.log(session)
	if len(subject) > maxToken {
		return fmt.Errorf("%w: the session's id is too long", journal.ErrUnavailable)
	}
	// The head that was remembered spares a question in all but the first append, and the server
	// refuses the append if it is no longer right.
	r := record{kind: kindFrame, first: f.First, last: f.Last, frame: f.Data}
	h, known := e.s.heads.get(session)
	for range attempts(ctx) {
		if !known || h.last != f.First-1 || h.kind == kindRemoved {
			var err error
			if h, err = e.expect(ctx, session, f.First); err != nil {
				return err
			}
		}
		seq, err := e.s.publish(ctx, stream, subject, r.encode(), h.seq)
		if err == nil {
			e.s.heads.put(session, head{first: f.First, last: f.Last, seq: seq, kind: kindFrame})
		}
		if !errors.Is(err, journal.ErrConflict) {
			return err
		}
		// Another frame, or the same end in another message: the server that leads knows, now or soon.
		known = false
	}
	return fmt.Errorf("%w: the NATS server that leads stream %s refuses it, although nobody was first",
		journal.ErrUnavailable, stream)
}

// expect returns the head of a log that ends before the event with number first.
func (e frames) expect(ctx context.Context, session string, first uint64) (head, error) {
	h, err := e.s.askHead(ctx, session)
	switch {
	case err != nil:
		return h, err
	case h.kind == kindRemoved:
		return h, fmt.Errorf("%w: the session was removed", journal.ErrConflict)
	case h.last != first-1:
		return h, journal.ErrConflict
	}
	return h, nil
}
