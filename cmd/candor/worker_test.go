package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// runWorker runs candor worker in this process and gives what it returned and wrote.
func (s *server) runWorker(ctx context.Context, id, token string, flags ...string) (*logBuffer, error) {
	s.t.Setenv("CANDOR_JOB_TOKEN", token)
	return s.runWorkerQuietly(ctx, id, flags...)
}

// logged is one event of a job's page.
type logged struct {
	ID   int             `json:"id"`
	Kind string          `json:"event_type"`
	Raw  json.RawMessage `json:"data"`
}

// page is the whole log of a job, in order.
func (s *server) page(id string) (all []logged) {
	s.t.Helper()
	var p struct {
		Events []logged `json:"events"`
		More   bool     `json:"has_more"`
	}
	r := s.do("ann", "GET", "/api/jobs/"+id+"/events", "")
	require.Equal(s.t, 200, r.status, r.body)
	require.NoError(s.t, json.Unmarshal([]byte(r.body), &p))
	require.False(s.t, p.More)
	return p.Events
}

func kindsOf(events []logged) (kinds []string) {
	for _, e := range events {
		kinds = append(kinds, strings.TrimPrefix(e.Kind, "job_"))
	}
	return kinds
}

const workPrompt = "what time is it, and find the word Follow in the session folder"

func TestAWorkersReasonsAreOnTheStreamAndInTheJobsPage(t *testing.T) {
	s := startServer(t, settings{}, nil)
	s.begin("ann")
	c, err := s.subscribe(t.Context(), "ann", "", "")
	require.NoError(t, err)
	defer c.body.Close()
	id, token := s.aJob(workPrompt)
	out, err := s.runWorker(t.Context(), id, token)
	require.NoError(t, err, out.String())
	assert.Contains(t, out.String(), "Job "+id+" is done.")

	frames, events := c.until(t, "job_result"), s.page(id)
	require.Len(t, frames, len(events))
	for i, f := range frames {
		assert.Equal(t, events[i].Kind, f.event)
		assert.JSONEq(t, string(events[i].Raw), f.data, "the page equals the stream")
	}
	assert.Equal(t, []string{"started", "status", "tool_use", "tool_use", "tool_result", "tool_result", "reasoning", "message", "result"}, kindsOf(events))
	var reasoning struct {
		Type      string `json:"type"`
		JobID     string `json:"job_id"`
		Narrative string `json:"narrative"`
		Decisions []struct {
			Tool      string `json:"tool_name"`
			Rationale string `json:"rationale"`
			Source    string `json:"rationale_source"`
			Outcome   string `json:"outcome"`
			Group     *int   `json:"parallel_group"`
		} `json:"tool_decisions"`
	}
	require.NoError(t, json.Unmarshal([]byte(frames[6].data), &reasoning))
	assert.Equal(t, "job_reasoning", reasoning.Type)
	assert.Equal(t, id, reasoning.JobID)
	assert.Contains(t, reasoning.Narrative, "they run together")
	require.Len(t, reasoning.Decisions, 2)
	assert.Equal(t, "file_search", reasoning.Decisions[1].Tool)
	assert.Contains(t, reasoning.Decisions[1].Rationale, "find the word Follow")
	assert.Equal(t, "model", reasoning.Decisions[1].Source)
	assert.Equal(t, "success", reasoning.Decisions[1].Outcome)
	assert.Equal(t, new(0), reasoning.Decisions[1].Group)
	assert.Equal(t, "completed", s.do("ann", "GET", "/api/jobs/"+id, "").json(t)["state"])

	_, err = s.runWorker(t.Context(), id, token)
	assert.Equal(t, 4, exitStatus(err), "there is nothing more to do: %v", err)
	assert.NotContains(t, err.Error(), token)
}

func TestAWorkerThatCannotBeginSaysWhy(t *testing.T) {
	s := startServer(t, settings{}, nil)
	id, token := s.aJob("x")
	for want, args := range map[string][]string{
		"CANDOR_JOB_TOKEN":       {"", id},
		"has to be a URL":        {token, id, "--server", "localhost"},
		"no user, query or":      {token, id, "--server", "http://me:secret@localhost"},
		"the job is over":        {"wrong", id},
		"no provider called":     {token, id, "--provider", "nobody"},
		"workspace":              {token, id, "--workspace", "no-such-folder"},
		"takes no argument":      {token, id, "more"},
		"--log-level":            {token, id, "--log-level", "loud"},
		"there is no such varia": {token, id, "--secret-env", "NO_SUCH_VARIABLE_HERE"},
	} {
		out, err := s.runWorker(t.Context(), args[1], args[0], args[2:]...)
		require.Error(t, err, want)
		assert.Contains(t, err.Error(), want)
		assert.NotContains(t, err.Error()+out.String(), token)
		assert.NotContains(t, err.Error()+out.String(), "me:secret")
	}
}

