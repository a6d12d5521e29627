package telemetry_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

var wanted = []string{
	"weather-agent: How warm? => 4 degrees.",
	`  <nil> 1 weather map[city:Oslo] success {"degrees":4}<nil> fallback 0 [telemetry]`,
	"  <nil> 1 ring map[times:2] error <nil>the bell is broken fallback 0 [telemetry]",
	"  I look and ring.",
}

// TestSpansOfAnAgentAreItsDecisions holds that the spans of an agent's run, each in a request of its
// own and the inner ones first, become one turn: its prompt and answer, the calls with parameters,
// results and group, the text before them. No call has a reason, since none was given for it; the
// flattened messages of the whole run are not told again.
func TestSpansOfAnAgentAreItsDecisions(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	for i, one := range run() {
		status, answer := post(t, s, "/v1/traces", "application/json", "", traces(one))
		require.Equal(t, http.StatusOK, status, answer)
		assert.Equal(t, "{}", answer, "span %d", i)
	}
	assert.Equal(t, wanted, decisions(t, s))
}

// TestSpansMayComeTogetherPackedAndTwice holds that a batch with gzip is the same, and that to repeat
// it changes nothing.
func TestSpansMayComeTogetherPackedAndTwice(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	for range 2 {
		status, answer := post(t, s, "/v1/traces", "application/json", "gzip", packed(t, traces(run()...)))
		require.Equal(t, http.StatusOK, status, answer)
	}
	assert.Equal(t, wanted, decisions(t, s))
}

// TestWhatIsNotReadIsNamedInTheAnswerAndCounted holds that a model call without its messages, and a span of an agent of
// a kind that nobody here knows, are named in the answer and in the metrics, and that a span that is no agent's is
// taken without a word.
func TestWhatIsNotReadIsNamedInTheAnswerAndCounted(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	silent := span("3", "", "chat", 1, object{})
	plain := span("5", "", "x", 1, object{"http.route": "/"})
	plain["attributes"] = []any{}
	_, answer := post(t, s, "/v1/traces", "application/json", "", traces(silent, span("4", "", "x", 1, object{}),
		plain))
	assert.JSONEq(t, `{"partialSuccess":{"rejectedSpans":"2","errorMessage":`+
		`"not read: 1 × a model call without gen_ai.output.messages (chat); `+
		`1 × a span of a kind that is not read (x)"}}`,
		answer)
	shown := []any{
		apptest.M{"what": "a model call without gen_ai.output.messages", "name": "chat", "count": 1.0},
		apptest.M{"what": "a span of a kind that is not read", "name": "x", "count": 1.0},
	}
	assert.Equal(t, shown, s.Get("ann", "/api/gateway/status").JSON()["unread_telemetry"])
	assert.NotContains(t, s.Get("ben", "/api/gateway/status").JSON(), "unread_telemetry", "of ann's")
	assert.Contains(t, s.Get("ann", "/metrics").Body,
		`candor_telemetry_unread_total{what="a model call without gen_ai.output.messages"} 1`)
	assert.Contains(t, s.Get("ann", "/metrics").Body, `candor_telemetry_items_total{kind="span"} 3`)
	long := span("3", "", "execute_tool", 1, object{"gen_ai.tool.name": "x", "gen_ai.conversation.id": "c",
		"service": "x"})
	_, answer = post(t, s, "/v1/traces", "application/json", "", traces(long))
	assert.Equal(t, "{}", answer)
}

// TestWhatComesWhileTheServerStopsIsSentAgain holds that spans and records that nobody could tell any more are refused
// in the way that makes exporters repeat them.
func TestWhatComesWhileTheServerStopsIsSentAgain(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	s.App.Close(t.Context())
	for _, path := range []string{"/v1/traces", "/v1/logs"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.HTTP.URL+path,
			bytes.NewReader(traces(span("3", "2", "chat", 1, object{}))))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+apptest.TokenOf("ann"))
		resp, err := s.HTTP.Client().Do(r)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, http.StatusServiceUnavailable, resp.StatusCode, path)
		assert.NotEmpty(t, resp.Header.Get("Retry-After"), path)
	}
}

