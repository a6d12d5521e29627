package app_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// door is a way in which text reaches a session of ann's.
type door struct {
	name string
	body func(text string) apptest.M
	path string
	edit []func(*http.Request)
}

// write sends a text through the door.
func (d door) write(s *apptest.Server, text string) apptest.Reply {
	s.T.Helper()
	return s.Post("ann", d.path, string(apptest.JSON(s.T, d.body(text))), d.edit...)
}

// doors opens a thread and a job of ann's, and returns the doors through which text is written. The server has to have
// the space lab of ann's, with the participant scout.
func doors(s *apptest.Server) []door {
	thread, _ := s.Begin("ann")
	job, token := s.NewJob("look")
	worker := apptest.WithToken(token)
	hook := func(text string) apptest.M {
		return apptest.M{"hook_event_name": "PreToolUse", "session_id": "s1", "prompt_id": "p1", "tool_name": "Bash",
			"tool_use_id": "toolu_1", "tool_input": apptest.M{"command": text}, "prompt": "go on"}
	}
	attribute := func(key, value string) apptest.M {
		return apptest.M{"key": key, "value": apptest.M{"stringValue": value}}
	}
	content := func(text string) apptest.M { return apptest.M{"content": text} }
	return []door{
		{name: "chat", path: "/api/chat/send", body: func(text string) apptest.M {
			return apptest.M{"content": text, "thread_id": thread}
		}},
		{name: "a new job", path: "/api/jobs", body: func(text string) apptest.M {
			return apptest.M{"title": "t", "prompt": text}
		}},
		{name: "a job's prompt", path: "/api/jobs/" + job + "/prompt", body: content},
		{name: "a worker's event", path: "/api/jobs/" + job + "/events", edit: []func(*http.Request){worker},
			body: func(text string) apptest.M { return apptest.M{"event": "message", "content": text} }},
		{name: "a worker's event of the first spelling", path: "/worker/" + job + "/event",
			edit: []func(*http.Request){worker},
			body: func(text string) apptest.M { return apptest.M{"event": "message", "content": text} }},
		{name: "a worker's status", path: "/worker/" + job + "/status", edit: []func(*http.Request){worker},
			body: func(text string) apptest.M { return apptest.M{"state": "working", "message": text} }},
		{name: "AG-UI", path: "/agui", body: func(text string) apptest.M {
			return apptest.M{"threadId": "t", "runId": "r", "protocolVersion": "1.0", "context": []apptest.M{},
				"tools": []apptest.M{}, "state": apptest.M{}, "forwardedProps": apptest.M{},
				"messages": []apptest.M{{"id": "m", "role": "user", "content": text}}}
		}},
		{name: "OpenWOP", path: "/v1/runs", body: func(text string) apptest.M {
			return apptest.M{"workflowId": "chat", "inputs": apptest.M{"message": text}}
		}},
		{name: "a space over HTTP", path: "/mew/participants/scout/messages?space=lab",
			edit: []func(*http.Request){apptest.WithToken(apptest.TokenOf("scout"))},
			body: func(text string) apptest.M {
				return apptest.M{"kind": "reasoning/start", "payload": apptest.M{"message": text}}
			}},
		{name: "a hook", path: "/api/hooks/claude", body: hook},
		{name: "a hook that asks for reasons", path: "/api/hooks/claude/reasons", body: func(text string) apptest.M {
			return apptest.M{"hook_event_name": "UserPromptSubmit", "session_id": "s2", "prompt_id": "p2",
				"prompt": text}
		}},
		{name: "a session file", path: "/api/attached", body: func(text string) apptest.M {
			return apptest.M{"agent": "claude", "channel": "file", "session": "s3", "turn": "p3",
				"prompted": apptest.M{"text": text}}
		}},
		{name: "telemetry", path: "/v1/logs", body: func(text string) apptest.M {
			return apptest.M{"resourceLogs": []apptest.M{{"scopeLogs": []apptest.M{{"logRecords": []apptest.M{{
				"timeUnixNano": "1795434560000000000", "body": apptest.M{"stringValue": "claude_code.user_prompt"},
				"attributes": []apptest.M{
					attribute("session.id", "s4"), attribute("prompt.id", "p4"), attribute("prompt", text),
				},
			}}}}}}}
		}},
	}
}