func TestCancelReachesAWorkersRunningTool(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { // after the server has gone
		http.DefaultClient.CloseIdleConnections()
		goleak.VerifyNone(t, before)
	})
	s := startServer(t, settings{}, nil)
	id, token := s.aJob("wait")
	exit := make(chan error, 1)
	file := scriptFile(t, slow(600_000))
	t.Setenv("CANDOR_JOB_TOKEN", token)
	go func() {
		_, err := s.runWorkerQuietly(t.Context(), id, "--provider", "script", "--script", file)
		exit <- err
	}()
	eventually(t, "the tool runs", func() bool { return strings.Contains(strings.Join(kindsOf(s.page(id)), " "), "tool_use") })
	require.Equal(t, 202, s.do("ann", "POST", "/api/jobs/"+id+"/cancel", "{}").status)
	assert.Equal(t, 4, exitStatus(<-exit))
	kinds := kindsOf(s.page(id))
	assert.Equal(t, []string{"started", "status", "tool_use", "status"}, kinds, "nothing is taken after a cancel")
}

func TestAWorkerGoesOnWithFurtherPromptsUntilTheLast(t *testing.T) {
	s := startServer(t, settings{}, nil)
	id, token := s.aJob("what time is it?")
	t.Setenv("CANDOR_JOB_TOKEN", token)
	exit := make(chan error, 1)
	go func() {
		_, err := s.runWorkerQuietly(t.Context(), id, "--follow-ups")
		exit <- err
	}()
	messages := func() int { return strings.Count(strings.Join(kindsOf(s.page(id)), " "), "message") }
	eventually(t, "the first turn has ended", func() bool { return messages() == 1 })
	require.Equal(t, 202, s.do("ann", "POST", "/api/jobs/"+id+"/prompt", `{"content":"find the word Follow in the session folder"}`).status)
	eventually(t, "the second, too", func() bool { return messages() == 3 })
	require.Equal(t, 202, s.do("ann", "POST", "/api/jobs/"+id+"/prompt", `{"content":"what time is it?","done":true}`).status)
	require.NoError(t, <-exit)
	events := s.page(id)
	assert.Equal(t, []string{"started", "status",
		"tool_use", "tool_result", "reasoning", "message", "message",
		"tool_use", "tool_result", "reasoning", "message", "message",
		"tool_use", "tool_result", "reasoning", "message", "result"}, kindsOf(events))
	assert.Contains(t, string(events[12].Raw), `"call_id":"call_3"`, "calls count on in the job")
}

func TestAFailedTurnEndsTheJobAsFailed(t *testing.T) {
	s := startServer(t, settings{}, nil)
	id, token := s.aJob("x")
	file := scriptFile(t, map[string]any{"steps": []any{map[string]any{"error": "the model is on fire"}}})
	_, err := s.runWorker(t.Context(), id, token, "--provider", "script", "--script", file)
	assert.Equal(t, 1, exitStatus(err))
	job := s.do("ann", "GET", "/api/jobs/"+id, "").json(t)
	assert.Equal(t, "failed", job["state"])
	assert.Contains(t, job["message"], "on fire")
}

// What a sub-agent does is in the log, under calls of its own.
func TestAWorkersSubAgentsAreRecorded(t *testing.T) {
	s := startServer(t, settings{}, nil)
	id, token := s.aJob("x")
	_, err := s.runWorker(t.Context(), id, token, "--provider", "script", "--script", "../../testdata/turns/sub-agent/script.json")
	require.NoError(t, err)
	kinds := strings.Join(kindsOf(s.page(id)), " ")
	assert.Contains(t, kinds, "tool_use status tool_use tool_result reasoning status tool_result reasoning", "calls within calls: %s", kinds)
}

// runWorkerQuietly is runWorker for a goroutine that is not the test's; the token is
// in the environment already.
func (s *server) runWorkerQuietly(ctx context.Context, id string, flags ...string) (*logBuffer, error) {
	out := &logBuffer{}
	args := append([]string{"candor", "worker", "--server", s.http.URL, "--job", id, "--workspace", "../..", "--poll", "20ms"}, flags...)
	return out, run(ctx, args, strings.NewReader(""), out, out)
}

