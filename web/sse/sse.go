package sse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	r3labs "github.com/r3labs/sse/v2"
)

// Message is one event of a stream, ready to be sent.
type Message struct {
	ID        Cursor // the zero value sends no id: the client's position stays where it is
	Name      string // of the event; must not be empty
	Data      []byte // one line; must not be empty
	Heartbeat bool   // send a comment that keeps the connection alive, and nothing else
}

// Requested reports whether the client accepts server-sent events.
func Requested(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}

// Server serves event streams through r3labs/sse, which frames the events. This
// file is the only one that knows the library, and it avoids what loses, repeats or
// blocks in it: each connection has a stream of its own, so that a slow reader
// delays nobody else; replay, automatic creation and expiry of streams are off;
// events are published only once the subscriber is registered; each event has data
// or a comment. A Server is safe for concurrent use.
type Server struct {
	library      *r3labs.Server
	writeTimeout time.Duration
	lastID       atomic.Uint64
	cutOff       atomic.Uint64 // streams whose client did not read
	subscribed   sync.Map      // stream id → chan struct{}, closed when its subscriber is registered
}

// NewServer returns a server that gives up on a client that has not read for
// writeTimeout.
func NewServer(writeTimeout time.Duration) *Server {
	s := &Server{library: r3labs.New(), writeTimeout: writeTimeout}
	s.library.AutoReplay = false
	s.library.AutoStream = false
	s.library.BufferSize = maxPending
	s.library.OnSubscribe = func(id string, _ *r3labs.Subscriber) {
		if ch, ok := s.subscribed.Load(id); ok {
			close(ch.(chan struct{}))
		}
	}
	return s
}

// CutOff returns how many streams ended because their client had not read for the write timeout.
func (s *Server) CutOff() uint64 { return s.cutOff.Load() }

// Serve sends the messages of source until source ends, the client disconnects, or
// it has not read for the write timeout; the last two cancel source's context. It calls slow,
// between two messages of source, before it waits for a client that reads slowly. Serve
// returns when nothing of the stream is left running.
func (s *Server) Serve(
	w http.ResponseWriter, r *http.Request, source func(context.Context) iter.Seq[Message], slow func(),
) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	id := strconv.FormatUint(s.lastID.Add(1), 10)
	subscribed := make(chan struct{})
	s.subscribed.Store(id, subscribed)
	s.library.CreateStream(id)
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Time{}) // the server's deadline for requests, which a stream outlives
	out := &streamWriter{ResponseWriter: w, rc: rc, timeout: s.writeTimeout, cancel: cancel, cutOff: &s.cutOff}
	out.written = make(chan struct{}, 1)
	out.bufferPreamble()

	var publisher sync.WaitGroup
	publisher.Go(func() {
		defer out.sourceEnded()
		select {
		case <-subscribed:
		case <-ctx.Done():
			return
		}
		for m := range source(ctx) {
			if !out.awaitRoom(ctx, slow) {
				return
			}
			out.unsent.Add(int64(len(m.Data)))
			out.pending.Add(1)
			s.library.Publish(id, m.event())
		}
	})

	inner := r.Clone(ctx)
	inner.URL.RawQuery = "stream=" + id
	inner.Header.Del("Last-Event-ID") // the library would parse it as a number
	s.library.ServeHTTP(out, inner)

	// The order matters: the library leaks its goroutine if the stream is removed first.
	cancel()
	publisher.Wait()
	s.library.RemoveStream(id)
	s.subscribed.Delete(id)
}

// event converts the message for the library. Its data is never empty and holds no
// line break, so it cannot end the frame.
func (m Message) event() *r3labs.Event {
	if m.Heartbeat {
		return &r3labs.Event{Comment: []byte("heartbeat")}
	}
	e := &r3labs.Event{Event: []byte(m.Name), Data: m.Data}
	if m.ID.Session != "" {
		e.ID = []byte(m.ID.String())
	}
	return e
}

