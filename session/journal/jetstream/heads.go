package jetstream

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"candor/session/journal"
)

// head is the last message of a session's log. The zero head is that of a log without any.
type head struct {
	first, last uint64 // numbers of its events
	seq         uint64 // of the message
	kind        byte
}

// maxHeads is how many heads are remembered; any others are asked for.
const maxHeads = 10_000

// heads remembers the heads of sessions. It is safe for concurrent use.
type heads struct {
	mu  sync.Mutex
	all map[string]head
}

// get returns the head of a session, if it is remembered.
func (h *heads) get(session string) (head, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	found, ok := h.all[session]
	return found, ok
}

// put remembers a head that is not before the one it knows.
func (h *heads) put(session string, is head) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[string]head{}
	}
	if is.seq < h.all[session].seq {
		return
	}
	if _, known := h.all[session]; !known && len(h.all) >= maxHeads {
		for other := range h.all {
			delete(h.all, other)
			break
		}
	}
	h.all[session] = is
}

// askHead asks the server that leads for the last message of a session's log. A log that ends
// before what this process knows to be kept is damaged, or its server is behind.
func (s *store) askHead(ctx context.Context, session string) (head, error) {
	known, ok := s.heads.get(session) // before asking, since others append meanwhile
	stream, subject := s.names.log(session)
	m, err := s.get(ctx, stream, question{LastFor: subject})
	var now head
	switch {
	case errors.Is(err, errNone):
	case err != nil:
		return head{}, err
	default:
		r, err := decodeRecord(m)
		if err != nil {
			return head{}, foreign(session, err)
		}
		now = head{first: r.first, last: r.last, seq: r.seq, kind: r.kind}
	}
	if ok && now.seq < known.seq {
		return now, s.missing(ctx, session, now, known)
	}
	s.heads.put(session, now)
	return now, nil
}

// missing returns the error for a log whose head now is before one that it had.
func (s *store) missing(ctx context.Context, session string, now, known head) error {
	name, _ := s.names.log(session)
	stream, err := s.js.Stream(ctx, name)
	if err != nil {
		return askError(err)
	}
	// A server that led before and was cut off may still answer, with what it knew then.
	if s.options.Replicas > 1 && stream.CachedInfo().State.LastSeq < known.seq {
		return fmt.Errorf("%w: the NATS server that leads stream %s has less than was kept; it is behind or damaged",
			journal.ErrUnavailable, name)
	}
	return &journal.Damage{Session: session, First: now.last + 1, Last: max(now.last+1, known.last),
		Reason: "NATS kept them and has them no more"}
}
