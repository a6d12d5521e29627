package jetstream

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"candor/session/journal"
)

// The kinds of messages in a session's log, their first byte.
const (
	kindFrame   = 'f' // a frame
	kindTail    = 't' // nothing: the frame that ended here was erased, and the number stays given
	kindRemoved = 'x' // nothing: the session was removed and may not begin anew
)

// recordHead is what stands before a frame in its message: kind, first and last number.
const recordHead = 1 + 8 + 8

// record is a message of a session's log.
type record struct {
	kind        byte
	first, last uint64
	frame       []byte
	seq         uint64 // of the message in its stream
}

// encode returns the message's bytes.
func (r record) encode() []byte {
	b := make([]byte, 0, recordHead+len(r.frame))
	b = append(b, r.kind)
	b = binary.BigEndian.AppendUint64(b, r.first)
	b = binary.BigEndian.AppendUint64(b, r.last)
	return append(b, r.frame...)
}

// decodeRecord reads a message back.
func decodeRecord(m message) (record, error) {
	if len(m.data) < recordHead || !strings.ContainsRune("ftx", rune(m.data[0])) {
		return record{}, fmt.Errorf("message %d of the stream is no frame of this version of Candor", m.seq)
	}
	return record{
		kind:  m.data[0],
		first: binary.BigEndian.Uint64(m.data[1:]),
		last:  binary.BigEndian.Uint64(m.data[9:]),
		frame: m.data[recordHead:],
		seq:   m.seq,
	}, nil
}

// foreign is the damage of a session whose log has a message that decodeRecord refused.
func foreign(session string, err error) error {
	return &journal.Damage{Session: session, Reason: err.Error()}
}

// maxToken bounds the length of an id within a subject.
const maxToken = 200

// tokenOf returns an id as one token of a subject. An id of letters, digits, - and _ stays as it is.
func tokenOf(id string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if id != "" && strings.IndexFunc(id, func(r rune) bool { return !plain(r) }) < 0 {
		return id
	}
	return "=" + base64.RawURLEncoding.EncodeToString([]byte(id))
}

// untoken returns the id of a token.
func untoken(token string) (id string, ok bool) {
	encoded, isEncoded := strings.CutPrefix(token, "=")
	if !isEncoded {
		return token, token != ""
	}
	raw, err := base64.RawURLEncoding.DecodeString(encoded)
	return string(raw), err == nil
}

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
