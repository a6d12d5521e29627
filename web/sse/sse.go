package sse

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Message is one event of a stream, ready to be sent. One without a name and a heartbeat sends
// nothing but what waits for it.
type Message struct {
	ID        Cursor // the zero value sends no id: the client's position stays where it is
	Name      string // of the event
	Data      []byte // one line; must not be empty
	Frame     []byte // the event as [Encode] made it, which replaces Name and Data; may be shared
	More      bool   // another message follows at once, with which this one may be sent
	Heartbeat bool   // send a comment that keeps the connection alive, and nothing else
}

// Requested reports whether the client accepts server-sent events.
func Requested(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}

// Server serves event streams. A stream has no goroutine, queue or buffer of its own: it runs its
// source in the request's goroutine, and while it waits it holds nothing. A Server is safe for
// concurrent use.
type Server struct {
	writeTimeout time.Duration
	cutOff       atomic.Uint64 // streams whose client did not read
}

// NewServer returns a server that gives up on a client that has not read for
// writeTimeout.
func NewServer(writeTimeout time.Duration) *Server { return &Server{writeTimeout: writeTimeout} }

// CutOff returns how many streams ended because their client had not read for the write timeout.
func (s *Server) CutOff() uint64 { return s.cutOff.Load() }

// Serve sends the messages of source until source ends, the client disconnects, which cancels
// source's context, or the client has not read for the write timeout, which stops the iteration.
// It sends no event that is longer than the request wants; see [Wanted]. It calls slow, between two
// messages of source, before each write, since that may wait for a client that reads slowly.
func (s *Server) Serve(
	w http.ResponseWriter, r *http.Request, source func(context.Context) iter.Seq[Message], slow func(),
) {
	out := stream{w: w, rc: http.NewResponseController(w), timeout: s.writeTimeout, slow: slow, max: maxEvent(r)}
	defer func() {
		if errors.Is(out.failed, os.ErrDeadlineExceeded) {
			s.cutOff.Add(1)
		}
	}()
	out.conn, _ = r.Context().Value(connKey{}).(*combiningConn)
	_ = out.rc.SetReadDeadline(time.Time{}) // the server's deadline for requests, which a stream outlives
	setHeaders(w.Header())
	w.WriteHeader(http.StatusOK)
	if !out.send(preamble()) {
		return
	}
	for m := range source(r.Context()) {
		if !out.add(m) {
			return
		}
	}
	if out.waiting != nil {
		out.add(Message{})
	}
}

func setHeaders(h http.Header) {
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
}

// preamble returns the first bytes of a stream. They make proxies forward the headers at once, and
// spread the reconnects of browsers over two seconds.
func preamble() []byte { return fmt.Appendf(nil, ": candor\nretry: %d\n", 2000+rand.IntN(2000)) }

// heartbeat is a comment. It does not end a block.
var heartbeat = []byte(": heartbeat\n")

// maxBuffered is how many bytes of messages wait for further ones, besides the last of them.
const maxBuffered = 16 << 10

// waitingFrames has lists for streams in which messages wait. A stream has one only between two
// messages that follow each other at once.
var waitingFrames = sync.Pool{New: func() any { return new([][]byte) }}

// stream is the response to one client. After add or send has returned false, the client has
// gone.
type stream struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	conn    *combiningConn // nil if it cannot combine writes
	timeout time.Duration
	slow    func()
	max     int       // bytes of an event; 0 for any number
	waiting *[][]byte // frames that wait for the next one; nil if none do
	size    int       // of all that wait
	failed  error     // of a write
}

// add sends a message, or lets it wait for the one that follows at once.
func (o *stream) add(m Message) bool {
	frame := Fit(m.frame(), o.max)
	if o.waiting == nil && !m.More {
		return o.send(frame)
	}
	if o.waiting == nil {
		o.waiting = waitingFrames.Get().(*[][]byte)
	}
	*o.waiting = append(*o.waiting, frame)
	if o.size += len(frame); m.More && o.size < maxBuffered {
		return true
	}
	sent := o.send(*o.waiting...)
	clear(*o.waiting)
	*o.waiting = (*o.waiting)[:0]
	waitingFrames.Put(o.waiting)
	o.waiting, o.size = nil, 0
	return sent
}

// frame returns the bytes of a message.
func (m Message) frame() []byte {
	switch {
	case m.Heartbeat:
		return heartbeat
	case m.Frame == nil:
		return Encode(m)
	}
	return m.Frame
}

// send writes frames and flushes them, with a deadline.
func (o *stream) send(frames ...[]byte) bool {
	o.slow()
	// It fails only for a writer without a connection, such as a test recorder.
	_ = o.rc.SetWriteDeadline(time.Now().Add(o.timeout))
	if o.conn == nil || len(frames) == 1 {
		o.failed = o.write(frames)
		return o.failed == nil
	}
	o.conn.hold()
	o.failed = o.write(frames)
	if err := o.conn.release(); o.failed == nil {
		o.failed = err
	}
	return o.failed == nil
}

func (o *stream) write(frames [][]byte) error {
	for _, frame := range frames {
		if _, err := o.w.Write(frame); err != nil {
			return err
		}
	}
	return o.rc.Flush()
}
