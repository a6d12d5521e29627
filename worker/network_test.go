package worker_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/session"
)

// flaky answers every third post with 500, alternately before and after h has handled it.
func flaky(h http.Handler) http.Handler {
	var posts atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := posts.Add(1); r.Method == http.MethodPost && n%3 == 0 {
			if n%2 == 0 {
				h.ServeHTTP(httptest.NewRecorder(), r)
			}
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// socket is a TCP proxy that can be shut: it then closes open and new connections.
type socket struct {
	net.Listener
	to string
	wg sync.WaitGroup

	mu   sync.Mutex
	shut bool
	open map[net.Conn]bool
}

func newSocket(t *testing.T, to string) *socket {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &socket{Listener: ln, to: to, open: map[net.Conn]bool{}}
	s.wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			s.wg.Go(func() { s.pipe(c) })
		}
	})
	t.Cleanup(func() {
		ln.Close()
		s.set(true)
		s.wg.Wait()
	})
	return s
}

func (s *socket) set(shut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut = shut
	for c := range s.open {
		if shut {
			c.Close()
		}
	}
}

func (s *socket) pipe(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp", s.to)
	if err != nil {
		return
	}
	defer out.Close()
	s.mu.Lock()
	if s.shut {
		s.mu.Unlock()
		return
	}
	s.open[in], s.open[out] = true, true
	s.mu.Unlock()
	s.wg.Go(func() {
		_, _ = io.Copy(out, in)
		out.Close()
	})
	_, _ = io.Copy(in, out)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, in)
	delete(s.open, out)
}

// gate passes requests to a server. It holds back a post that would give the log more than
// limit events, so that a worker cannot end its job before the test kills it, however
// many events it has collected meanwhile.
type gate struct {
	to    http.Handler
	log   *session.Session
	limit atomic.Uint64
	held  chan struct{} // gets a value when a post is held back
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.Method == http.MethodPost && g.log.Head()+eventsIn(body) > g.limit.Load() {
		select {
		case g.held <- struct{}{}:
		default:
		}
		<-r.Context().Done() // the worker is dead, or its connection is
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	g.to.ServeHTTP(w, r)
}

// eventsIn returns the number of events in the body of a post.
func eventsIn(body []byte) uint64 {
	var post struct {
		Events []json.RawMessage `json:"events"`
	}
	if json.Unmarshal(body, &post) != nil {
		return 0
	}
	return uint64(len(post.Events))
}

// raise lets posts pass until the log has limit events.
func (g *gate) raise(limit uint64) {
	g.limit.Store(limit)
	select {
	case <-g.held:
	default:
	}
}
