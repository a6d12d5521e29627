package jetstream

import (
	"encoding/base64"
	"encoding/binary"
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
