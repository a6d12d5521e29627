package jobs_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAWorkersReasoningIsStreamedAndListed(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	s.Begin("ann")
	id, token := s.NewJob("summarise the repository")
	c, err := s.Subscribe(t.Context(), "ann", "", "")
	require.NoError(t, err)
	defer c.Body.Close()
	c.Until(t, "position")
	for _, body := range []string{
		`{"event":"status","state":"running","message":"started","iteration":1}`,
		`{"event_type":"tool_use","data":{"tool_name":"shell","input":{"command":"git log"},"call_id":"call_1"}}`,
		`{"event_type":"tool_result","data":{"tool_name":"shell","output":"3 commits","call_id":"call_1"}}`,
		apptest.ReasoningPost,
		`{"event":"message","role":"assistant","content":"There were three commits."}`,
		`{"event":"brand_new","data":{"x":1}}`,
		`{"event":"result","success":true,"message":"done"}`,
	} {
		r := s.PostEvents(id, token, body)
		require.Equal(t, 200, r.Status, r.Body)
	}
	var kinds []string
	var reasoning string
	for _, f := range c.Until(t, "job_result") {
		kinds = append(kinds, f.Event)
		assert.Contains(t, f.Data, id)
		if f.Event == "job_reasoning" {
			reasoning = f.Data
		}
	}
	assert.Equal(t, []string{"job_status", "job_tool_use", "job_tool_result", "job_reasoning", "job_message",
		"job_status", "job_result"}, kinds)
	assert.Contains(t, reasoning, `"tool_decisions":[{"tool_name":"shell",`+
		`"rationale":"ran git log to capture recent commits","rationale_source":"model",`+
		`"outcome":"success","parallel_group":null,"call_id":"call_1","inferred":true}`)
	assert.Contains(t, reasoning, `{"tool_name":"write",`+
		`"rationale":"Tool selected to satisfy the current subtask.","rationale_source":"fallback",`+
		`"outcome":"pending"`)

	page := s.Do("ann", "GET", "/api/jobs/"+id+"/events", "").JSON()
	var listed []string
	for _, e := range page["events"].([]any) {
		listed = append(listed, e.(map[string]any)["event_type"].(string))
	}
	assert.Equal(t, append([]string{"job_started"}, kinds...), listed, "the page equals the stream")
	job := s.Do("ann", "GET", "/api/jobs/"+id, "").JSON()
	assert.Equal(t, "completed", job["state"])
	assert.NotContains(t, job, "token", "the token is shown only once")
	assert.Equal(t, 1.0, s.Do("ann", "GET", "/api/jobs/summary", "").JSON()["completed"])
}

func TestAJobsStreamShowsThatJobOnly(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	thread, origin := s.Begin("ann")
	id, token := s.NewJob("one")
	other, otherToken := s.NewJob("two")
	require.Equal(t, 200, s.PostEvents(other, otherToken, apptest.ReasoningPost).Status)
	s.RunTurns("ann", thread, 1)
	require.Equal(t, 200, s.PostEvents(id, token, `{"event":"result","success":false,"message":"no"}`).Status)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET",
		s.HTTP.URL+"/api/jobs/"+id+"/events?last_event_id="+origin+"&token="+apptest.TokenOf("ann"), nil)
	require.NoError(t, err)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := s.HTTP.Client().Do(req)
	require.NoError(t, err)
	c := apptest.NewStream(resp.Body, "")
	defer c.Body.Close()
	var kinds []string
	for _, f := range c.Until(t, "job_result") {
		kinds = append(kinds, f.Event)
	}
	assert.Equal(t, []string{"job_started", "job_result"}, kinds)
}

