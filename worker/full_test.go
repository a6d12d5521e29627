package worker

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/provider/offline"
	"candor/safety"
)

// A job whose budget is spent takes no event any more; its worker ends it as failed.
func TestAFullJobIsEndedAsFailed(t *testing.T) {
	completed := make(chan string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /worker/job-1/job", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"job_id":"job-1","prompt":"hello","run":1}`)
	})
	mux.HandleFunc("GET /worker/job-1/events", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"events":[]}`) })
	mux.HandleFunc("POST /api/jobs/job-1/events", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		_, _ = io.WriteString(w, `{"error":"job_full"}`)
	})
	mux.HandleFunc("POST /worker/job-1/complete", func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		completed <- string(raw)
		_, _ = io.WriteString(w, `{"status":"ok"}`)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	defer http.DefaultClient.CloseIdleConnections()
	c, err := NewClient(s.URL, "job-1", testToken)
	require.NoError(t, err)
	box := &agent.Toolbox{}
	require.NoError(t, box.Replace())
	log := slog.New(slog.DiscardHandler)
	r := &Runtime{Client: c, Log: log, Poll: time.Minute, Grace: 5 * time.Second,
		Dispatcher: &agent.Dispatcher{Provider: offline.New(), Tools: box, Safety: safety.NewLayer(), Log: log}}
	err = r.Run(t.Context())
	require.ErrorIs(t, err, ErrFailed)
	assert.ErrorContains(t, err, "job_full")
	assert.JSONEq(t, `{"success":false,"message":"The job has posted as much as a run of it may."}`, <-completed)
}
