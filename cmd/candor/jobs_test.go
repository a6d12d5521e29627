package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// aJob opens a job for ann and gives its id and its worker's token.
func (s *server) aJob(prompt string) (id, token string) {
	s.t.Helper()
	r := s.do("ann", http.MethodPost, "/api/jobs", string(mustJSON(s.t, map[string]any{"title": "tidy", "prompt": prompt, "metadata": map[string]any{"n": 1}})))
	require.Equal(s.t, http.StatusCreated, r.status, r.body)
	j := r.json(s.t)
	return j["job_id"].(string), j["token"].(string)
}

func as(token string) func(*http.Request) { return header("Authorization", "Bearer "+token) }

// post sends events as a job's worker.
func (s *server) post(id, token, body string, edit ...func(*http.Request)) reply {
	s.t.Helper()
	return s.do("", http.MethodPost, "/api/jobs/"+id+"/events", body, append([]func(*http.Request){as(token)}, edit...)...)
}

const reasoningPost = `{"event":"reasoning","narrative":"Checked git log, now writing a summary file.",
 "tool_decisions":[{"tool_name":"shell","rationale":"ran git log to capture recent commits","outcome":"success"},{"tool_name":"write"}]}`

func TestAWorkersReasoningIsShownLiveAndInTheJobsPage(t *testing.T) {
	s := startServer(t, settings{}, answers("x"))
	s.begin("ann")
	id, token := s.aJob("summarise the repository")
	c, err := s.subscribe(t.Context(), "ann", "", "")
	require.NoError(t, err)
	defer c.body.Close()
	for _, body := range []string{
		`{"event":"status","state":"running","message":"started","iteration":1}`,
		`{"event_type":"tool_use","data":{"tool_name":"shell","input":{"command":"git log"},"call_id":"call_1"}}`,
		`{"event_type":"tool_result","data":{"tool_name":"shell","output":"3 commits","call_id":"call_1"}}`,
		reasoningPost,
		`{"event":"message","role":"assistant","content":"There were three commits."}`,
		`{"event":"brand_new","data":{"x":1}}`,
		`{"event":"result","success":true,"message":"done"}`,
	} {
		r := s.post(id, token, body)
		require.Equal(t, 200, r.status, r.body)
	}
	var kinds []string
	var reasoning string
	for _, f := range c.until(t, "job_result") {
		kinds = append(kinds, f.event)
		assert.Contains(t, f.data, id)
		if f.event == "job_reasoning" {
			reasoning = f.data
		}
	}
	assert.Equal(t, []string{"job_status", "job_tool_use", "job_tool_result", "job_reasoning", "job_message", "job_status", "job_result"}, kinds)
	assert.Contains(t, reasoning, `"tool_decisions":[{"tool_name":"shell","rationale":"ran git log to capture recent commits","rationale_source":"model","outcome":"success","parallel_group":null}`)
	assert.Contains(t, reasoning, `{"tool_name":"write","rationale":"Tool selected to satisfy the current subtask.","rationale_source":"fallback","outcome":"pending"`)

	page := s.do("ann", "GET", "/api/jobs/"+id+"/events", "").json(t)
	var listed []string
	for _, e := range page["events"].([]any) {
		listed = append(listed, e.(map[string]any)["event_type"].(string))
	}
	assert.Equal(t, append([]string{"job_started"}, kinds...), listed, "the page equals the stream")
	job := s.do("ann", "GET", "/api/jobs/"+id, "").json(t)
	assert.Equal(t, "completed", job["state"])
	assert.NotContains(t, job, "token", "it is shown once")
	assert.Equal(t, 1.0, s.do("ann", "GET", "/api/jobs/summary", "").json(t)["completed"])
}

func TestAJobsStreamShowsThatJobOnly(t *testing.T) {
	s := startServer(t, settings{}, answers("x"))
	thread, origin := s.begin("ann")
	id, token := s.aJob("one")
	other, otherToken := s.aJob("two")
	require.Equal(t, 200, s.post(other, otherToken, reasoningPost).status)
	s.runTurns("ann", thread, 1)
	require.Equal(t, 200, s.post(id, token, `{"event":"result","success":false,"message":"no"}`).status)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", s.http.URL+"/api/jobs/"+id+"/events?last_event_id="+origin+"&token="+tokenOf("ann"), nil)
	require.NoError(t, err)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := s.http.Client().Do(req)
	require.NoError(t, err)
	c := newSSEClient(resp.Body, "")
	defer c.body.Close()
	var kinds []string
	for _, f := range c.until(t, "job_result") {
		kinds = append(kinds, f.event)
	}
	assert.Equal(t, []string{"job_started", "job_result"}, kinds)
}

