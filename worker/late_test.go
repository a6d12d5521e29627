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

// latecomer stands between workers and their server. It keeps the first request that
// it is told to keep, and hands it on while it answers the next worker who asks
// where the log stands: behind the answer, before the asker has it.
type latecomer struct {
	to   http.Handler
	keep func(*http.Request, []byte) bool

	mu     sync.Mutex
	kept   *http.Request
	late   *httptest.ResponseRecorder // the answer to what was kept
	holds  chan struct{}              // closed once something is kept
	killed chan struct{}              // closed by the test when its sender is dead
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

// keeps takes the request out of the way, unless one is kept already.
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

// handOn lets the kept request of a dead worker reach the server.
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

// A post can arrive when its worker is dead and the next one has asked where the log
// stands. Taken, it would have the numbers that the next one gives its own events,
// and those would be dropped as repeats.
func TestAKilledWorkersLatePostTakesNothingFromTheNext(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("x")
	l, url := newLatecomer(t, s.App, func(_ *http.Request, body []byte) bool {
		return bytes.Contains(body,
			[]byte("tool_01a"))
	})
	steps := manySteps(3, 0)
	steps["tools"].(map[string]any)["tool_01b"] = map[string]any{"delay_ms": 600_000, "result": "ok"}
	p := startWorker(t, url, id, token, apptest.ScriptFile(t, steps))
	<-l.holds
	p.kill(t)
	close(l.killed)
	p = startWorker(t, url, id, token, apptest.ScriptFile(t, manySteps(3, 0)))
	require.NoError(t, p.Wait(), p.log.String())
	require.NotNil(t, l.late, "the late post has arrived")
	assert.Equal(t, http.StatusUnauthorized, l.late.Code, l.late.Body)
	assertWhole(t, s.JobEvents(id))
	assert.Contains(t, string(s.JobEvents(id)[len(s.JobEvents(id))-2].Raw), "all done")
}

// Somebody started a second worker while the first one lives.
func TestAWorkerStopsWhenAnotherTakesItsJobOver(t *testing.T) {
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

// A prompt goes to the worker that is heard, not to one that asked for it and died.
func TestAKilledWorkersLateFetchTakesNoPromptFromTheNext(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("x")
	l, url := newLatecomer(t, s.App, func(r *http.Request, _ []byte) bool {
		return strings.HasSuffix(r.URL.Path,
			"/prompt")
	})
	one := apptest.ScriptFile(t, manySteps(1, 0))
	p := startWorker(t, url, id, token, one, "--follow-ups")
	<-l.holds
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

// The prompt that is the last says so in the log, too: the worker that fetched it may
// not live to heed it.
func TestThatAPromptWasTheLastOutlivesTheWorkerThatFetchedIt(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("what time is it?")
	t.Setenv("CANDOR_JOB_TOKEN", token)
	require.Equal(t, 202, s.Do("ann", "POST", "/api/jobs/"+id+"/prompt",
		`{"content":"list the files in the agent folder","done":true}`).Status)
	require.Equal(t, 200, s.Do("", "GET", "/worker/"+id+"/prompt", "", apptest.WithToken(token)).Status,
		"fetched by a worker that dies now")
	out, err := runWorkerQuietly(t.Context(), s, id, "--follow-ups")
	require.NoError(t, err, "it waits for no other: %s", out)
	assert.Equal(t, 2, strings.Count(strings.Join(apptest.KindsOf(s.JobEvents(id)), " "), "tool_use"))
}

// What the worker's own safety layer withheld is marked as withheld, not as missing.
func TestWhatAWorkerWithheldIsMarkedInTheJobsLog(t *testing.T) {
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

// The server hands a prompt out, and the answer is lost on the way.
func TestAPromptWhoseAnswerWasLostIsFetchedAgain(t *testing.T) {
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
	assert.Equal(t, []string{"time", "file_search", "file_list"}, tools, "each prompt is worked on, once")
}
