package view

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"sync/atomic"

	"candor/session"
)

// Line is an encoded frame: the event's name and its data, JSON without a line
// break. Lines are shared between clients and must not be changed.
type Line struct {
	Name string
	Data []byte
}

// Encoder encodes events once for all the clients that watch them: it keeps the
// lines of recent events, and of recent parts of running steps. It is safe for
// concurrent use and holds at most 256 of each, of maxShared bytes.
type Encoder struct {
	seed          maphash.Seed
	recent, texts encodedLines
}

// encodedLines is a cache. Consecutive entries of one session never share a place.
type encodedLines [256]atomic.Pointer[encodedEvent]

// encodedEvent is a cache entry. It is never changed once stored.
type encodedEvent struct {
	session string
	seq     uint64
	lines   []Line
}

// maxShared is the size up to which an event's lines are cached, in bytes.
const maxShared = 128 << 10

// NewEncoder returns an encoder with an empty cache.
func NewEncoder() *Encoder { return &Encoder{seed: maphash.MakeSeed()} }

// Lines returns the frames of an update in order, encoded. Its turn must be the one that
// its event led to.
func (c *Encoder) Lines(up session.Update) []Line {
	if t := up.Text; t != nil {
		return c.shared(&c.texts, t.Session, t.Number, func() []Frame { return []Frame{StepText(*t)} })
	}
	return c.shared(&c.recent, up.Event.Session, up.Event.Seq, func() []Frame { return Frames(up.Turn, up.Event) })
}

// shared returns the lines of an event of a session from the cache, or encodes its frames
// and stores them there.
func (c *Encoder) shared(cache *encodedLines, id string, seq uint64, frames func() []Frame) []Line {
	slot := &cache[c.index(id, seq)]
	if hit := slot.Load(); hit != nil && hit.session == id && hit.seq == seq {
		return hit.lines
	}
	fresh := &encodedEvent{id, seq, encodeFrames(frames())}
	size := 0
	for _, l := range fresh.lines {
		size += len(l.Data)
	}
	if size <= maxShared {
		slot.Store(fresh)
	}
	return fresh.lines
}

// index returns the only possible place of an event, or a part, in its cache.
func (c *Encoder) index(id string, seq uint64) uint64 {
	return (maphash.String(c.seed, id) + seq) % uint64(len(encodedLines{}))
}

func encodeFrames(frames []Frame) []Line {
	lines := make([]Line, len(frames))
	for i, f := range frames {
		lines[i] = Line{Name: f.Name, Data: encodeLine(f.Data)}
	}
	return lines
}

// encodeLine encodes v, which is one of our own types and therefore encodes. If it
// did not, the client would get an empty object instead of a broken stream.
func encodeLine(v any) []byte {
	data, err := Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return data
}

// Marshal encodes v as JSON on one line. It leaves < > & as they are: clients put
// text into text nodes, and escapes would only make it longer and harder to read.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
