package wrapper

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"candor/attach"
)

// The bounds of what waits to be recorded, in bytes.
const (
	maxWaiting = 8 << 20
	maxBatch   = 1 << 20
)

// How long a batch may take, how long the pauses are while nobody takes it, and how long the end waits.
const (
	sendTime   = 10 * time.Second
	firstPause = time.Second
	maxPause   = 30 * time.Second
	endTime    = time.Second
)

// refusal is the error of a batch that will be refused again.
type refusal struct{ error }

// Unwrap returns the reason for the refusal.
func (r refusal) Unwrap() error { return r.error }

// Refused wraps an error to say that the same batch will be refused again.
func Refused(why error) error { return refusal{why} }

// Recorder sends facts in batches, in parallel with the messages that contain them. Only Close waits for it. Unsent
// facts wait in bounded memory; the oldest are dropped first. It is safe for concurrent use.
type Recorder struct {
	send func(ctx context.Context, batch []byte) error
	said func(trouble error)

	mu sync.Mutex
	// The facts that wait, the oldest first, how many bytes they have, and how many more were dropped or refused.
	waiting     [][]byte
	bytes, lost int
	// Whether the person has heard of trouble.
	trouble bool

	// more says that facts wait, done that no more will come, ended that the goroutine is gone.
	more, done, ended chan struct{}
	// Ends a batch that is under way.
	stop context.CancelFunc
}

// Record returns a recorder. send takes a batch of sightings, one per line. If its error is not [Refused], the same
// batch may be sent again later. said receives the first error, once.
func Record(send func(ctx context.Context, batch []byte) error, said func(trouble error)) *Recorder {
	ctx, stop := context.WithCancel(context.Background())
	r := &Recorder{
		send: send, said: said, more: make(chan struct{}, 1), done: make(chan struct{}), ended: make(chan struct{}),
		stop: stop,
	}
	go r.run(ctx)
	return r
}

// Add queues facts and returns at once. It keeps no reference to their memory.
func (r *Recorder) Add(facts []attach.Sighting) {
	if len(facts) == 0 {
		return
	}
	lines := make([][]byte, 0, len(facts))
	for _, f := range facts {
		if one := line(f); one != nil {
			lines = append(lines, one)
		}
	}
	// Encoding takes longer than adding, so it is done without the lock.
	r.mu.Lock()
	for _, one := range lines {
		r.waiting, r.bytes = append(r.waiting, one), r.bytes+len(one)
	}
	r.bound()
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default: // it knows already
	}
}

// bound drops the oldest facts that have no room.
func (r *Recorder) bound() {
	for r.bytes > maxWaiting {
		r.bytes -= len(r.waiting[0])
		r.waiting = r.waiting[1:]
		r.lost++
	}
}

// Close sends the waiting facts, for at most a second, and returns how many facts are lost. Facts added later are not
// sent.
func (r *Recorder) Close() (lost int) {
	// A client waits for us to end, and kills us if it has to wait for long.
	timer := time.AfterFunc(endTime, r.stop)
	defer timer.Stop()
	close(r.done)
	<-r.ended
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost + len(r.waiting)
}

// run sends batches until the end.
func (r *Recorder) run(ctx context.Context) {
	defer close(r.ended)
	pause := time.Duration(0)
	// Every way out of the loop is the end of the recorder; what waits then is lost.
	for ctx.Err() == nil {
		batch, n := r.next()
		if n == 0 {
			select {
			case <-r.more:
			case <-r.done:
				// What came before the end may have come just now.
				if _, n = r.next(); n == 0 {
					return
				}
			}
			continue
		}
		if pause = r.try(ctx, batch, n, pause); pause == 0 {
			continue
		}
		select {
		case <-time.After(pause):
		case <-r.done:
			if batch, n = r.next(); n > 0 {
				r.try(ctx, batch, n, pause) // once more, and then it is over
			}
			return
		}
	}
}

// next returns the oldest facts as a batch, which stay until they are sent.
func (r *Recorder) next() (batch []byte, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// One fact always fits, since its texts are bounded.
	for _, one := range r.waiting {
		if n > 0 && len(batch)+len(one) > maxBatch {
			break
		}
		batch, n = append(batch, one...), n+1
	}
	return batch, n
}