func TestARetriedPostIsStoredOnce(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	id, token := s.NewJob("x")
	batch := `{"events":[{"id":"e1","event":"message","content":"one"},{"event":"message","content":"two"}]}`
	key := apptest.Header("Idempotency-Key", "batch-1")
	first := s.PostEvents(id, token, batch, key)
	again := s.PostEvents(id, token, batch, key)
	assert.Equal(t, first.Body, again.Body, "a retry gets the same sequence numbers")
	single := s.PostEvents(id, token, `{"event":"message","content":"three"}`, apptest.Header("Idempotency-Key", "k"))
	assert.Equal(t, single.Body, s.PostEvents(id, token, `{"event":"message","content":"three"}`,
		apptest.Header("Idempotency-Key", "k")).Body)
	end := s.PostEvents(id, token, `{"id":"end","event":"result","success":true}`)
	require.Equal(t, 200, end.Status)
	assert.Equal(t, end.Body, s.PostEvents(id, token, `{"id":"end","event":"result","success":true}`).Body,
		"also for the last post, whose answer may be lost")
	assert.Equal(t, 5.0, s.Do("ann", "GET", "/api/jobs/"+id, "").JSON()["events"])
	assert.Equal(t, 401, s.PostEvents(id, token, `{"event":"message","content":"late"}`).Status)
	assert.Equal(t, 401, s.Do("", "GET", "/worker/"+id+"/job", "", apptest.WithToken(token)).Status)
}

func TestABatchWithAnInvalidEventIsRefusedAsAWhole(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	id, token := s.NewJob("x")
	many := `[` + strings.Repeat(`{"event":"message","content":"x"},`, 100) + `{"event":"message","content":"x"}]`
	decisions := `{"event":"reasoning","tool_decisions":[` + strings.Repeat(`{"tool_name":"a"},`, 9_999) +
		`{"tool_name":"a"}]}`
	for _, tt := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"a decision without a tool name",
			`[{"event":"message","content":"x"},{"event":"reasoning","tool_decisions":[{"rationale":"why"}]}]`,
			400, "no_tool_name"},
		{"a call without a tool name", `{"event":"tool_use","input":{}}`, 400, "no_tool_name"},
		{"an answer that calls a tool", `{"event":"reasoning","answer":true,"tool_decisions":[{"tool_name":"x"}]}`,
			400, "answer_with_decisions"},
		{"an unknown outcome", `{"event":"tool_result","tool_name":"x","outcome":"splendid"}`, 400, "bad_outcome"},
		{"an unknown role", `{"event":"message","role":"root","content":"x"}`, 400, "bad_role"},
		{"an event without a kind", `{"content":"x"}`, 400, "no_kind"},
		{"too many events", many, 400, "bad_batch"},
		{"no events", `[]`, 400, "bad_batch"},
		{"ten thousand decisions", decisions, 400, "too_many_decisions"},
		{"decisions that are not a list", `{"event":"reasoning","tool_decisions":"all"}`, 400, "wrong_type"},
		{"an event of another job", `{"event":"message","content":"x","job_id":"other"}`, 400, "other_job"},
		{"an event after the result", `[{"event":"result"},{"event":"message","content":"x"}]`, 401, "unauthorized"},
		{"a body of 5 MiB", `{"event":"message","content":"` + strings.Repeat("a", 5<<20) + `"}`, 413,
			"body_too_large"},
		{"not JSON", `event=message`, 400, "invalid_json"},
		{"an empty body", ``, 400, "empty_body"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := s.PostEvents(id, token, tt.body)
			require.Equal(t, tt.status, r.Status, r.Body)
			assert.Equal(t, tt.code, r.JSON()["error"])
		})
	}
	job := s.Do("ann", "GET", "/api/jobs/"+id, "").JSON()
	assert.Equal(t, 1.0, job["events"], "no event was stored")
	assert.Equal(t, "pending", job["state"])
}

