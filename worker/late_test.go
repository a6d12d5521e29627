package worker_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"
	"candor/worker"
)

// latecomer is a proxy between workers and their server. It delays the first request that
// keep selects until that worker is dead and the next one has asked for the state of the
// job: the delayed request reaches the server after it has produced that answer and before
// the next worker receives it.
type latecomer struct {
	to   http.Handler
	keep func(*http.Request, []byte) bool

	mu     sync.Mutex
	kept   *http.Request
	late   *httptest.ResponseRecorder // the response to the delayed request
	holds  chan struct{}              // closed once a request is stored
	killed chan struct{}              // closed by the test once the sender is dead
}

func newLatecomer(t *testing.T, to http.Handler, keep func(*http.Request, []byte) bool) (l *latecomer, url string) {
	l = &latecomer{to: to, keep: keep, holds: make(chan struct{}), killed: make(chan struct{})}
	s := httptest.NewServer(l)
	t.Cleanup(s.Close)
	return l, s.URL
}

func (l *latecomer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if l.keeps(r, body) {
		close(l.holds)
		<-l.killed
		return
	}
	l.to.ServeHTTP(w, r)
	if strings.HasSuffix(r.URL.Path, "/job") {
		l.handOn()
	}
}

// keeps stores the request if keep selects it and none is stored yet, and reports whether
// it did.
func (l *latecomer) keeps(r *http.Request, body []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept != nil || !l.keep(r, body) {
		return false
	}
	l.kept = r.Clone(context.WithoutCancel(r.Context()))
	l.kept.Body = io.NopCloser(bytes.NewReader(body))
	return true
}