func TestARetriedPostIsTakenOnce(t *testing.T) {
	s := startServer(t, settings{}, answers("x"))
	id, token := s.aJob("x")
	batch := `{"events":[{"id":"e1","event":"message","content":"one"},{"event":"message","content":"two"}]}`
	key := header("Idempotency-Key", "batch-1")
	first := s.post(id, token, batch, key)
	again := s.post(id, token, batch, key)
	assert.Equal(t, first.body, again.body, "a retry is told the same numbers")
	single := s.post(id, token, `{"event":"message","content":"three"}`, header("Idempotency-Key", "k"))
	assert.Equal(t, single.body, s.post(id, token, `{"event":"message","content":"three"}`, header("Idempotency-Key", "k")).body)
	end := s.post(id, token, `{"id":"end","event":"result","success":true}`)
	require.Equal(t, 200, end.status)
	assert.Equal(t, end.body, s.post(id, token, `{"id":"end","event":"result","success":true}`).body, "also the last one, whose answer may be lost")
	assert.Equal(t, 5.0, s.do("ann", "GET", "/api/jobs/"+id, "").json(t)["events"])
	assert.Equal(t, 401, s.post(id, token, `{"event":"message","content":"late"}`).status)
	assert.Equal(t, 401, s.do("", "GET", "/worker/"+id+"/job", "", as(token)).status)
}

func TestABatchWithABadEventIsRefusedWhole(t *testing.T) {
	s := startServer(t, settings{}, answers("x"))
	id, token := s.aJob("x")
	many := `[` + strings.Repeat(`{"event":"message","content":"x"},`, 100) + `{"event":"message","content":"x"}]`
	decisions := `{"event":"reasoning","tool_decisions":[` + strings.Repeat(`{"tool_name":"a"},`, 9_999) + `{"tool_name":"a"}]}`
	for _, tt := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"a nameless decision", `[{"event":"message","content":"x"},{"event":"reasoning","tool_decisions":[{"rationale":"why"}]}]`, 400, "no_tool_name"},
		{"a nameless call", `{"event":"tool_use","input":{}}`, 400, "no_tool_name"},
		{"an outcome of no kind", `{"event":"tool_result","tool_name":"x","outcome":"splendid"}`, 400, "bad_outcome"},
		{"a role of no kind", `{"event":"message","role":"root","content":"x"}`, 400, "bad_role"},
		{"no kind", `{"content":"x"}`, 400, "no_kind"},
		{"too many events", many, 400, "bad_batch"},
		{"no events", `[]`, 400, "bad_batch"},
		{"ten thousand decisions", decisions, 400, "too_many_decisions"},
		{"wrong types", `{"event":"reasoning","tool_decisions":"all"}`, 400, "invalid_json"},
		{"another job", `{"event":"message","content":"x","job_id":"other"}`, 400, "other_job"},
		{"something behind the end", `[{"event":"result"},{"event":"message","content":"x"}]`, 401, "unauthorized"},
		{"5 MiB", `{"event":"message","content":"` + strings.Repeat("a", 5<<20) + `"}`, 413, "body_too_large"},
		{"not JSON", `event=message`, 400, "invalid_json"},
		{"nothing", ``, 400, "empty_body"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := s.post(id, token, tt.body)
			require.Equal(t, tt.status, r.status, r.body)
			assert.Equal(t, tt.code, r.json(t)["error"])
		})
	}
	job := s.do("ann", "GET", "/api/jobs/"+id, "").json(t)
	assert.Equal(t, 1.0, job["events"], "nothing of them was taken")
	assert.Equal(t, "pending", job["state"])
}

func TestWrongTokensAreAnsweredAlike(t *testing.T) {
	s := startServer(t, settings{}, answers("x"))
	id, token := s.aJob("x")
	_, others := s.aJob("y")
	cancelled, oldToken := s.aJob("z")
	require.Equal(t, 202, s.do("ann", "POST", "/api/jobs/"+cancelled+"/cancel", "{}").status)
	var bodies []string
	for _, r := range []reply{
		s.post(id, "wrong", reasoningPost), s.post(id, others, reasoningPost), s.post(id, tokenOf("ann"), reasoningPost),
		s.post(id, "", reasoningPost), s.post("no-such-job", token, reasoningPost), s.post(cancelled, oldToken, reasoningPost),
		s.do("", "GET", "/worker/"+id+"/prompt", "", as(others)), s.do("", "GET", "/api/jobs/"+id, "", as(token)),
	} {
		assert.Equal(t, 401, r.status)
		bodies = append(bodies, r.body)
	}
	for _, b := range bodies {
		assert.Equal(t, bodies[0], b)
	}
	for _, path := range []string{"", "/events"} {
		assert.Equal(t, 404, s.do("bob", "GET", "/api/jobs/"+id+path, "").status, "another user's job does not exist")
	}
	for _, path := range []string{"/cancel", "/restart", "/prompt"} {
		assert.Equal(t, 404, s.do("bob", "POST", "/api/jobs/"+id+path, `{"content":"x"}`).status)
	}
}

