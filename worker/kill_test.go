package worker_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// process is a worker that runs as a child process, so that a test can kill it.
type process struct {
	*exec.Cmd
	log *apptest.LogBuffer
}

func startWorker(t *testing.T, url, id, token, script string, flags ...string) *process {
	t.Helper()
	p := &process{log: &apptest.LogBuffer{}}
	p.Cmd = apptest.Command(t.Context(), t, "worker", "--server", url, "--job", id, "--workspace", "..",
		"--provider", "script", "--script", script, "--poll", "50ms")
	p.Args = append(p.Args, flags...)
	p.Env = append(p.Env, "CANDOR_JOB_TOKEN="+token)
	p.Stdout, p.Stderr = p.log, p.log
	require.NoError(t, p.Start())
	return p
}

// kill ends the worker with SIGKILL and waits for it.
func (p *process) kill(t *testing.T) {
	require.NoError(t, p.Process.Kill())
	assert.Error(t, p.Wait())
}

// manySteps returns a script with the given number of steps. Each step calls two tools
// that take ms milliseconds; every tool has its own name.
func manySteps(steps, ms int) map[string]any {
	var list []any
	tools := map[string]any{}
	for i := range steps {
		var calls []any
		for _, side := range []string{"a", "b"} {
			name := fmt.Sprintf("tool_%02d%s", i, side)
			tools[name] = map[string]any{"delay_ms": ms, "result": "ok"}
			calls = append(calls, map[string]any{"id": side, "name": name, "arguments": map[string]any{"step": i},
				"rationale": "step " + name})
		}
		list = append(list, map[string]any{"narrative": fmt.Sprintf("Now step %d.", i), "tool_calls": calls})
	}
	return map[string]any{"steps": append(list, map[string]any{"text": "all done"}), "tools": tools}
}

// assertWhole checks that a job's log is complete and in order, without duplicates.
func assertWhole(t *testing.T, events []apptest.JobEvent) {
	t.Helper()
	open, seen, decided, last := map[string]bool{}, map[string]bool{}, 0, ""
	results, messages, seq := 0, 0, 0
	for _, e := range events {
		require.Greater(t, e.ID, seq)
		seq = e.ID
		data := decoded(t, e.Raw)
		call, _ := data["call_id"].(string)
		switch e.Kind {
		case "job_tool_use":
			name := data["tool_name"].(string)
			assert.Greater(t, name, last, "steps come in order and once")
			assert.False(t, seen[call], "%s is used once", call)
			open[call], seen[call], last = true, true, name
		case "job_tool_result":
			assert.True(t, open[call], "%s has one result, after its call", call)
			delete(open, call)
		case "job_reasoning":
			assert.Empty(t, open, "a step is explained when its calls have ended")
			for _, d := range data["tool_decisions"].([]any) {
				assert.NotEmpty(t, d.(map[string]any)["rationale"])
				decided++
			}
		case "job_message":
			messages++
		case "job_result":
			results++
		}
	}
	assert.Empty(t, open)
	assert.Equal(t, len(seen), decided, "every call is explained, once")
	assert.Equal(t, [2]int{1, 1}, [2]int{messages, results})
	assert.Equal(t, "job_result", events[len(events)-1].Kind)
}

func TestNextWorkerClosesCallsOfKilledWorkerAndContinues(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("x")
	script := manySteps(2, 0)
	script["tools"].(map[string]any)["tool_01b"] = map[string]any{"delay_ms": 600_000, "result": "ok"}
	p := startWorker(t, s.HTTP.URL, id, token, apptest.ScriptFile(t, script))
	apptest.Eventually(t, "the slow call is in the log", func() bool {
		return strings.Count(strings.Join(apptest.KindsOf(s.JobEvents(id)), " "), "tool_use") == 4
	})
	p.kill(t)
	p = startWorker(t, s.HTTP.URL, id, token, apptest.ScriptFile(t, script))
	require.NoError(t, p.Wait(), p.log.String())
	events := s.JobEvents(id)
	assertWhole(t, events)
	require.Equal(t, []string{"started", "status", "tool_use", "tool_use", "tool_result", "tool_result", "reasoning",
		"tool_use", "tool_use", "tool_result", "tool_result", "reasoning", "status", "message", "result"},
		apptest.KindsOf(events))
	assert.Contains(t, string(events[10].Raw), `"outcome":"cancelled"`)
	assert.Contains(t, string(events[10].Raw), `"error":"The worker stopped before this call ended."`)
	for i, name := range []string{"tool_01a", "tool_01b"} {
		cut, closed := decoded(t, events[7+i].Raw), decoded(t,
			events[11].Raw)["tool_decisions"].([]any)[i].(map[string]any)
		for _, e := range []map[string]any{cut, closed} {
			assert.Equal(t, []any{name, "step " + name, "model", 1.0}, []any{e["tool_name"], e["rationale"],
				e["rationale_source"], e["parallel_group"]})
		}
	}
	for _, e := range []apptest.JobEvent{events[7], events[11]} {
		assert.Contains(t, string(e.Raw), `"narrative":"Now step 1."`,
			"the narrative of the killed worker is kept")
	}
	assert.NotContains(t, string(events[8].Raw), "narrative", "the narrative is recorded once per step")
}

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

// gate passes requests to a server. It holds posts back once the log has limit events, so
// that a worker cannot continue before the test kills it.
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
	if r.Method == http.MethodPost && g.log.Head() >= g.limit.Load() {
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

// raise lets posts pass until the log has limit events.
func (g *gate) raise(limit uint64) {
	g.limit.Store(limit)
	select {
	case <-g.held:
	default:
	}
}

// A worker is killed at several places, its server is unreachable for a while, and every
// third post is answered with 500. The log must still be complete and in order.
func TestJobLogIsCompleteAfterKillsAndNetworkErrors(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("x")
	door := &gate{to: flaky(s.App), log: s.Session("ann"), held: make(chan struct{}, 1)}
	proxy := httptest.NewServer(door)
	defer proxy.Close()
	way := newSocket(t, proxy.Listener.Addr().String())
	url := "http://" + way.Addr().String()
	const steps = 20
	file := apptest.ScriptFile(t, manySteps(steps, 40))
	for _, n := range []uint64{2, 4, 9, 13, 20, 26} {
		door.raise(n)
		p := startWorker(t, url, id, token, file)
		<-door.held
		p.kill(t)
	}
	door.raise(32)
	p := startWorker(t, url, id, token, file)
	<-door.held
	way.set(true)
	door.raise(math.MaxUint64)
	apptest.Eventually(t, "the worker has failed to post several times", func() bool {
		return strings.Contains(p.log.String(), "they wait")
	})
	way.set(false)
	require.NoError(t, p.Wait(), p.log.String())
	events := s.JobEvents(id)
	assertWhole(t, events)
	calls := strings.Count(strings.Join(apptest.KindsOf(events), " "), "tool_use")
	assert.GreaterOrEqual(t, calls, 2*steps-6, "all calls except those that a kill cut off before they were posted")
	assert.Equal(t, "completed", s.Get("ann", "/api/jobs/"+id).JSON()["state"])
}

func decoded(t *testing.T, raw []byte) (m map[string]any) {
	require.NoError(t, json.Unmarshal(raw, &m))
	return m
}
