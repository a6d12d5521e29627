package worker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// runWorker runs candor worker in this process and returns its output and its error.
func runWorker(ctx context.Context, s *apptest.Server, id, token string, flags ...string) (*apptest.LogBuffer, error) {
	s.T.Setenv("CANDOR_JOB_TOKEN", token)
	return runWorkerQuietly(ctx, s, id, flags...)
}

const workPrompt = "what time is it, and find the word Follow in the session folder"

func TestWorkerReasonsAreInTheEventStreamAndTheJobLog(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	s.Begin("ann")
	c, err := s.Subscribe(t.Context(), "ann", "", "")
	require.NoError(t, err)
	defer c.Body.Close()
	id, token := s.NewJob(workPrompt)
	out, err := runWorker(t.Context(), s, id, token)
	require.NoError(t, err, out.String())
	assert.Contains(t, out.String(), "Job "+id+" is done.")

	frames, events := c.Until(t, "job_result"), s.JobEvents(id)
	require.Equal(t, "position", frames[0].Event)
	frames = frames[1:]
	require.Len(t, frames, len(events))
	for i, f := range frames {
		assert.Equal(t, events[i].Kind, f.Event)
		assert.JSONEq(t, string(events[i].Raw), f.Data, "the page equals the stream")
	}
	assert.Equal(t, []string{"started", "status", "tool_use", "tool_use", "tool_result", "tool_result", "reasoning",
		"message", "result"}, apptest.KindsOf(events))
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
			Call      string `json:"call_id"`
			Inferred  bool   `json:"inferred"`
		} `json:"tool_decisions"`
	}
	require.NoError(t, json.Unmarshal([]byte(frames[6].Data), &reasoning))
	assert.Equal(t, "job_reasoning", reasoning.Type)
	assert.Equal(t, id, reasoning.JobID)
	assert.Contains(t, reasoning.Narrative, "they run together")
	require.Len(t, reasoning.Decisions, 2)
	assert.Equal(t, "file_search", reasoning.Decisions[1].Tool)
	assert.Contains(t, reasoning.Decisions[1].Rationale, "find the word Follow")
	assert.Equal(t, "model", reasoning.Decisions[1].Source)
	assert.Equal(t, "success", reasoning.Decisions[1].Outcome)
	assert.Equal(t, new(0), reasoning.Decisions[1].Group)
	assert.Equal(t, "call_2", reasoning.Decisions[1].Call, "the worker says which call a reason is about")
	assert.False(t, reasoning.Decisions[1].Inferred)
	assert.Equal(t, "completed", s.Do("ann", "GET", "/api/jobs/"+id, "").JSON()["state"])

	_, err = runWorker(t.Context(), s, id, token)
	assert.Equal(t, 4, command.ExitStatus(err), "the job is over: %v", err)
	assert.NotContains(t, err.Error(), token)
}

func TestWorkerExplainsWhyItCannotStart(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("x")
	for want, args := range map[string][]string{
		"CANDOR_JOB_TOKEN":               {"", id},
		"must be a URL":                  {token, id, "--server", "localhost"},
		"must not have a user, query or": {token, id, "--server", "http://me:secret@localhost"},
		"the job is over":                {"wrong", id},
		"no provider":                    {token, id, "--provider", "nobody"},
		"workspace":                      {token, id, "--workspace", "no-such-folder"},
		`not the argument "more"`:        {token, id, "more"},
		"--log-level":                    {token, id, "--log-level", "loud"},
		"there is no such varia":         {token, id, "--secret-env", "NO_SUCH_VARIABLE_HERE"},
	} {
		out, err := runWorker(t.Context(), s, args[1], args[0], args[2:]...)
		require.Error(t, err, want)
		assert.Contains(t, err.Error(), want)
		assert.NotContains(t, err.Error()+out.String(), token)
		assert.NotContains(t, err.Error()+out.String(), "me:secret")
	}
}

func TestCancelStopsTheRunningToolOfAWorker(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { // runs after the server was closed
		http.DefaultClient.CloseIdleConnections()
		goleak.VerifyNone(t, before)
	})
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("wait")
	exit := make(chan error, 1)
	file := apptest.ScriptFile(t, apptest.Waiting(600_000))
	t.Setenv("CANDOR_JOB_TOKEN", token)
	go func() {
		_, err := runWorkerQuietly(t.Context(), s, id, "--provider", "script", "--script", file)
		exit <- err
	}()
	apptest.Eventually(t, "the tool runs",
		func() bool { return strings.Contains(strings.Join(apptest.KindsOf(s.JobEvents(id)), " "), "tool_use") })
	require.Equal(t, 202, s.Do("ann", "POST", "/api/jobs/"+id+"/cancel", "{}").Status)
	assert.Equal(t, 4, command.ExitStatus(<-exit))
	kinds := apptest.KindsOf(s.JobEvents(id))
	assert.Equal(t, []string{"started", "status", "tool_use", "status"}, kinds, "no event is accepted after a cancel")
}