// try sends a batch of n facts, and returns how long to wait before it is sent again, or 0 if it is off the list.
func (r *Recorder) try(ctx context.Context, batch []byte, n int, last time.Duration) (pause time.Duration) {
	r.mu.Lock()
	lost := r.lost
	r.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, sendTime)
	defer stop()
	err := r.send(ctx, batch)
	_, refused := errors.AsType[refusal](err)
	r.mu.Lock()
	if err == nil || refused {
		// Some of them may have been dropped meanwhile, which are not lost if they arrived.
		gone := min(r.lost-lost, n)
		for _, one := range r.waiting[:n-gone] {
			r.bytes -= len(one)
		}
		r.waiting = r.waiting[n-gone:]
		if r.lost -= gone; refused {
			r.lost += n
		}
	}
	// A person who reads the same line again and again reads no other.
	first := err != nil && !r.trouble
	r.trouble = r.trouble || err != nil
	r.mu.Unlock()
	if first {
		r.said(err)
	}
	if err == nil || refused {
		return 0
	}
	return min(max(2*last, firstPause), maxPause)
}

// The bounds of a fact, in bytes. With its escapes it then fits into a batch.
const (
	maxText   = 128 << 10 // of an error, of parameters or a result
	maxName   = 1 << 10   // of the name of a tool, a version
	maxReason = 16 << 10
	maxBlob   = 256 // of text in base64, from where on only its size is kept
)

// line returns a sighting as a line of a batch, within bounds. It shares no memory with s.
func line(s attach.Sighting) []byte {
	// Copies are cut, since the caller's facts are the caller's.
	switch {
	case s.About != nil:
		about := *s.About
		about.Version, about.Title = cut(about.Version, maxName), cut(about.Title, maxName)
		s.About = &about
	case s.Called != nil:
		called := *s.Called
		called.Tool, called.Reason = cut(called.Tool, maxName), cut(called.Reason, maxReason)
		called.Params, _ = bounded(called.Params)
		s.Called = &called
	case s.Returned != nil:
		returned := *s.Returned
		returned.Error = cut(returned.Error, maxText)
		var part bool
		returned.Result, part = bounded(returned.Result)
		returned.Partial = returned.Partial || part
		s.Returned = &returned
	}
	out, err := json.Marshal(s)
	if err != nil {
		return nil // a value that is no JSON, which nobody gives us
	}
	return append(out, '\n')
}

// cut returns a text of at most limit bytes that is valid UTF-8.
func cut(text string, limit int) string {
	if len(text) > limit {
		for limit > 0 && !utf8.RuneStart(text[limit]) {
			limit--
		}
		text = text[:limit] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// bounded returns a value within maxText, without pictures and other bytes in base64, and whether something is missing.
// Long strings are cut first, since the shape of a value tells more than the end of one string in it. If that is not
// enough, only its beginning is left, as a string.
func bounded(raw json.RawMessage) (value json.RawMessage, partial bool) {
	value = shortened(raw, len(raw))
	for limit := maxText / 4; len(value) > maxText && limit >= 1<<10; limit /= 4 {
		value, partial = shortened(raw, limit), true
	}
	if len(value) > maxText {
		value, _ = json.Marshal(cut(string(raw[:maxText/4]), maxText/4)) // of a string
	}
	return value, partial
}

// shortened returns a value whose strings have at most limit bytes and a few, with the sizes of blobs instead of them.
func shortened(raw []byte, limit int) []byte {
	var out []byte
	at := 0
	// Only strings are looked at. What stands between them is short, or there are very many parts of it.
	for {
		quote := bytes.IndexByte(raw[at:], '"')
		end := -1
		if quote >= 0 {
			end = closing(raw, at+quote)
		}
		if end < 0 {
			return append(out, raw[at:]...)
		}
		from := at + quote
		out = append(out, raw[at:from]...)
		switch text := raw[from+1 : end]; {
		case isBlob(text):
			out = append(out, `"(`+strconv.Itoa(len(text))+` bytes in base64, left out)"`...)
		case len(text) > limit:
			short, _ := json.Marshal(cut(decoded(raw[from:end+1]), limit)) // of a string
			out = append(out, short...)
		default:
			out = append(out, raw[from:end+1]...)
		}
		at = end + 1
	}
}

// isBlob reports whether a text is so long, and so much in the letters of base64, that nobody would read it.
func isBlob(text []byte) bool {
	if len(text) < maxBlob {
		return false
	}
	// Both alphabets of base64 count. Words have spaces between them.
	for _, b := range text {
		letter := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
		if !letter && b != '+' && b != '/' && b != '=' && b != '-' && b != '_' {
			return false
		}
	}
	return true
}
