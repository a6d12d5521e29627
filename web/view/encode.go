package view

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"candor/safety"
	"candor/session"
)

// Line is an encoded frame: the event's name and its data, JSON without a line
// break, or, if the encoder has a function for it, all of it as it is sent. Lines are shared
// between clients and must not be changed.
type Line struct {
	Name string
	Data []byte
}

// Encoder encodes events once for all the clients that watch them: it keeps the
// lines of recent events, and of recent parts of running steps. It is safe for
// concurrent use and holds at most 256 of each, of maxShared bytes.
type Encoder struct {
	finish        func(session string, seq uint64, lines []Line)
	seed          maphash.Seed
	recent, texts encodedLines
}

// encodedLines is a cache. Consecutive entries of one session never share a place.
type encodedLines [256]struct {
	mu    sync.Mutex // held while an entry is made, so that nobody makes it twice
	entry atomic.Pointer[encodedEvent]
}

// encodedEvent is a cache entry. It is never changed once stored.
type encodedEvent struct {
	session string
	seq     uint64
	lines   []Line
}

// maxShared is the size up to which an event's lines are cached, in bytes.
const maxShared = 128 << 10

// NewEncoder returns an encoder with an empty cache. If finish is not nil, it gets the lines of each
// event once, before they are shared, and may replace their data; seq is 0 for parts of running
// steps, which have no position in the log.
func NewEncoder(finish func(session string, seq uint64, lines []Line)) *Encoder {
	return &Encoder{finish: finish, seed: maphash.MakeSeed()}
}

// Lines returns the frames of an update in order, encoded. Its turn must be the one that
// its event led to. Lines fails if that turn cannot be read.
func (c *Encoder) Lines(up session.Update) ([]Line, error) {
	cache, id, number := &c.recent, up.Event.Session, up.Event.Seq
	if up.Text != nil {
		cache, id, number = &c.texts, up.Text.Session, up.Text.Number
	}
	slot := &cache[c.index(id, number)]
	if hit := slot.entry.Load(); hit.is(id, number) {
		return hit.lines, nil
	}
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if hit := slot.entry.Load(); hit.is(id, number) {
		return hit.lines, nil
	}
	lines, err := c.encode(up)
	if err != nil {
		return nil, err
	}
	fresh := &encodedEvent{id, number, lines}
	size := 0
	for _, l := range fresh.lines {
		size += len(l.Data)
	}
	if size <= maxShared {
		slot.entry.Store(fresh)
	}
	return fresh.lines, nil
}

// is reports whether an entry is that of an event of a session.
func (e *encodedEvent) is(session string, seq uint64) bool {
	return e != nil && e.seq == seq && e.session == session
}

// encode encodes the frames of an update.
func (c *Encoder) encode(up session.Update) ([]Line, error) {
	if t := up.Text; t != nil {
		return c.finished(t.Session, 0, []Frame{StepText(*t)}), nil
	}
	turn, err := up.Folded()
	if err != nil {
		return nil, err
	}
	return c.finished(up.Event.Session, up.Event.Seq, Frames(turn, up.Event)), nil
}

// finished encodes frames and finishes their lines.
func (c *Encoder) finished(session string, seq uint64, frames []Frame) []Line {
	lines := encodeFrames(frames)
	if c.finish != nil {
		c.finish(session, seq, lines)
	}
	return lines
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
	data, err := safety.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return data
}