func TestWorkerProcessesFollowUpPromptsUntilTheLast(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("what time is it?")
	t.Setenv("CANDOR_JOB_TOKEN", token)
	exit := make(chan error, 1)
	go func() {
		_, err := runWorkerQuietly(t.Context(), s, id, "--follow-ups")
		exit <- err
	}()
	messages := func() int { return strings.Count(strings.Join(apptest.KindsOf(s.JobEvents(id)), " "), "message") }
	apptest.Eventually(t, "the first turn has ended", func() bool { return messages() == 1 })
	require.Equal(t, 202, s.Do("ann", "POST", "/api/jobs/"+id+"/prompt",
		`{"content":"find the word Follow in the session folder"}`).Status)
	apptest.Eventually(t, "the second turn has ended", func() bool { return messages() == 3 })
	require.Equal(t, 202, s.Do("ann", "POST", "/api/jobs/"+id+"/prompt",
		`{"content":"what time is it?","done":true}`).Status)
	require.NoError(t, <-exit)
	events := s.JobEvents(id)
	assert.Equal(t, []string{"started", "status",
		"tool_use", "tool_result", "reasoning", "message", "message",
		"tool_use", "tool_result", "reasoning", "message", "message",
		"tool_use", "tool_result", "reasoning", "message", "result"}, apptest.KindsOf(events))
	assert.Contains(t, string(events[12].Raw), `"call_id":"call_3"`, "call numbers continue within the job")
}

func TestFailedTurnFailsTheJob(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("x")
	file := apptest.ScriptFile(t, map[string]any{"steps": []any{map[string]any{"error": "the model is on fire"}}})
	_, err := runWorker(t.Context(), s, id, token, "--provider", "script", "--script", file)
	assert.Equal(t, 1, command.ExitStatus(err))
	job := s.Do("ann", "GET", "/api/jobs/"+id, "").JSON()
	assert.Equal(t, "failed", job["state"])
	assert.Contains(t, job["message"], "on fire")
}

// The calls of a sub-agent are in the log, nested in the call that started it.
func TestCallsOfSubAgentsAreInTheJobLog(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("x")
	_, err := runWorker(t.Context(), s, id, token, "--provider", "script", "--script",
		"../testdata/turns/sub-agent/script.json")
	require.NoError(t, err)
	kinds := strings.Join(apptest.KindsOf(s.JobEvents(id)), " ")
	assert.Contains(t, kinds, "tool_use status tool_use tool_result reasoning status tool_result reasoning",
		"nested calls: %s", kinds)
}

// runWorkerQuietly is runWorker for a goroutine that is not the test's; the token is
// in the environment already.
func runWorkerQuietly(ctx context.Context, s *apptest.Server, id string, flags ...string) (*apptest.LogBuffer, error) {
	out := &apptest.LogBuffer{}
	args := append([]string{"candor", "worker", "--server", s.HTTP.URL, "--job", id, "--workspace", "..", "--poll",
		"20ms"}, flags...)
	return out, command.Run(ctx, args, strings.NewReader(""), out, out)
}

func TestWorkerReadsOnlyTheEventsOfItsRun(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("x")
	_, others := s.NewJob("y")
	events := func(token, query string) apptest.Reply {
		return s.Do("", "GET", "/worker/"+id+"/events"+query, "", apptest.WithToken(token))
	}
	require.Equal(t, 200, s.PostEvents(id, token, apptest.ReasoningPost).Status)
	assert.Equal(t, s.Do("ann", "GET", "/api/jobs/"+id+"/events", "").Body, events(token, "").Body,
		"the same list in the same format as for the user")
	for _, wrong := range []string{others, "", apptest.TokenOf("ann")} {
		assert.Equal(t, 401, events(wrong, "").Status)
	}
	require.Equal(t, 202, s.Do("ann", "POST", "/api/jobs/"+id+"/cancel", "{}").Status)
	assert.Equal(t, 401, events(token, "").Status)
	fresh := s.Do("ann", "POST", "/api/jobs/"+id+"/restart", "{}").JSON()["token"].(string)
	assert.Empty(t, events(fresh, "").JSON()["events"], "events of an earlier run are not returned")
	many := strings.TrimSuffix(strings.Repeat(`{"event":"status","state":"s"},`, 100), ",")
	for range 6 {
		require.Equal(t, 200, s.PostEvents(id, fresh, "["+many+"]").Status)
	}
	first := events(fresh, "").JSON()
	list := first["events"].([]any)
	require.Len(t, list, 500)
	assert.Equal(t, true, first["has_more"])
	last := list[499].(map[string]any)["id"].(float64)
	second := events(fresh, fmt.Sprintf("?after=%.0f", last)).JSON()
	assert.Len(t, second["events"], 100)
	assert.Equal(t, false, second["has_more"])
	assert.Equal(t, 400, events(fresh, "?after=x").Status)
}