// handOn sends the delayed request of a dead worker to the server, once.
func (l *latecomer) handOn() {
	select {
	case <-l.killed:
	default:
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept != nil && l.late == nil {
		l.late = httptest.NewRecorder()
		l.to.ServeHTTP(l.late, l.kept)
	}
}

// A post can arrive after its worker was killed and the next worker has read the log's
// last sequence number. If the server accepted it, the next worker's events would have the
// same numbers and be dropped as duplicates.
func TestLatePostOfKilledWorkerIsRejected(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("x")
	l, url := newLatecomer(t, s.App, func(_ *http.Request, body []byte) bool {
		return bytes.Contains(body,
			[]byte("tool_01a"))
	})
	steps := manySteps(3, 0)
	steps["tools"].(map[string]any)["tool_01b"] = map[string]any{"delay_ms": 600_000, "result": "ok"}
	p := startWorker(t, url, id, token, apptest.ScriptFile(t, steps))
	p.await(t, l.holds)
	p.kill(t)
	close(l.killed)
	p = startWorker(t, url, id, token, apptest.ScriptFile(t, manySteps(3, 0)))
	require.NoError(t, p.Wait(), p.log.String())
	require.NotNil(t, l.late, "the late post has arrived")
	assert.Equal(t, http.StatusUnauthorized, l.late.Code, l.late.Body)
	assertWhole(t, s.JobEvents(id))
	assert.Contains(t, string(s.JobEvents(id)[len(s.JobEvents(id))-2].Raw), "all done")
}

// A second worker is started while the first one is still running.
func TestWorkerStopsWhenAnotherWorkerTakesOverItsJob(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("wait")
	t.Setenv("CANDOR_JOB_TOKEN", token)
	exit, file := make(chan error, 1), apptest.ScriptFile(t, apptest.Waiting(600_000))
	go func() {
		_, err := runWorkerQuietly(t.Context(), s, id, "--provider", "script", "--script", file)
		exit <- err
	}()
	apptest.Eventually(t, "the tool runs",
		func() bool { return strings.Contains(strings.Join(apptest.KindsOf(s.JobEvents(id)), " "), "tool_use") })
	out, err := runWorkerQuietly(t.Context(), s, id, "--provider", "script", "--script",
		apptest.ScriptFile(t, apptest.Waiting(0)))
	require.NoError(t, err, out)
	err = <-exit
	require.ErrorIs(t, err, worker.ErrReplaced)
	assert.Equal(t, 4, command.ExitStatus(err))
	assertWhole(t, s.JobEvents(id))
}

// A prompt goes to the current worker, not to one that requested it and was killed.
func TestLateFetchOfKilledWorkerTakesNoPrompt(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("x")
	l, url := newLatecomer(t, s.App, func(r *http.Request, _ []byte) bool {
		return strings.HasSuffix(r.URL.Path,
			"/prompt")
	})
	one := apptest.ScriptFile(t, manySteps(1, 0))
	p := startWorker(t, url, id, token, one, "--follow-ups")
	p.await(t, l.holds)
	p.kill(t)
	close(l.killed)
	require.Equal(t, 202, s.Do("ann", "POST", "/api/jobs/"+id+"/prompt",
		`{"content":"and now this, in my own words","done":true}`).Status)
	p = startWorker(t, url, id, token, one, "--follow-ups")
	require.NoError(t, p.Wait(), p.log.String())
	require.NotNil(t, l.late, "the late request has arrived")
	assert.Equal(t, http.StatusUnauthorized, l.late.Code, l.late.Body)
	assert.Equal(t, "completed", s.Do("ann", "GET", "/api/jobs/"+id, "").JSON()["state"])
}

// The log records that a prompt is the last, because the worker that fetched it may be
// killed before it acts on that.
func TestLastPromptMarkSurvivesTheWorkerThatFetchedIt(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("what time is it?")
	t.Setenv("CANDOR_JOB_TOKEN", token)
	require.Equal(t, 202, s.Do("ann", "POST", "/api/jobs/"+id+"/prompt",
		`{"content":"list the files in the agent folder","done":true}`).Status)
	require.Equal(t, 200, s.Do("", "GET", "/worker/"+id+"/prompt", "", apptest.WithToken(token)).Status,
		"fetched by a worker that is killed now")
	out, err := runWorkerQuietly(t.Context(), s, id, "--follow-ups")
	require.NoError(t, err, "it does not wait for another prompt: %s", out)
	assert.Equal(t, 2, strings.Count(strings.Join(apptest.KindsOf(s.JobEvents(id)), " "), "tool_use"))
}

// Text that the worker's own safety layer withheld is marked as withheld, not as missing.
func TestTextWithheldByTheWorkerIsMarkedInTheJobLog(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("x")
	const dashes = "-----"
	key := dashes + "BEGIN PRIVATE " + "KEY" + dashes + "\nMIIB\n" + dashes + "END PRIVATE " + "KEY" + dashes
	file := apptest.ScriptFile(t, map[string]any{
		"steps": []any{
			map[string]any{"narrative": "I have " + key, "tool_calls": []any{map[string]any{"name": "env",
				"arguments": map[string]any{}, "rationale": "for " + key}}},
			map[string]any{"text": "done"},
		},
		"tools": map[string]any{"env": map[string]any{"result": "ok"}},
	})
	out, err := runWorker(t.Context(), s, id, token, "--provider", "script", "--script", file)
	require.NoError(t, err, out)
	marked := 0
	for _, e := range s.JobEvents(id) {
		if e.Kind == "job_tool_use" || e.Kind == "job_reasoning" {
			marked++
			assert.Contains(t, string(e.Raw), `"narrative_blocked":true`)
			assert.Contains(t, string(e.Raw), `"rationale_source":"fallback","rationale_blocked":true`)
		}
	}
	assert.Equal(t, 2, marked)
}

// The server delivers a prompt, but the response is lost in the network.
func TestPromptIsFetchedAgainIfTheResponseWasLost(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("what time is it?")
	t.Setenv("CANDOR_JOB_TOKEN", token)
	var lost atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		s.App.ServeHTTP(rec, r)
		if strings.HasSuffix(r.URL.Path, "/prompt") && rec.Code == http.StatusOK && lost.Add(1)%2 == 1 {
			http.Error(w, "no", http.StatusBadGateway)
			return
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	}))
	defer proxy.Close()
	exit := make(chan error, 1)
	go func() {
		_, err := runWorkerQuietly(t.Context(), s, id, "--follow-ups", "--server", proxy.URL)
		exit <- err
	}()
	apptest.Eventually(t, "the first turn has ended",
		func() bool { return strings.Contains(strings.Join(apptest.KindsOf(s.JobEvents(id)), " "), "message") })
	for _, say := range []string{`{"content":"find the word Follow in the session folder"}`,
		`{"content":"list the files in the agent folder","done":true}`} {
		require.Equal(t, 202, s.Do("ann", "POST", "/api/jobs/"+id+"/prompt", say).Status)
	}
	require.NoError(t, <-exit)
	assert.Positive(t, lost.Load())
	var tools []string
	for _, e := range s.JobEvents(id) {
		if e.Kind == "job_tool_use" {
			tools = append(tools, decoded(t, e.Raw)["tool_name"].(string))
		}
	}
	assert.Equal(t, []string{"time", "file_search", "file_list"}, tools, "each prompt is processed once")
}
