package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"candor/cmd/candor/apptest"
	"candor/session"
	"candor/web"
	"candor/web/access"
)

// slowServer serves routes that are open to ann, bob and a worker of ann's. They answer a request
// with the header Blocks once release is closed.
type slowServer struct {
	*web.Server
	entered, release chan struct{}
	waiting          sync.WaitGroup
}

func newSlowServer(requests, processors int) *slowServer {
	var tokens access.Tokens
	tokens.Add("ann", apptest.TokenOf("ann"))
	tokens.Add("bob", apptest.TokenOf("bob"))
	s := &slowServer{entered: make(chan struct{}), release: make(chan struct{})}
	s.Server = web.New(web.Options{
		Store: session.NewMemory(nil), Tokens: tokens,
		RequestsPerUser: requests, Processors: processors, Log: slog.New(slog.DiscardHandler),
	})
	serve := func(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
		if r.Header.Get("Blocks") != "" {
			s.entered <- struct{}{}
			<-s.release
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	s.Mount(
		web.Route{Method: http.MethodGet, Path: "/slow", Serve: serve},
		web.Route{Method: http.MethodGet, Path: "/stream", Serve: serve, Streams: true},
		web.Route{Method: http.MethodGet, Path: "/own", Serve: serve, CountsItself: true},
		web.Route{Method: http.MethodGet, Path: "/work", Serve: serve,
			Admit: func(r *http.Request) (context.Context, string, error) { return r.Context(), "ann", nil }},
	)
	return s
}

// begin makes a request and returns once its route serves it, or false once it was refused.
func (s *slowServer) begin(user, path string) bool {
	ended := make(chan struct{})
	s.waiting.Go(func() {
		s.get(user, path, "Blocks")
		close(ended)
	})
	select {
	case <-s.entered:
		return true
	case <-ended:
		return false
	}
}

func (s *slowServer) get(user, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil)
	for _, name := range headers {
		r.Header.Set(name, "yes")
	}
	r.Header.Set("Authorization", "Bearer "+apptest.TokenOf(user))
	if path == "/stream" {
		r.Header.Set("Accept", "text/event-stream")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func (s *slowServer) end() {
	close(s.release)
	s.waiting.Wait()
}

func TestAUserHasANumberOfRequestsAtOnce(t *testing.T) {
	s := newSlowServer(2, 100)
	assert.True(t, s.begin("ann", "/slow"))
	assert.True(t, s.begin("ann", "/slow"))
	w := s.get("ann", "/api/chat/threads")
	assert.Equal(t, http.StatusTooManyRequests, w.Code)
	assert.Equal(t, "2", w.Header().Get("Retry-After"))
	assert.JSONEq(t, `{"error":"too_many_requests","message":"You have as many requests in progress as the server `+
		`allows. Wait until one ends.","details":{"max":2}}`, w.Body.String())
	assert.Equal(t, http.StatusOK, s.get("bob", "/api/chat/threads").Code, "another user has a number of their own")
	assert.True(t, s.begin("ann", "/stream"))
	assert.True(t, s.begin("ann", "/own"))
	assert.True(t, s.begin("ann", "/work"))
	assert.True(t, s.begin("ann", "/work"))
	assert.Equal(t, http.StatusTooManyRequests, s.get("", "/work").Code, "workers have as many again")
	s.end()
	assert.Equal(t, http.StatusOK, s.get("ann", "/api/chat/threads").Code)
}

func TestAllRoutesHaveTheirUsersShareOfTheProcessors(t *testing.T) {
	for _, path := range []string{"/slow", "/own", "/work", "/api/chat/threads"} {
		synctest.Test(t, func(t *testing.T) {
			s := newSlowServer(64, 2)
			assert.True(t, s.begin("ann", "/slow"))
			answered := make(chan int, 1)
			s.waiting.Go(func() { answered <- s.get("ann", path).Code })
			synctest.Wait()
			assert.Empty(t, answered, path)
			assert.Equal(t, http.StatusOK, s.get("bob", "/api/chat/threads").Code, "another user has another share")
			s.end()
			assert.Len(t, answered, 1, path)
		})
	}
}