// After a worker was stopped between two prompts, the next one answers those that are still
// unanswered, including one that another worker fetched before it was killed.
func TestNextWorkerAnswersUnansweredPrompts(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("what time is it?")
	t.Setenv("CANDOR_JOB_TOKEN", token)
	ctx, stop := context.WithCancel(t.Context())
	exit := make(chan error, 1)
	go func() {
		_, err := runWorkerQuietly(ctx, s, id, "--follow-ups")
		exit <- err
	}()
	apptest.Eventually(t, "the first turn has ended",
		func() bool { return strings.Contains(strings.Join(apptest.KindsOf(s.JobEvents(id)), " "), "message") })
	stop()
	require.ErrorIs(t, <-exit, context.Canceled)
	say := func(body string) {
		require.Equal(t, 202, s.Do("ann", "POST", "/api/jobs/"+id+"/prompt", body).Status)
	}
	say(`{"content":"find the word Follow in the session folder"}`)
	require.Equal(t, 200, s.Do("", "GET", "/worker/"+id+"/prompt", "", apptest.WithToken(token)).Status,
		"fetched by a worker that is killed now")
	say(`{"content":"list the files in the agent folder"}`)
	say(`{"content":"","done":true}`)
	out, err := runWorkerQuietly(t.Context(), s, id, "--follow-ups")
	require.NoError(t, err, out.String())
	var tools []string
	for _, e := range s.JobEvents(id) {
		if e.Kind == "job_tool_use" {
			tools = append(tools, decoded(t, e.Raw)["tool_name"].(string))
		}
	}
	assert.Equal(t, []string{"time", "file_search", "file_list"}, tools)
}

// SIGTERM stops the tools, completes the log's open calls and leaves the job open.
func TestStoppedWorkerLeavesTheJobOpenForTheNext(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("wait")
	file := apptest.ScriptFile(t, apptest.Waiting(600_000))
	t.Setenv("CANDOR_JOB_TOKEN", token)
	ctx, stop := context.WithCancel(t.Context())
	exit := make(chan error, 1)
	go func() {
		_, err := runWorkerQuietly(ctx, s, id, "--provider", "script", "--script", file)
		exit <- err
	}()
	apptest.Eventually(t, "the tool runs",
		func() bool { return strings.Contains(strings.Join(apptest.KindsOf(s.JobEvents(id)), " "), "tool_use") })
	stop()
	require.ErrorIs(t, <-exit, context.Canceled)
	events := s.JobEvents(id)
	require.Equal(t, []string{"started", "status", "tool_use", "tool_result", "reasoning", "status"},
		apptest.KindsOf(events))
	assert.Contains(t, string(events[3].Raw), `"outcome":"cancelled"`)
	assert.Contains(t, string(events[4].Raw), `"rationale":"to wait","rationale_source":"model"`)
	assert.Equal(t, "running", s.Do("ann", "GET", "/api/jobs/"+id, "").JSON()["state"])
	_, err := runWorkerQuietly(t.Context(), s, id, "--provider", "script", "--script", file)
	require.NoError(t, err)
	assertWhole(t, s.JobEvents(id))
}

func TestJobTokenFoundByAToolIsRedacted(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("x")
	file := apptest.ScriptFile(t, map[string]any{
		"steps": []any{
			map[string]any{"narrative": "I have " + token, "tool_calls": []any{map[string]any{"name": "env",
				"arguments": map[string]any{"x": token}, "rationale": "for " + token}}},
			map[string]any{"text": "it is " + token},
		},
		"tools": map[string]any{"env": map[string]any{"result": map[string]any{"found": token}}},
	})
	out, err := runWorker(t.Context(), s, id, token, "--provider", "script", "--script", file)
	require.NoError(t, err)
	body := s.Do("ann", "GET", "/api/jobs/"+id+"/events", "").Body
	assert.Contains(t, body, "REDACTED")
	assert.NotContains(t, body+out.String()+s.Logs.String(), token)
}
