package chat_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent/provider/wire"
	"candor/agent/provider/wire/chat"
)

func TestARequestHasItsMembersInOrder(t *testing.T) {
	text, id, none := "What is <in> a/b?", "call_1", ""
	raw, err := wire.Encode(chat.Request{
		Model: "m", ReasoningEffort: "low", Stream: true,
		StreamOptions: &chat.StreamOptions{IncludeUsage: true},
		Messages: []chat.Message{
			{Role: "user", Content: &text},
			{Role: "assistant", ReasoningContent: &text, ToolCalls: []chat.ToolCall{
				{ID: id, Type: "function", Function: chat.FunctionCall{Name: "look", Arguments: "{}"}},
			}},
			{Role: "tool", Content: &none, ToolCallID: &id},
		},
		Tools: []chat.Tool{{Type: "function", Function: chat.FunctionSpec{
			Name: "look", Parameters: map[string]json.RawMessage{
				"type": json.RawMessage(`"object"`), "properties": json.RawMessage(`{"z":{},"a":{}}`),
			},
		}}},
	})
	require.NoError(t, err)
	assert.Equal(t, `{"messages":[{"content":"What is <in> a/b?","role":"user"},`+
		`{"tool_calls":[{"id":"call_1","function":{"arguments":"{}","name":"look"},"type":"function"}],`+
		`"role":"assistant","reasoning_content":"What is <in> a/b?"},`+
		`{"content":"","tool_call_id":"call_1","role":"tool"}],"model":"m","reasoning_effort":"low",`+
		`"stream_options":{"include_usage":true},"tools":[{"function":{"name":"look","description":"",`+
		`"parameters":{"properties":{"z":{},"a":{}},"type":"object"}},"type":"function"}],"stream":true}`, string(raw))
}

func TestAChunkHasReasoningUnderEachName(t *testing.T) {
	got, err := chat.Decode([]byte(`{"model":"m","choices":[{"index":0,"finish_reason":null,"delta":{"content":"c",
		"reasoning":"r","reasoning_content":"rc","reasoning_details":[{"type":"x", "unknown":1.50}],
		"tool_calls":[{"index":1,"id":"i","function":{"name":"n","arguments":"{\"a\":"}}]}}],
		"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,
		"completion_tokens_details":{"reasoning_tokens":4}}}`))
	require.NoError(t, err)
	assert.Equal(t, wire.Text("m"), got.Model)
	assert.Equal(t, wire.Int(4), got.Usage.CompletionTokensDetails.ReasoningTokens)
	assert.Nil(t, got.Error)
	require.Len(t, got.Choices, 1)
	d := got.Choices[0].Delta
	assert.Empty(t, got.Choices[0].FinishReason)
	assert.Equal(t, []string{"c", "r", "rc"}, []string{string(d.Content), d.Reasoning, d.ReasoningContent})
	assert.Equal(t, `{"type":"x", "unknown":1.50}`, string(d.ReasoningDetails[0]), "an entry keeps its bytes")
	assert.Equal(t, wire.Text(`{"a":`), d.ToolCalls[0].Function.Arguments)
}

func TestMembersOfOtherTypesDoNoHarm(t *testing.T) {
	got, err := chat.Decode([]byte(`{"choices":[{"delta":{"content":"c",
		"reasoning":{"text":"?"},"reasoning_details":"?",
		"tool_calls":[{"index":"0","function":{"arguments":{"path":"a"}}}]}}]}`))
	require.NoError(t, err)
	d := got.Choices[0].Delta
	assert.Equal(t, wire.Content("c"), d.Content)
	assert.Empty(t, d.Reasoning)
	assert.Empty(t, d.ReasoningDetails)
	assert.JSONEq(t, `{"path":"a"}`, string(d.ToolCalls[0].Function.Arguments), "some servers send an object")
}

func TestAnErrorInAStreamIsKeptWhateverItsShape(t *testing.T) {
	for _, shape := range []string{`{"message":"busy","code":429}`, `"busy"`, `null`} {
		got, err := chat.Decode([]byte(`{"error":` + shape + `}`))
		require.NoError(t, err)
		assert.Equal(t, shape, string(got.Error))
	}
	_, err := chat.Decode([]byte("[]"))
	assert.Error(t, err)
}
