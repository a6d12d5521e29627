package web

import (
	"hash/maphash"
	"sync/atomic"

	"candor/session"
)

// encoder turns events into messages, once for all the clients that watch: what
// it made last is shared. It is safe for concurrent use and holds at most
// len(recent) events of maxShared bytes each.
type encoder struct {
	seed   maphash.Seed
	recent [256]atomic.Pointer[encoded]
}

// encoded is an event's messages. They are shared and never changed.
type encoded struct {
	session  string
	seq      uint64
	messages []message
}

// maxShared is how large an event may be to be kept for the next client, in bytes.
const maxShared = 128 << 10

func newEncoder() *encoder { return &encoder{seed: maphash.MakeSeed()} }

// messages are the frames of an event, ready to be sent. Only the last carries
// the event's own id; the others say how far into it they are.
func (c *encoder) messages(up session.Update) []message {
	slot := &c.recent[c.slot(up.Event)]
	if hit := slot.Load(); hit != nil && hit.session == up.Event.Session && hit.seq == up.Event.Seq {
		return hit.messages
	}
	made := &encoded{up.Event.Session, up.Event.Seq, encode(up)}
	size := 0
	for _, m := range made.messages {
		size += len(m.data)
	}
	if size <= maxShared {
		slot.Store(made)
	}
	return made.messages
}

func (c *encoder) slot(e session.Event) uint64 {
	return (maphash.String(c.seed, e.Session) + e.Seq) % uint64(len(c.recent))
}

func encode(up session.Update) []message {
	frames := project(up.Turn, up.Event)
	out := make([]message, len(frames))
	for i, f := range frames {
		at := CursorAt(up.Event.Session, up.Event.Seq, i+1, len(frames))
		out[i] = message{id: at, name: f.name, data: encodeLine(f.data)}
	}
	return out
}

// encodeLine is JSON on one line. The values are our own types, so it cannot
// fail; if it did, the client would see an empty object.
func encodeLine(v any) []byte {
	b, err := marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return b
}
