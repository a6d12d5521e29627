package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
)

// repeating is a script that says a password without its name in every place where a model
// or a tool can put text. Only the first step's arguments name it, after its narrative.
func repeating(password string) apptest.M {
	said := "I log in with " + password + " now. Its base64 is " + base64.StdEncoding.EncodeToString(
		[]byte(password),
	) + "."
	call := func(tool string, args apptest.M) apptest.M {
		return apptest.M{"name": tool, "arguments": args, "rationale": said}
	}
	return apptest.M{
		"steps": []any{
			apptest.M{"narrative": said, "tool_calls": []any{
				call("works", apptest.M{"note": said}), call("works", apptest.M{"password": password}),
			}},
			apptest.M{"narrative": said, "tool_calls": []any{
				call("works", apptest.M{"nested": []any{said}, said: 1}), call("fails", apptest.M{}),
				call("panics", apptest.M{}),
				call("nobody "+password, apptest.M{}), call("helper", apptest.M{"task": said}),
				call("careful", apptest.M{"note": said}), // refused, since a shell would act on the password
				call("careful", apptest.M{"note": "log in"}),
			}},
			apptest.M{"text": said},
		},
		"tools": apptest.M{
			"works": apptest.M{
				"result": apptest.M{"out": said, "list": []any{said}},
			}, "fails": apptest.M{"error": said},
			"panics": apptest.M{"panic": said}, "careful": apptest.M{"approval": "ask", "result": said},
		},
		"agents": apptest.M{"helper": apptest.M{
			"steps": []any{
				apptest.M{"narrative": said, "tool_calls": []any{call("looks", apptest.M{"at": said})}},
				apptest.M{"text": said},
			},
			"tools": apptest.M{"looks": apptest.M{"result": said}},
		}},
	}
}

// repeatInJob runs a job of ann's whose every text repeats the password, and returns its id.
func repeatInJob(t *testing.T, s *apptest.Server, password string) string {
	said := "use " + password + " there"
	r := s.Post("ann", "/api/jobs", string(apptest.JSON(t, apptest.M{
		"title": said, "prompt": said, "metadata": apptest.M{"m": said}})))
	require.Equal(t, http.StatusCreated, r.Status, r.Body)
	id, token := r.JSON()["job_id"].(string), r.JSON()["token"].(string)
	for _, e := range []apptest.M{
		{"event": "message", "content": said},
		{"event": "status", "state": said, "message": said},
		{"event": "tool_use", "tool_name": "x", "call_id": "1", "input": apptest.M{"a": said}, "rationale": said,
			"narrative": said, "agent": said},
		{"event": "tool_result", "tool_name": "x", "call_id": "1", "output": said, "error": said},
		{"event": "reasoning", "narrative": said,
			"tool_decisions": []any{apptest.M{"tool_name": "x", "rationale": said}}},
		{"event": "other", "text": said},
		{"event": "result", "success": true, "message": said},
	} {
		posted := s.PostEvents(id, token, string(apptest.JSON(t, e)))
		require.Less(t, posted.Status, 300, posted.Body)
		apptest.AssertAbsent(t, password, "the answer to a worker", posted.Body)
	}
	return id
}

func TestAPasswordThatWasNamedOnceIsInNoTextOfTheSession(t *testing.T) {
	password := "Tr0ub4dor&" + strings.Repeat("cU6", 2) + "bxq"
	s := apptest.Start(t, app.Settings{}, repeating(password))
	thread, origin := s.Begin("ann")
	stream, err := s.Subscribe(t.Context(), "ann", origin, "")
	require.NoError(t, err)
	defer stream.Body.Close()
	s.Send("ann", thread, "log in, please")
	frames := stream.Until(t, "approval_needed")
	s.Approve("ann", frames)
	stream.Until(t, "response")
	s.Send("ann", thread, "and again with "+password)
	s.Approve("ann", stream.Until(t, "approval_needed"))
	stream.Until(t, "response")
	job := repeatInJob(t, s, password)

	places := map[string]string{}
	for _, f := range s.Everything("ann", origin) {
		places["the event stream"] += f.Data + "\n"
	}
	for _, path := range []string{
		"/api/chat/history?thread_id=" + thread, "/api/chat/threads", "/api/chat/search?q=log",
		"/api/chat/export?format=md&thread_id=" + thread, "/api/chat/export?format=html&thread_id=" + thread,
		"/api/chat/export?format=jsonl&thread_id=" + thread, "/agui/threads/" + thread + "/events",
		"/api/jobs", "/api/jobs/" + job, "/api/jobs/" + job + "/events", "/api/jobs/" + job + "/export?format=md",
	} {
		r := s.Get("ann", path)
		require.Equal(t, http.StatusOK, r.Status, "%s: %s", path, r.Body)
		places[path] = r.Body
	}
	for _, args := range [][]string{{"reasoning", thread, "all"}, {"reasoning", "--job", job, "all"}} {
		cmd := program.Command(t.Context(), t, append(args, "--server", s.HTTP.URL)...)
		cmd.Env = append(cmd.Env, "CANDOR_TOKEN="+apptest.TokenOf("ann"))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		places["candor "+args[0]+" "+args[1]] = string(out)
	}
	places["the log of the server"] = s.Logs.String()
	encoded := base64.StdEncoding.EncodeToString([]byte(password))
	for place, text := range places {
		apptest.AssertAbsent(t, password, place, text)
		apptest.AssertAbsent(t, encoded, place+", in base64", text)
	}
	assert.Contains(t, places["the event stream"], "seen-before")

	// Another user's session does not know it.
	theirs, _ := s.Begin("bob")
	r := s.Post(
		"bob",
		"/api/chat/send",
		fmt.Sprintf(`{"thread_id":%q,"content":%q}`, theirs, "it is "+password),
	)
	require.Equal(t, http.StatusAccepted, r.Status)
	assert.Contains(t, s.Get("bob", "/api/chat/history?thread_id="+theirs).Body, "Tr0ub4dor")
}
