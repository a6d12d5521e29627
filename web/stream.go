package web

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/r3labs/sse/v2"
)

// streams serves event streams through r3labs/sse, which frames the events. It is
// the only file that knows the library, and it keeps clear of what loses, repeats
// or blocks in it: every connection has a stream of its own, so nobody waits for
// a slow reader; replay, auto-creation and expiry are off; events are published
// only once the subscriber is in; every event has data or a comment.
type streams struct {
	server       *sse.Server
	writeTimeout time.Duration
	perUser      int
	next         atomic.Uint64
	ready        sync.Map // stream id → chan struct{}, closed when it has its subscriber

	mu    sync.Mutex
	users map[string]int // streams open now
}

func newStreams(perUser int, writeTimeout time.Duration) *streams {
	s := &streams{server: sse.New(), writeTimeout: writeTimeout, perUser: perUser, users: map[string]int{}}
	s.server.AutoReplay = false
	s.server.AutoStream = false
	s.server.BufferSize = 64
	s.server.OnSubscribe = func(id string, _ *sse.Subscriber) {
		if ready, ok := s.ready.Load(id); ok {
			close(ready.(chan struct{}))
		}
	}
	return s
}

// enter counts a stream in, or says that the user has as many as are allowed.
func (s *streams) enter(user string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users[user] >= s.perUser {
		return nil, problem(http.StatusTooManyRequests, "too_many_streams",
			"You have as many event streams open as the server allows. Close one first.").with("max", s.perUser)
	}
	s.users[user]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.users[user]--; s.users[user] == 0 {
			delete(s.users, user)
		}
	}, nil
}

// open is how many streams a user has open, and how many all have.
func (s *streams) open(user string) (mine, all int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.users {
		all += n
	}
	return s.users[user], all
}

// serve sends what source yields until source ends, the client goes, or it has
// not read for longer than the write timeout. It returns when nothing of the
// stream is left running.
func (s *streams) serve(w http.ResponseWriter, r *http.Request, from Cursor, source func(context.Context) iter.Seq[message]) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	id := strconv.FormatUint(s.next.Add(1), 10)
	ready := make(chan struct{})
	s.ready.Store(id, ready)
	s.server.CreateStream(id)
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Time{}) // a request's, and a stream outlives it
	out := &streamWriter{ResponseWriter: w, rc: rc, timeout: s.writeTimeout, cancel: cancel}
	out.greet(from)

	var pump sync.WaitGroup
	pump.Go(func() {
		defer out.last()
		select {
		case <-ready:
		case <-ctx.Done():
			return
		}
		for m := range source(ctx) {
			out.pending.Add(1)
			s.server.Publish(id, m.event())
		}
	})

	inner := r.Clone(ctx)
	inner.URL.RawQuery = "stream=" + id
	inner.Header.Del("Last-Event-ID") // a string of ours; the library wants a number
	s.server.ServeHTTP(out, inner)

	// In this order: the library leaks its goroutine if the stream goes first.
	cancel()
	pump.Wait()
	s.server.RemoveStream(id)
	s.ready.Delete(id)
}

// event is the message as the library takes it. Data is never empty and never
// holds a line break, so it cannot end the frame.
func (m message) event() *sse.Event {
	if m.quiet {
		return &sse.Event{Comment: []byte("heartbeat")}
	}
	return &sse.Event{ID: []byte(m.id.String()), Event: []byte(m.name), Data: m.data}
}

// streamWriter is what the library writes to. It sends frames in few writes,
// each with a deadline, and once one has failed it swallows the rest, since the
// library has to go on draining until it is told to stop.
type streamWriter struct {
	http.ResponseWriter
	rc      *http.ResponseController
	timeout time.Duration
	cancel  context.CancelFunc

	buf     []byte
	opened  bool
	dead    bool
	pending atomic.Int64 // published and not yet flushed
	ended   atomic.Bool  // nothing more will be published
}

// maxBuffered is how many bytes of a backlog go out in one write.
const maxBuffered = 16 << 10

// greet prepares the first bytes: they make proxies pass the headers on, tell
// browsers when to come back, not all at once, and give them the place they are
// at, so that a drop before the first event loses nothing.
func (w *streamWriter) greet(from Cursor) {
	retry := 2000 + rand.IntN(2000)
	w.buf = fmt.Appendf(nil, ": candor\nretry: %d\nid: %s\n\n", retry, from)
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

// Write implements http.ResponseWriter. It never fails.
func (w *streamWriter) Write(p []byte) (int, error) {
	if !w.dead {
		w.buf = append(w.buf, p...)
	}
	return len(p), nil
}

// Flush implements http.Flusher. The library calls it after the headers and
// after each event.
func (w *streamWriter) Flush() {
	left := int64(0)
	if w.opened {
		left = w.pending.Add(-1)
	}
	w.opened = true
	if left == 0 || len(w.buf) >= maxBuffered {
		w.send()
	}
	if left == 0 && w.ended.Load() {
		w.cancel()
	}
}

// last says that the source has ended: once everything is flushed the stream is
// over.
func (w *streamWriter) last() {
	w.ended.Store(true)
	if w.pending.Load() == 0 {
		w.cancel()
	}
}

func (w *streamWriter) send() {
	if w.dead || len(w.buf) == 0 {
		return
	}
	// A test recorder has no deadline to set; a connection does.
	_ = w.rc.SetWriteDeadline(time.Now().Add(w.timeout))
	_, err := w.ResponseWriter.Write(w.buf)
	if err == nil {
		err = w.rc.Flush()
	}
	if err != nil {
		w.dead = true
		w.cancel()
	}
	w.buf = w.buf[:0]
	if cap(w.buf) > 4*maxBuffered || w.dead {
		w.buf = nil
	}
}