func TestAllWrongTokensGetTheSameAnswer(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	id, token := s.NewJob("x")
	_, others := s.NewJob("y")
	cancelled, oldToken := s.NewJob("z")
	require.Equal(t, 202, s.Do("ann", "POST", "/api/jobs/"+cancelled+"/cancel", "{}").Status)
	var bodies []string
	for _, r := range []apptest.Reply{
		s.PostEvents(id, "wrong", apptest.ReasoningPost), s.PostEvents(id, others,
			apptest.ReasoningPost), s.PostEvents(id, apptest.TokenOf("ann"), apptest.ReasoningPost),
		s.PostEvents(id, "", apptest.ReasoningPost), s.PostEvents("no-such-job", token,
			apptest.ReasoningPost), s.PostEvents(cancelled, oldToken, apptest.ReasoningPost),
		s.Do("", "GET", "/worker/"+id+"/prompt", "", apptest.WithToken(others)), s.Do("", "GET", "/api/jobs/"+id, "",
			apptest.WithToken(token)),
	} {
		assert.Equal(t, 401, r.Status)
		bodies = append(bodies, r.Body)
	}
	for _, b := range bodies {
		assert.Equal(t, bodies[0], b)
	}
	for _, path := range []string{"", "/events"} {
		assert.Equal(t, 404, s.Do("bob", "GET", "/api/jobs/"+id+path, "").Status, "another user's job does not exist")
	}
	for _, path := range []string{"/cancel", "/restart", "/prompt"} {
		assert.Equal(t, 404, s.Do("bob", "POST", "/api/jobs/"+id+path, `{"content":"x"}`).Status)
	}
}

func TestAnIronClawWorkerCanUseTheWorkerRoutes(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	id, token := s.NewJob("find the secret door")
	worker := func(method, path, body string) apptest.Reply {
		return s.Do("", method, "/worker/"+id+path, body, apptest.WithToken(token))
	}
	job := worker("GET", "/job", "").JSON()
	assert.Equal(t, "find the secret door", job["prompt"])
	assert.Equal(t, 0.0, job["posted"])
	assert.Equal(t, 204, worker("GET", "/prompt", "").Status)
	require.Equal(t, 202, s.Do("ann", "POST", "/api/jobs/"+id+"/prompt", `{"content":"and lock it"}`).Status)
	assert.JSONEq(t, `{"content":"and lock it","done":false}`, worker("GET", "/prompt", "").Body)
	assert.Equal(t, 204, worker("GET", "/prompt", "").Status)
	assert.Equal(t, 200, worker("POST", "/status", `{"state":"running","message":"looking","iteration":2}`).Status)
	reasoning := worker("POST", "/event",
		`{"event_type":"reasoning","data":{"narrative":"n","decisions":[{"tool_name":"look","rationale":"why"}]}}`)
	assert.Equal(t, 200, reasoning.Status)
	assert.Equal(t, 2.0, worker("GET", "/job", "").JSON()["posted"])
	assert.JSONEq(t, `{"status":"ok"}`, worker("POST", "/complete",
		`{"success":true,"message":"found","iterations":3}`).Body)
	assert.Equal(t, 401, worker("POST", "/status", `{}`).Status)
	got := s.Do("ann", "GET", "/api/jobs/"+id, "").JSON()
	assert.Equal(t, "completed", got["state"])
	assert.Equal(t, "found", got["message"])
}

func TestARestartedJobHasANewToken(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	id, old := s.NewJob("x")
	assert.Equal(t, 409, s.Do("ann", "POST", "/api/jobs/"+id+"/restart", "{}").Status)
	require.Equal(t, 200, s.PostEvents(id, old, `{"id":"a","event":"result","success":false}`).Status)
	assert.Equal(t, 409, s.Do("ann", "POST", "/api/jobs/"+id+"/prompt", `{"content":"x"}`).Status)
	r := s.Do("ann", "POST", "/api/jobs/"+id+"/restart", "{}")
	require.Equal(t, 202, r.Status, r.Body)
	fresh := r.JSON()["token"].(string)
	assert.GreaterOrEqual(t, len(fresh), 43, "of 64 letters and digits: 256 bits")
	assert.Equal(t, 401, s.PostEvents(id, old, apptest.ReasoningPost).Status)
	assert.Equal(t, 200, s.PostEvents(id, fresh, apptest.ReasoningPost).Status)
}

