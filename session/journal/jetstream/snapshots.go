package jetstream

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"
	js "github.com/nats-io/nats.go/jetstream"

	"candor/session/journal"
)

// snapshots keeps a session's latest snapshot in pieces, sealed with a key that is in a cell. What
// was sealed is gone when the key is: overwriting large messages one by one would take NATS long.
type snapshots struct{ s *store }

// index says where a snapshot is.
type index struct {
	ID     uuid.UUID // which stands before each piece
	Key    []byte
	First  uint64 // number of the message with the first piece
	Pieces int
}

// The size of a piece, and of all pieces together.
const (
	pieceSize   = 512 << 10
	maxSnapshot = 256 << 20
)

// Save writes the pieces, then the cell that says where they are, and overwrites the cell before.
func (e snapshots) Save(ctx context.Context, session string, data []byte) error {
	before, err := e.s.cell(ctx, cellSnapshot, session)
	if err != nil {
		return err
	}
	if len(data) == 0 {
		if err := e.s.eraseCell(ctx, cellSnapshot, session, endOfStream); err != nil {
			return err
		}
		return e.purge(ctx, session, 0)
	}
	if len(data) > maxSnapshot {
		return fmt.Errorf("%w: a snapshot of %d bytes is too large", journal.ErrUnavailable, len(data))
	}
	in, err := e.write(ctx, session, data)
	if err != nil {
		return err
	}
	value, err := json.Marshal(in)
	if err != nil {
		return err
	}
	seq, err := e.s.setCell(ctx, cellSnapshot, session, value, before.seq)
	if err != nil {
		return err
	}
	// The key goes first: without it the pieces are noise, wherever they are left.
	if err := e.s.eraseCell(ctx, cellSnapshot, session, seq); err != nil {
		return err
	}
	return e.purge(ctx, session, in.First)
}

// write seals the pieces of a snapshot and sends them.
func (e snapshots) write(ctx context.Context, session string, data []byte) (in index, err error) {
	in.ID, in.Key = uuid.New(), make([]byte, 32)
	_, _ = rand.Read(in.Key)
	seal, err := in.aead()
	if err != nil {
		return in, err
	}
	for piece := range slices.Chunk(data, pieceSize) {
		sealed := seal.Seal(slices.Clone(in.ID[:]), in.nonce(in.Pieces), piece, nil)
		ctx, cancel := context.WithTimeout(ctx, e.s.timeout)
		ack, err := e.s.js.Publish(ctx, e.s.names.snapshot(session), sealed, js.WithExpectStream(e.s.names.pieces()))
		cancel()
		if err != nil {
			return in, sendError(err)
		}
		if in.Pieces == 0 {
			in.First = ack.Sequence
		}
		in.Pieces++
	}
	return in, nil
}

// aead returns what seals and opens the pieces.
func (in index) aead() (cipher.AEAD, error) {
	block, err := aes.NewCipher(in.Key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// nonce is that of a piece; the key is of one snapshot only.
func (in index) nonce(piece int) []byte {
	return binary.BigEndian.AppendUint32(make([]byte, 8), uint32(piece))
}

// purge removes the pieces before a place in the stream, or all of them if it is 0.
func (e snapshots) purge(ctx context.Context, session string, before uint64) error {
	st, err := e.s.js.Stream(ctx, e.s.names.pieces())
	if err != nil {
		return askError(err)
	}
	opts := []js.StreamPurgeOpt{js.WithPurgeSubject(e.s.names.snapshot(session))}
	if before > 0 {
		opts = append(opts, js.WithPurgeSequence(before))
	}
	return askError(st.Purge(ctx, opts...))
}

// Load reads the pieces back. A snapshot that is not whole is none.
func (e snapshots) Load(ctx context.Context, session string) ([]byte, error) {
	m, err := e.s.cell(ctx, cellSnapshot, session)
	if err != nil {
		return nil, err
	}
	var in index
	if m.seq == 0 || json.Unmarshal(m.data, &in) != nil || in.Pieces > maxSnapshot/pieceSize {
		return nil, journal.ErrNoSnapshot
	}
	seal, err := in.aead()
	if err != nil {
		return nil, journal.ErrNoSnapshot
	}
	end, err := e.s.get(ctx, e.s.names.pieces(), question{LastFor: e.s.names.snapshot(session)})
	if err != nil {
		return nil, noSnapshot(err)
	}
	sc := scan{c: &e.s.client, stream: e.s.names.pieces(), subject: e.s.names.snapshot(session),
		seq: in.First, upto: end.seq}
	// The pieces are opened in their order; one that is missing, altered or of another snapshot fails.
	var data []byte
	for piece := 0; piece < in.Pieces; {
		m, err := sc.next(ctx)
		if err != nil {
			return nil, noSnapshot(err)
		}
		sealed, mine := bytes.CutPrefix(m.data, in.ID[:])
		if !mine {
			continue // of another process that saves at the same time
		}
		if data, err = seal.Open(data, in.nonce(piece), sealed, nil); err != nil {
			return nil, journal.ErrNoSnapshot
		}
		piece++
	}
	return data, nil
}

// noSnapshot says that there is no snapshot if pieces are missing.
func noSnapshot(err error) error {
	if errors.Is(err, errNone) {
		return journal.ErrNoSnapshot
	}
	return err
}

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