func TestIronClawsWorkerRoutes(t *testing.T) {
	s := startServer(t, settings{}, answers("x"))
	id, token := s.aJob("find the secret door")
	worker := func(method, path, body string) reply { return s.do("", method, "/worker/"+id+path, body, as(token)) }
	job := worker("GET", "/job", "").json(t)
	assert.Equal(t, "find the secret door", job["prompt"])
	assert.Equal(t, 0.0, job["posted"])
	assert.Equal(t, 204, worker("GET", "/prompt", "").status)
	require.Equal(t, 202, s.do("ann", "POST", "/api/jobs/"+id+"/prompt", `{"content":"and lock it"}`).status)
	assert.JSONEq(t, `{"content":"and lock it","done":false}`, worker("GET", "/prompt", "").body)
	assert.Equal(t, 204, worker("GET", "/prompt", "").status)
	assert.Equal(t, 200, worker("POST", "/status", `{"state":"running","message":"looking","iteration":2}`).status)
	assert.Equal(t, 200, worker("POST", "/event", `{"event_type":"reasoning","data":{"narrative":"n","decisions":[{"tool_name":"look","rationale":"why"}]}}`).status)
	assert.Equal(t, 2.0, worker("GET", "/job", "").json(t)["posted"])
	assert.JSONEq(t, `{"status":"ok"}`, worker("POST", "/complete", `{"success":true,"message":"found","iterations":3}`).body)
	assert.Equal(t, 401, worker("POST", "/status", `{}`).status)
	got := s.do("ann", "GET", "/api/jobs/"+id, "").json(t)
	assert.Equal(t, "completed", got["state"])
	assert.Equal(t, "found", got["message"])
}

func TestARestartedJobHasANewToken(t *testing.T) {
	s := startServer(t, settings{}, answers("x"))
	id, old := s.aJob("x")
	assert.Equal(t, 409, s.do("ann", "POST", "/api/jobs/"+id+"/restart", "{}").status)
	require.Equal(t, 200, s.post(id, old, `{"id":"a","event":"result","success":false}`).status)
	assert.Equal(t, 409, s.do("ann", "POST", "/api/jobs/"+id+"/prompt", `{"content":"x"}`).status)
	r := s.do("ann", "POST", "/api/jobs/"+id+"/restart", "{}")
	require.Equal(t, 202, r.status, r.body)
	fresh := r.json(t)["token"].(string)
	assert.Len(t, fresh, 64)
	assert.Equal(t, 401, s.post(id, old, reasoningPost).status)
	assert.Equal(t, 200, s.post(id, fresh, reasoningPost).status)
}

// A worker's text is cleaned on arrival, in every field of every kind.
func TestAHostileWorkerGetsNothingThrough(t *testing.T) {
	for _, p := range plant() {
		s := startServer(t, settings{}, answers("x"))
		_, origin := s.begin("ann")
		id, token := s.aJob("use " + p.text)
		said := "look: " + p.text + " <script>alert(1)</script>"
		for _, e := range []map[string]any{
			{"event": "message", "role": "user", "content": said},
			{"event": "tool_use", "tool_name": said, "call_id": said, "input": map[string]any{"note": said, "list": []any{said}, said: 1}},
			{"event": "tool_result", "tool_name": "x", "call_id": said, "output": said, "error": said},
			{"event": "reasoning", "narrative": said, "tool_decisions": []any{map[string]any{"tool_name": said, "rationale": said}}},
			{"event": "status", "state": said, "message": said},
			{"event": said, "id": said, "data": map[string]any{"deep": said}},
			{"event": "result", "success": true, "message": said},
		} {
			r := s.post(id, token, string(mustJSON(t, e)))
			require.Equal(t, 200, r.status, "%s: %s", p.kind, r.body)
			assertAbsent(t, p.secret, "the answer", r.body)
		}
		for place, text := range map[string]string{
			"the job": s.do("ann", "GET", "/api/jobs/"+id, "").body, "its events": s.do("ann", "GET", "/api/jobs/"+id+"/events", "").body,
			"the list": s.do("ann", "GET", "/api/jobs", "").body, "the stream": fmt.Sprintf("%+v", s.everything("ann", origin)), "the logs": s.logs.String(),
		} {
			assertAbsent(t, p.secret, place, text)
		}
	}
}