// The server cleans the text of every field of every kind of event.
func TestAllTextOfAHostileWorkerIsCleaned(t *testing.T) {
	for _, p := range apptest.Plant() {
		s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
		_, origin := s.Begin("ann")
		id, token := s.NewJob("use " + p.Text)
		said := "look: " + p.Text + " <script>alert(1)</script>"
		for _, e := range []map[string]any{
			{"event": "message", "role": "user", "content": said},
			{"event": "tool_use", "tool_name": said, "call_id": said, "input": map[string]any{"note": said,
				"list": []any{said}, said: 1}},
			{"event": "tool_result", "tool_name": "x", "call_id": said, "output": said, "error": said},
			{"event": "reasoning", "narrative": said, "tool_decisions": []any{map[string]any{"tool_name": said,
				"rationale": said}}},
			{"event": "status", "state": said, "message": said},
			{"event": said, "id": said, "data": map[string]any{"deep": said}},
			{"event": "result", "success": true, "message": said},
		} {
			r := s.PostEvents(id, token, string(apptest.JSON(t, e)))
			require.Equal(t, 200, r.Status, "%s: %s", p.Kind, r.Body)
			apptest.AssertAbsent(t, p.Secret, "the answer", r.Body)
		}
		for place, text := range map[string]string{
			"the job": s.Do("ann", "GET", "/api/jobs/"+id, "").Body, "its events": s.Do("ann", "GET",
				"/api/jobs/"+id+"/events", "").Body,
			"the list": s.Do("ann", "GET", "/api/jobs", "").Body, "the stream": fmt.Sprintf("%+v",
				s.Everything("ann", origin)), "the logs": s.Logs.String(),
		} {
			apptest.AssertAbsent(t, p.Secret, place, text)
		}
	}
}

func TestTheReasoningBehindAJobsAnswerIsShown(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	id, token := s.NewJob("x")
	require.Equal(t, 200, s.PostEvents(id, token, `[
		{"event":"tool_use","tool_name":"ls","narrative":"I look.","narrative_source":"summary"},
		{"event":"reasoning","answer":true,"narrative":"<thinking>raw</thinking>It is clear."},
		{"event":"message","role":"assistant","content":"Here."}]`).Status)
	turn := s.Do("ann", "GET", "/api/jobs/"+id, "").JSON()["turns"].([]any)[0].(map[string]any)
	assert.Equal(t, "summary", turn["reasoning"].(map[string]any)["narrative_source"])
	answer := turn["answer_reasoning"].(map[string]any)
	assert.Equal(t, "It is clear.", answer["narrative"])
	assert.Equal(t, "summary", answer["narrative_source"], "a model tells nothing about an answer but its provider")
	assert.Equal(t, "Here.", turn["response"])
}

func TestAJobsAnswersAndNarrativesAreRendered(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	id, token := s.NewJob("x")
	require.Equal(t, 200, s.PostEvents(id, token, `[
		{"event":"reasoning","narrative":"I **look**.","tool_decisions":[{"tool_name":"shell","rationale":"to see"}]},
		{"event":"message","role":"assistant","content":"It is *there*. <script>x</script>"}]`).Status)
	turn := s.Do("ann", "GET", "/api/jobs/"+id+"?render=html", "").JSON()["turns"].([]any)[0].(map[string]any)
	assert.Contains(t, turn["response_html"], "<em>there</em>")
	assert.NotContains(t, turn["response_html"], "<script>")
	assert.Contains(t, turn["reasoning"].(map[string]any)["narrative_html"], "<strong>look</strong>")
	assert.NotContains(t, s.Do("ann", "GET", "/api/jobs/"+id, "").Body, "_html")
	assert.Equal(t, "bad_render", s.Do("ann", "GET", "/api/jobs/"+id+"?render=pdf", "").JSON()["error"])
}