// TestNoSecretOfASpanIsKept holds that secrets in prompts, texts, arguments, results and errors of
// spans are nowhere in what is kept.
func TestNoSecretOfASpanIsKept(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	for name, secret := range apptest.Fixtures() {
		if name == "password" {
			secret = "password: " + secret // by itself it looks like nothing
		}
		spans := run()
		raw := string(traces(spans...))
		raw = strings.ReplaceAll(raw, "I look and ring.", "With "+secret)
		raw = strings.ReplaceAll(raw, "Oslo", secret)
		raw = strings.ReplaceAll(raw, `{\"degrees\":4}`, secret)
		raw = strings.ReplaceAll(raw, "the bell is broken", secret)
		raw = strings.ReplaceAll(raw, "How warm?", "use "+secret)
		status, answer := post(t, s, "/v1/traces", "application/json", "", []byte(raw))
		require.Equal(t, http.StatusOK, status, answer)
	}
	kept := s.Get("ann", "/api/chat/threads").Body
	for _, th := range s.Session("ann").Threads() {
		kept += s.Get("ann", "/api/chat/history?thread_id="+th.ID).Body
	}
	apptest.AssertNoFixture(t, kept)
}

// record returns a log record of Claude Code.
func record(event string, at int, attrs object) object {
	attrs["session.id"], attrs["prompt.id"] = "s1", "p1"
	var list []object
	for key, value := range attrs {
		list = append(list, object{"key": key, "value": object{"stringValue": value}})
	}
	return object{"timeUnixNano": fmt.Sprint(1795434560+at, "000000000"), "attributes": list,
		"body": object{"stringValue": "claude_code." + event}}
}

// TestRecordsJoinTheHooksOfTheSameCalls holds that Claude Code's records and hooks of one session make
// one turn, in which a call that both tell of is one decision: the hook has the result, and the records
// have the text.
func TestRecordsJoinTheHooksOfTheSameCalls(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	logs, err := json.Marshal(object{"resourceLogs": []object{{"scopeLogs": []object{{"logRecords": []object{
		record("user_prompt", 0, object{"prompt": "Look."}),
		record("assistant_response", 1, object{"response": "I list it.", "request_id": "r1"}),
		record("tool_result", 3, object{"tool_name": "Bash", "tool_use_id": "toolu_1", "success": "true",
			"duration_ms": "900", "tool_input": `{"command":"ls"}`, "request_id": "r1"}),
		record("tool_result", 3, object{"tool_name": "Read", "tool_use_id": "toolu_2", "success": "false",
			"error": "no such file", "tool_input": `{"file_path":"x"}`, "request_id": "r1"}),
		record("hook_registered", 3, object{}), record("surprise", 3, object{}),
	}}}}}})
	require.NoError(t, err)
	status, answer := post(t, s, "/v1/logs", "application/json", "", logs)
	require.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":`+
		`"not read: 1 × an event that is not read (surprise)"}}`, answer)
	for _, hook := range []string{
		`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"toolu_1","tool_input":{"command":"ls"},` +
			`"tool_response":"notes.txt"}`,
		`{"hook_event_name":"Stop","last_assistant_message":"It is there."}`,
	} {
		r := s.Post("ann", "/api/hooks/claude", `{"session_id":"s1","prompt_id":"p1",`+hook[1:])
		require.Equal(t, http.StatusOK, r.Status, r.Body)
	}
	assert.Equal(t, []string{
		"Claude Code: Look. => It is there.",
		`  <nil> 1 Bash map[command:ls] success "notes.txt"<nil> fallback 0 [hooks telemetry]`,
		"  <nil> 1 Read map[file_path:x] error <nil>no such file fallback 0 [telemetry]",
		"  I list it.",
	}, decisions(t, s))
}

// TestNoSecretInANameIsInTheAnswer holds that an exporter's log has no secret by what could not be read.
func TestNoSecretInANameIsInTheAnswer(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	for name, secret := range apptest.Fixtures() {
		if name == "password" {
			secret = "password: " + secret // by itself it looks like nothing
		}
		silent := span("3", "", "chat", 1, object{})
		silent["name"] = secret
		status, answer := post(t, s, "/v1/traces", "application/json", "", traces(silent))
		require.Equal(t, http.StatusOK, status)
		assert.Contains(t, answer, "a model call without gen_ai.output.messages (")
		apptest.AssertNoFixture(t, answer)
	}
}

// TestNoSecretInTheNameOfAServiceIsKept holds that what a process calls itself is cleaned before it becomes the name of
// an agent: in small letters nobody would find a secret in it.
func TestNoSecretInTheNameOfAServiceIsKept(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	secret := apptest.Fixtures()["github_token"]
	raw := strings.ReplaceAll(string(traces(run()...)), "unknown_service:node", secret)
	status, answer := post(t, s, "/v1/traces", "application/json", "", []byte(raw))
	require.Equal(t, http.StatusOK, status, answer)
	kept := strings.ToLower(s.Get("ann", "/api/chat/threads").Body)
	assert.Contains(t, kept, "redacted")
	assert.NotContains(t, kept, strings.ToLower(secret[4:20]))
}