func TestAWorkerReadsTheEventsOfItsRunOnly(t *testing.T) {
	s := startServer(t, settings{}, nil)
	id, token := s.aJob("x")
	_, others := s.aJob("y")
	events := func(token, query string) reply { return s.do("", "GET", "/worker/"+id+"/events"+query, "", as(token)) }
	require.Equal(t, 200, s.post(id, token, reasoningPost).status)
	assert.Equal(t, s.do("ann", "GET", "/api/jobs/"+id+"/events", "").body, events(token, "").body, "the user's list, in the user's shape")
	for _, wrong := range []string{others, "", tokenOf("ann")} {
		assert.Equal(t, 401, events(wrong, "").status)
	}
	require.Equal(t, 202, s.do("ann", "POST", "/api/jobs/"+id+"/cancel", "{}").status)
	assert.Equal(t, 401, events(token, "").status)
	fresh := s.do("ann", "POST", "/api/jobs/"+id+"/restart", "{}").json(t)["token"].(string)
	assert.Empty(t, events(fresh, "").json(t)["events"], "what an earlier run did is not this run's")
	many := strings.TrimSuffix(strings.Repeat(`{"event":"status","state":"s"},`, 100), ",")
	for range 6 {
		require.Equal(t, 200, s.post(id, fresh, "["+many+"]").status)
	}
	first := events(fresh, "").json(t)
	list := first["events"].([]any)
	require.Len(t, list, 500)
	assert.Equal(t, true, first["has_more"])
	last := list[499].(map[string]any)["id"].(float64)
	second := events(fresh, fmt.Sprintf("?after=%.0f", last)).json(t)
	assert.Len(t, second["events"], 100)
	assert.Equal(t, false, second["has_more"])
	assert.Equal(t, 400, events(fresh, "?after=x").status)
}

// A worker that was stopped between prompts takes up those that nobody answered,
// also one that another worker fetched and died with.
func TestAnotherWorkerTakesUpThePromptsThatWereNotAnswered(t *testing.T) {
	s := startServer(t, settings{}, nil)
	id, token := s.aJob("what time is it?")
	t.Setenv("CANDOR_JOB_TOKEN", token)
	ctx, stop := context.WithCancel(t.Context())
	exit := make(chan error, 1)
	go func() {
		_, err := s.runWorkerQuietly(ctx, id, "--follow-ups")
		exit <- err
	}()
	eventually(t, "the first turn has ended", func() bool { return strings.Contains(strings.Join(kindsOf(s.page(id)), " "), "message") })
	stop()
	require.ErrorIs(t, <-exit, context.Canceled)
	say := func(body string) {
		require.Equal(t, 202, s.do("ann", "POST", "/api/jobs/"+id+"/prompt", body).status)
	}
	say(`{"content":"find the word Follow in the session folder"}`)
	require.Equal(t, 200, s.do("", "GET", "/worker/"+id+"/prompt", "", as(token)).status, "fetched by a worker that dies now")
	say(`{"content":"list the files in the agent folder"}`)
	say(`{"content":"","done":true}`)
	out, err := s.runWorkerQuietly(t.Context(), id, "--follow-ups")
	require.NoError(t, err, out.String())
	var tools []string
	for _, e := range s.page(id) {
		if e.Kind == "job_tool_use" {
			tools = append(tools, decoded(t, e.Raw)["tool_name"].(string))
		}
	}
	assert.Equal(t, []string{"time", "file_search", "file_list"}, tools)
}

// SIGTERM stops the tools, leaves a log without loose ends and the job open.
func TestAStoppedWorkerLeavesItsJobToTheNext(t *testing.T) {
	s := startServer(t, settings{}, nil)
	id, token := s.aJob("wait")
	file := scriptFile(t, slow(600_000))
	t.Setenv("CANDOR_JOB_TOKEN", token)
	ctx, stop := context.WithCancel(t.Context())
	exit := make(chan error, 1)
	go func() {
		_, err := s.runWorkerQuietly(ctx, id, "--provider", "script", "--script", file)
		exit <- err
	}()
	eventually(t, "the tool runs", func() bool { return strings.Contains(strings.Join(kindsOf(s.page(id)), " "), "tool_use") })
	stop()
	require.ErrorIs(t, <-exit, context.Canceled)
	events := s.page(id)
	require.Equal(t, []string{"started", "status", "tool_use", "tool_result", "reasoning", "status"}, kindsOf(events))
	assert.Contains(t, string(events[3].Raw), `"outcome":"cancelled"`)
	assert.Contains(t, string(events[4].Raw), `"rationale":"to wait","rationale_source":"model"`)
	assert.Equal(t, "running", s.do("ann", "GET", "/api/jobs/"+id, "").json(t)["state"])
	_, err := s.runWorkerQuietly(t.Context(), id, "--provider", "script", "--script", file)
	require.NoError(t, err)
	assertWhole(t, s.page(id))
}

func TestATokenThatAToolComesByStaysOutOfTheLog(t *testing.T) {
	s := startServer(t, settings{}, nil)
	id, token := s.aJob("x")
	file := scriptFile(t, map[string]any{
		"steps": []any{
			map[string]any{"narrative": "I have " + token, "tool_calls": []any{map[string]any{"name": "env", "arguments": map[string]any{"x": token}, "rationale": "for " + token}}},
			map[string]any{"text": "it is " + token},
		},
		"tools": map[string]any{"env": map[string]any{"result": map[string]any{"found": token}}},
	})
	out, err := s.runWorker(t.Context(), id, token, "--provider", "script", "--script", file)
	require.NoError(t, err)
	body := s.do("ann", "GET", "/api/jobs/"+id+"/events", "").body
	assert.Contains(t, body, "REDACTED")
	assert.NotContains(t, body+out.String()+s.logs.String(), token)
}
