package sse

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net"
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

// Combine makes a server send what a stream has to say at once with one system call, where
// net/http's small buffer takes one for every 4 KiB. It returns the listener to serve from, and has
// to be called before the server serves. Streams work without it, and over connections that are no
// TCP, such as those of TLS.
func Combine(s *http.Server, l net.Listener) net.Listener {
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}
	return combiningListener{l}
}

// connKey is the context key of a request's connection.
type connKey struct{}

// combiningListener accepts connections that can combine writes.
type combiningListener struct{ net.Listener }

// Accept implements net.Listener.
func (l combiningListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &combiningConn{TCPConn: tcp}, err
	}
	return c, err
}

// combiningConn is a connection that can hold writes back and send them as one. Like the writing
// half of a connection of net/http, it may be used by one goroutine at a time.
type combiningConn struct {
	*net.TCPConn
	held *[]byte // what was written since hold; nil if writes are not held back
}

// heldBytes has buffers for connections that hold back writes.
var heldBytes = sync.Pool{New: func() any { return new(make([]byte, 0, 2*maxBuffered)) }}

// Write implements net.Conn.
func (c *combiningConn) Write(p []byte) (int, error) {
	if c.held == nil {
		return c.TCPConn.Write(p)
	}
	*c.held = append(*c.held, p...)
	return len(p), nil
}

// hold holds back writes until release.
func (c *combiningConn) hold() { c.held = heldBytes.Get().(*[]byte) }

// release sends what was written since hold.
func (c *combiningConn) release() error {
	held := c.held
	c.held = nil
	_, err := c.TCPConn.Write(*held)
	if cap(*held) <= 4*maxBuffered {
		*held = (*held)[:0]
		heldBytes.Put(held)
	}
	return err
}

// Writer writes a stream for a handler that makes the frames itself and sends each as soon as
// it exists. After a write has failed it does nothing. It is not safe for concurrent use.
type Writer struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	timeout time.Duration
	max     int // bytes of an event; 0 for any number
	failed  bool
}

// Open sends the headers of the stream that answers r, whose client may not read for timeout. From then on
// errors can only be sent as events. Events that are longer than r wants are cut; see [Wanted].
func Open(w http.ResponseWriter, r *http.Request, timeout time.Duration) *Writer {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	out := &Writer{w: w, rc: http.NewResponseController(w), timeout: timeout, max: maxEvent(r)}
	_ = out.rc.SetReadDeadline(time.Time{}) // the server's deadline for requests, which a stream outlives
	w.WriteHeader(http.StatusOK)
	out.flush()
	return out
}

// Write writes and flushes p, within the timeout.
func (o *Writer) Write(p []byte) {
	if o.failed || len(p) == 0 {
		return
	}
	// It fails only for a writer without a connection, such as a test recorder.
	_ = o.rc.SetWriteDeadline(time.Now().Add(o.timeout))
	if _, err := o.w.Write(Fit(p, o.max)); err != nil {
		o.failed = true
		return
	}
	o.flush()
}

// Max returns the most bytes that the client takes of an event; 0 for any number.
func (o *Writer) Max() int { return o.max }

// Failed reports whether a write has failed: the client has gone, or did not read.
func (o *Writer) Failed() bool { return o.failed }

func (o *Writer) flush() {
	if err := o.rc.Flush(); err != nil {
		o.failed = true
	}
}