// manySecrets writes a file of so many secrets, and returns its name and a text that has them all.
func manySecrets(t *testing.T, n int) (file, text string) {
	t.Helper()
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("mauve-Otter-%d-kite-%d", 7919*(i+1)%10007, i))
	}
	file, text = filepath.Join(t.TempDir(), "secrets"), strings.Join(all, " and ")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(all, "\n")), 0o600))
	return file, text
}

// TestGuessesAtSecretsAreNoticedAtEveryDoor holds that a text with many known secrets that are not its author's is
// taken once, logged by where the secrets were set, and that the author has to wait after that.
func TestGuessesAtSecretsAreNoticedAtEveryDoor(t *testing.T) {
	file, guesses := manySecrets(t, 40)
	settings := app.Settings{
		Safety: app.SafetySettings{SecretsFile: file}, SendsPerMinute: 1000,
		MEW: app.MEWSettings{SpacesFile: apptest.SpacesFileOf(t, "ann", map[string]bool{"scout": true})},
	}
	for i := range doors(apptest.Start(t, settings, nil)) {
		s := apptest.Start(t, settings, nil)
		joinLab(t, s, apptest.TokenOf("scout"))
		d := doors(s)[i]
		t.Run(d.name, func(t *testing.T) {
			s.T = t
			author := "ann"
			if len(d.edit) > 0 && strings.HasPrefix(d.path, "/mew") {
				author = "scout"
			}
			own := d.write(s, "mine is "+apptest.TokenOf(author))
			require.Less(t, own.Status, 300, own.Body)
			require.NotContains(t, s.Logs.String(), "a known secret", "one's own")
			require.Less(t, d.write(s, guesses).Status, 300)
			assert.Contains(t, s.Logs.String(), "user=ann")
			assert.Contains(t, s.Logs.String(), "value 1 of --secrets-file")
			r := d.write(s, "one more")
			assert.Equal(t, http.StatusTooManyRequests, r.Status, r.Body)
			assert.Contains(t, r.Body, "not yours")
			if author == "ann" {
				assert.NotEmpty(t, r.Header.Get("Retry-After"))
			} else {
				assert.Less(t, s.Post("ann", "/api/chat/thread/new", "{}").Status, 300, "the owner pays for no guest")
			}
			assert.Less(t, s.Post("bob", "/api/chat/thread/new", "{}").Status, 300)
			assert.Contains(t, s.Get("bob", "/metrics").Body, "candor_secret_guesses_total")
			apptest.AssertAbsent(t, "mauve-Otter", "the log", s.Logs.String())
		})
	}
}

func TestAParticipantWhoGuessesOverASocketIsSlowed(t *testing.T) {
	file, guesses := manySecrets(t, 40)
	s := apptest.Start(t, app.Settings{
		Safety: app.SafetySettings{SecretsFile: file},
		MEW:    app.MEWSettings{SpacesFile: apptest.SpacesFileOf(t, "ann", map[string]bool{"scout": true})},
	}, nil)
	p := joinLab(t, s, apptest.TokenOf("scout"))
	p.send(string(apptest.JSON(t, apptest.M{"kind": "reasoning/start", "payload": apptest.M{"message": guesses}})))
	require.Contains(t, p.read(), "reasoning/start")
	p.send(`{"kind":"chat","payload":{"text":"one more"}}`)
	assert.Contains(t, p.read(), "not yours")
	assert.Contains(t, s.Logs.String(), "space=lab")
}

func TestSecretsThatAreEasyToGuessAreNamedAtTheStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secrets")
	require.NoError(t, os.WriteFile(file, []byte("9f1c07d3e28b4a65b0c7\nproduction\n"), 0o600))
	s := apptest.Start(t, app.Settings{Safety: app.SafetySettings{SecretsFile: file}}, nil)
	assert.Regexp(t, `easy to guess.* secrets="the token of user ann; .*; value 2 of --secrets-file .*" all=3`,
		s.Logs.String())
	assert.NotContains(t, s.Logs.String(), "value 1 of")
	assert.NotContains(t, s.Logs.String(), "production")
}
