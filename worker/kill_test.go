package worker_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"strings"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
		p.await(t, door.held)
		p.kill(t)
	}
	door.raise(32)
	p := startWorker(t, url, id, token, file)
	p.await(t, door.held)
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
