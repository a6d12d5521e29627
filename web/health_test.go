package web_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
	"candor/web"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAServerThatIsNotReadyIsAliveAndSaysWhy(t *testing.T) {
	var reasons []string
	s := web.New(web.Options{Store: session.NewMemory(nil), Log: slog.New(slog.DiscardHandler),
		Ready: func() []string { return reasons }})
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
		return w
	}
	ready := get("/api/health/ready")
	require.Equal(t, http.StatusOK, ready.Code)
	assert.JSONEq(t, `{"status":"ready"}`, ready.Body.String())
	reasons = []string{"shutting_down"}
	ready = get("/api/health/ready")
	assert.Equal(t, http.StatusServiceUnavailable, ready.Code)
	assert.NotEmpty(t, ready.Header().Get("Retry-After"))
	assert.JSONEq(t, `{"error":"not_ready","details":{"reasons":["shutting_down"]},"message":`+
		`"This server is not ready for requests; reasons says why. Ask again soon."}`, ready.Body.String())
	for _, path := range []string{"/api/health", "/api/health/live"} {
		assert.Equal(t, http.StatusOK, get(path).Code, path)
	}
}

func TestAServerWithoutConditionsIsReady(t *testing.T) {
	s := web.New(web.Options{Store: session.NewMemory(nil), Log: slog.New(slog.DiscardHandler)})
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/api/health/ready", nil))
	assert.Equal(t, http.StatusOK, w.Code)
}

func TestStreamsThatResumeOrBeginAnewAreCounted(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("hello"))
	thread, origin := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	open := func(id string) {
		c, err := s.Subscribe(t.Context(), "ann", id, "")
		require.NoError(t, err)
		t.Cleanup(func() { c.Body.Close() })
		_, err = c.Next()
		require.NoError(t, err)
	}
	open("")
	open(origin)
	open(origin)
	open("00000000-2")
	metrics := s.Get("ann", "/metrics").Body
	for _, line := range []string{"candor_streams 4", "candor_requests 1", "candor_streams_resumed_total 2",
		"candor_resyncs_total 1", "candor_streams_cut_off_total 0"} {
		assert.Contains(t, metrics, line+"\n")
	}
}
