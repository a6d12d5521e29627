package agui_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// badInput is a body that POST /agui refuses, and the problem that it answers with.
type badInput struct {
	name, body string
	status     int
	code       string
}

// badMessages lists inputs with invalid ids or messages. None of their answers may
// repeat secret.
func badMessages(secret, long string) []badInput {
	return []badInput{
		{"not JSON", `{"threadId": ` + secret, 400, "invalid_input"},
		{"an empty body", ``, 400, "empty_body"},
		{"an empty object", `{}`, 400, "invalid_input"},
		{"no runId", anInput(m{"runId": nil}), 400, "invalid_input"},
		{"a threadId with a line break", anInput(m{"threadId": "a\nb"}), 400, "invalid_input"},
		{"a threadId that is too long", anInput(m{"threadId": long}), 400, "invalid_input"},
		{"no messages", anInput(m{"messages": nil}), 400, "invalid_input"},
		{"messages that are not a list", anInput(m{"messages": "hello"}), 400, "invalid_input"},
		{"an unknown role", anInput(messages(m{"id": "1", "role": secret, "content": "x"})), 400, "invalid_input"},
		{"a message without an id", anInput(messages(m{"role": "user", "content": "x"})), 400, "invalid_input"},
		{"a message without content", anInput(messages(m{"id": "1", "role": "user"})), 400, "invalid_input"},
		{"content that is a number", anInput(messages(m{"id": "1", "role": "user", "content": 7})), 400,
			"invalid_input"},
		{"a part of an unknown type", anInput(messages(m{"id": "1", "role": "user",
			"content": []m{{"type": secret}}})), 400, "invalid_input"},
		{"a blank message", anInput(messages(m{"id": "1", "role": "user", "content": " \n"})), 400, "empty_content"},
		{"a last message of the assistant", anInput(messages(m{"id": "1", "role": "assistant", "content": "x"})),
			400, "nothing_new"},
		{"an empty list of messages", anInput(messages()), 400, "invalid_input"},
		{"a result for a call that does not wait", anInput(messages(m{"id": "1", "role": "tool",
			"toolCallId": "turn_1_call_1", "content": "x"})), 400, "nothing_new"},
	}
}

// badMembers lists inputs whose tools, context, resume or properties are invalid.
func badMembers(secret, long string) []badInput {
	return []badInput{
		{"a tool without a name", anInput(m{"tools": []m{{"name": ""}}}), 400, "invalid_input"},
		{"a tool with a space in its name", anInput(m{"tools": []m{{"name": "a b"}}}), 400, "invalid_input"},
		{"a tool with the name of a tool of the agent", anInput(m{"tools": []m{{"name": "clock",
			"description": "x"}}}), 400, "bad_tool"},
		{"two tools with the same name", anInput(m{"tools": []m{{"name": "mine"}, {"name": "mine"}}}), 400, "bad_tool"},
		{"parameters that are not a schema", anInput(m{"tools": []m{{"name": "mine", "parameters": m{"type": 7}}}}),
			400, "bad_tool"},
		{"parameters that do not describe an object", anInput(m{"tools": []m{{"name": "mine",
			"parameters": m{"type": "array"}}}}), 400, "bad_tool"},
		{"a schema that is too large", anInput(m{"tools": []m{{"name": "mine",
			"parameters": m{"description": long}}}}), 400, "invalid_input"},
		{"a context that is too large", anInput(m{"context": []m{{"description": "x", "value": long}}}), 400,
			"invalid_input"},
		{"an interrupt that is not open", anInput(m{"resume": []m{{"interruptId": secret, "status": "resolved"}}}), 409,
			"no_interrupt"},
		{"a resume with an unknown status", anInput(m{"resume": []m{{"interruptId": "x", "status": "maybe"}}}), 400,
			"invalid_input"},
		{"an unknown level of reasoning", anInput(m{"forwardedProps": m{"reasoning": "some"}}), 400, "invalid_input"},
	}
}

func TestInvalidInputsAreRefusedBeforeAnyStream(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 10_000, WritesPerSecond: 1 << 20}, m{
		"steps": []m{answering("Hello.")},
		"tools": m{"clock": m{"result": 1}}})
	secret, long := apptest.Plant()[3].Text, strings.Repeat("x", 70_000)
	for _, tt := range slices.Concat(badMessages(secret, long), badMembers(secret, long)) {
		t.Run(tt.name, func(t *testing.T) {
			r := s.Do("ann", http.MethodPost, "/agui", tt.body)
			assert.Equal(t, tt.status, r.Status, r.Body)
			assert.Equal(t, tt.code, r.JSON()["error"])
			assert.Contains(t, r.Header.Get("Content-Type"), "application/json")
			apptest.AssertAbsent(t, secret, "the answer", r.Body)
		})
	}
	asText := apptest.Header("Content-Type", "text/plain")
	plain := s.Do("ann", http.MethodPost, "/agui", anInput(nil), asText)
	assert.Equal(t, http.StatusUnsupportedMediaType, plain.Status)
	nobody := s.Do("nobody", http.MethodPost, "/agui", anInput(nil))
	assert.Equal(t, http.StatusUnauthorized, nobody.Status)
	large := s.Do("ann", http.MethodPost, "/agui", strings.Repeat(" ", 9<<20))
	assert.Equal(t, http.StatusRequestEntityTooLarge, large.Status)
	assert.Equal(t, http.StatusNotFound, s.Do("ann", http.MethodGet, "/agui/threads/none/events", "").Status)
	threads := s.Do("ann", http.MethodGet, "/api/chat/threads", "").Body
	assert.Contains(t, threads, `"threads":[]`, "no refused input opened a thread")
	apptest.AssertAbsent(t, secret, "the logs", s.Logs.String())
}