// streamWriter is the response that the library writes to. It puts the fields of each
// block in order and combines blocks into few writes, each with a deadline. Once a write
// has failed it discards the rest, because the library must go on draining its channel
// until it is told to stop.
type streamWriter struct {
	http.ResponseWriter
	rc      *http.ResponseController
	timeout time.Duration
	cancel  context.CancelFunc
	cutOff  *atomic.Uint64

	buf     []byte
	id      []byte       // the id line of the block being written, until the block ends
	data    bool         // the block being written has data
	opened  bool         // the headers have been flushed
	dead    bool         // a write has failed
	pending atomic.Int64 // events published and not yet flushed
	ended   atomic.Bool  // nothing more will be published

	unsent  atomic.Int64  // bytes of events published and not yet written
	written chan struct{} // has an element if some were written since it was last read
}

// What may wait for a client that reads slowly.
const (
	// maxUnsent is how many bytes of events may wait, besides the event that is being written.
	// The library alone would hold a hundred events, of any size.
	maxUnsent = 256 << 10
	// maxPending is how many events may wait, so that the library always has room for one more.
	maxPending = 64
)

// awaitRoom waits until another event may wait. It calls slow first if there is no room, and
// returns false if ctx ends before there is.
func (w *streamWriter) awaitRoom(ctx context.Context, slow func()) bool {
	for w.unsent.Load() > maxUnsent || w.pending.Load() >= maxPending {
		slow()
		select {
		case <-w.written:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// countWritten counts a line of data that the library has handed over.
func (w *streamWriter) countWritten(line []byte) {
	w.unsent.Add(int64(len("data: \n") - len(line)))
	w.wake()
}

// wake makes awaitRoom look again.
func (w *streamWriter) wake() {
	select {
	case w.written <- struct{}{}:
	default:
	}
}

// maxBuffered is how many bytes of a backlog are sent in one write.
const maxBuffered = 16 << 10

// bufferPreamble prepares the first bytes of the stream. They make proxies forward
// the headers at once, and spread the reconnects of browsers over two seconds.
func (w *streamWriter) bufferPreamble() {
	w.buf = fmt.Appendf(nil, ": candor\nretry: %d\n", 2000+rand.IntN(2000))
}

// WriteHeader implements http.ResponseWriter.
func (w *streamWriter) WriteHeader(status int) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	h.Del("Connection") // meaningless in HTTP/2, implied in 1.1
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. It never fails. The library calls it with one line
// at a time, and begins each block with its id line. Write moves that line to the end,
// leaves it out if the id is empty, and does not end a block without data.
func (w *streamWriter) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte("data: ")) {
		w.countWritten(p)
	}
	switch {
	case w.dead:
	case bytes.HasPrefix(p, []byte("id: ")):
		w.id = append(w.id[:0], p...)
	case len(p) == 1: // the line break that ends the block
		if len(w.id) > len("id: \n") {
			w.buf = append(w.buf, w.id...)
		}
		if w.data {
			w.buf = append(w.buf, p...)
		}
		w.id, w.data = w.id[:0], false
	default:
		w.data = w.data || bytes.HasPrefix(p, []byte("data: "))
		w.buf = append(w.buf, p...)
	}
	return len(p), nil
}

// Flush implements http.Flusher. The library calls it once after the headers and
// after each event.
func (w *streamWriter) Flush() {
	left := int64(0)
	if w.opened {
		left = w.pending.Add(-1)
		w.wake()
	}
	w.opened = true
	if left == 0 || len(w.buf) >= maxBuffered {
		w.send()
	}
	if left == 0 && w.ended.Load() {
		w.cancel()
	}
}

// sourceEnded records that nothing more will be published, and ends the stream once
// everything published has been flushed.
func (w *streamWriter) sourceEnded() {
	w.ended.Store(true)
	if w.pending.Load() == 0 {
		w.cancel()
	}
}

func (w *streamWriter) send() {
	if w.dead || len(w.buf) == 0 {
		return
	}
	// It fails only for a writer without a connection, such as a test recorder.
	_ = w.rc.SetWriteDeadline(time.Now().Add(w.timeout))
	_, err := w.ResponseWriter.Write(w.buf)
	if err == nil {
		err = w.rc.Flush()
	}
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			w.cutOff.Add(1)
		}
		w.dead = true
		w.cancel()
	}
	w.buf = w.buf[:0]
	if cap(w.buf) > 4*maxBuffered || w.dead {
		w.buf = nil
	}
}
