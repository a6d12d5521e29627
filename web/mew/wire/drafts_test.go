package wire

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDraftsAreReadInTheWordsOfToday(t *testing.T) {
	for _, tt := range []struct{ name, raw, kind, payload string }{
		{"a kind with a dot", `{"kind":"reasoning.start","payload":{"message":"m"}}`,
			"reasoning/start", `{"message":"m"}`},
		{"a kind of others with a dot", `{"kind":"example.org/note"}`, "example.org/note", ""},
		{"a chat's message", `{"kind":"chat","payload":{"message":"hi","n":1}}`,
			"chat", `{"text":"hi","message":"hi","n":1}`},
		{"a chat with both", `{"kind":"chat","payload":{"message":"a","text":"b"}}`,
			"chat", `{"message":"a","text":"b"}`},
		{"a reflection", `{"kind":"reflection","payload":{"thought":"hm"}}`,
			"reasoning/thought", `{"message":"hm","thought":"hm"}`},
		{"a reflection without a payload", `{"kind":"reflection"}`, "reasoning/thought", `{}`},
		{"a conclusion", `{"kind":"conclusion","payload":{"decision":"no"}}`,
			"reasoning/conclusion", `{"message":"no","decision":"no"}`},
		{"a step, which never became a kind", `{"kind":"reasoning.step","payload":{"message":"m"}}`,
			"reasoning/thought", `{"message":"m"}`},
		{"a method within the kind", `{"kind":"mcp/request:tools/call","payload":{"params":{}}}`,
			"mcp/request", `{"method":"tools/call","params":{}}`},
		{"a method within the kind alone", `{"kind":"mcp.proposal:tools/call"}`,
			"mcp/proposal", `{"method":"tools/call"}`},
		{"a response with a method within the kind", `{"kind":"mcp/response:tools/call","payload":{"error":"e"}}`,
			"mcp/response", `{"error":"e"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := Parse([]byte(tt.raw), Options{Drafts: true})
			require.NoError(t, err)
			assert.Equal(t, tt.kind, e.Kind)
			assert.Equal(t, tt.payload, string(e.Payload))
			assert.Equal(t, tt.raw, string(e.Raw), "the bytes stay")
		})
	}
}

func TestDraftsMayCorrelateToOneText(t *testing.T) {
	for _, member := range []string{
		`"correlationId":"m-1"`, `"correlationId":["m-1"]`, `"correlation_id":"m-1"`,
		`"correlation_id":["m-1"],"correlationId":"m-2"`,
	} {
		raw := `{"kind":"x","protocol":"meup/v0.2",` + member + `}`
		e, err := Parse([]byte(raw), Options{Drafts: true})
		require.NoError(t, err, raw)
		assert.Equal(t, []string{"m-1"}, e.CorrelationID, raw)
	}
	_, err := Parse([]byte(`{"kind":"x","correlationId":7}`), Options{Drafts: true})
	assert.ErrorContains(t, err, "correlationId has to be an array")
}

func TestWithoutTheOptionADraftIsNoEnvelopeOfToday(t *testing.T) {
	e := parsed(t, `{"kind":"reasoning.start","correlationId":"m-1"}`)
	assert.Equal(t, "reasoning.start", e.Kind)
	assert.Empty(t, e.CorrelationID)
	_, err := Parse([]byte(`{"kind":"x","protocol":"mew/v9"}`), Options{Drafts: true})
	assert.ErrorContains(t, err, "another protocol")
}

func TestADraftsPayloadMustNotNameAMemberTwice(t *testing.T) {
	_, err := Parse([]byte(`{"kind":"chat","payload":{"message":"a","message":"b"}}`), Options{Drafts: true})
	assert.ErrorContains(t, err, "stands twice")
}
