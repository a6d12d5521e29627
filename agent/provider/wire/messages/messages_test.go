package messages_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent/provider/wire"
	"candor/agent/provider/wire/messages"
)

func TestARequestHasItsMembersInOrder(t *testing.T) {
	raw, err := wire.Encode(messages.Request{
		Model: "m", MaxTokens: 100, Stream: true,
		System:       []messages.TextBlock{{Type: messages.TypeText, Text: "Be brief."}},
		Thinking:     &messages.ThinkingConfig{Type: "enabled", BudgetTokens: 50, Display: "summarized"},
		OutputConfig: &messages.OutputConfig{Effort: "low"},
		ToolChoice:   &messages.ToolChoice{Type: "none"},
		Messages: []messages.InputMessage{{Role: "assistant", Content: []messages.Block{
			messages.ThinkingBlock{Type: messages.TypeThinking},
			messages.RedactedThinkingBlock{Type: messages.TypeRedactedThinking, Data: "d"},
			messages.TextBlock{Type: messages.TypeText, Text: "<hi>"},
			messages.ToolUseBlock{Type: messages.TypeToolUse, ID: "c", Name: "look", Input: json.RawMessage("{}")},
			messages.ToolResultBlock{Type: "tool_result", ToolUseID: "c"},
		}}},
		Tools: []messages.Tool{{Name: "look", InputSchema: messages.InputSchema{Type: "object"}}},
	})
	require.NoError(t, err)
	assert.Equal(t, `{"max_tokens":100,"messages":[{"content":[{"signature":"","thinking":"","type":"thinking"},`+
		`{"data":"d","type":"redacted_thinking"},{"text":"<hi>","type":"text"},`+
		`{"id":"c","input":{},"name":"look","type":"tool_use"},{"tool_use_id":"c","type":"tool_result"}],`+
		`"role":"assistant"}],"model":"m","output_config":{"effort":"low"},`+
		`"system":[{"text":"Be brief.","type":"text"}],`+
		`"thinking":{"budget_tokens":50,"display":"summarized","type":"enabled"},"tool_choice":{"type":"none"},`+
		`"tools":[{"input_schema":{"type":"object"},"name":"look"}],"stream":true}`, string(raw))
}

func TestASchemaKeepsItsOtherMembers(t *testing.T) {
	raw, err := wire.Encode(messages.InputSchema{
		Type: "object", Properties: json.RawMessage(`{"z":{},"a":{}}`), Required: []string{"z"},
		Extra: map[string]json.RawMessage{"title": json.RawMessage(`"T"`), "$defs": json.RawMessage(`{}`)},
	})
	require.NoError(t, err)
	assert.Equal(t,
		`{"properties":{"z":{},"a":{}},"required":["z"],"type":"object","$defs":{},"title":"T"}`, string(raw))
	_, err = wire.Encode(messages.InputSchema{Properties: json.RawMessage("{")})
	assert.Error(t, err, "raw JSON that is none")
}

func TestThinkingReturnsWithTheMembersNobodyDescribed(t *testing.T) {
	for _, tt := range []struct{ name, received, kept string }{
		{"a block of thinking",
			`{"type":"thinking","thinking":"I <look>.","signature":"c2ln","unknown":{"a":[1,2.50]},"also":null}`,
			`{"signature":"c2ln","thinking":"I <look>.","type":"thinking","also":null,"unknown":{"a":[1,2.50]}}`},
		{"a redacted block",
			`{"type":"redacted_thinking","data":"b3BhcXVl","unknown":1.50}`,
			`{"data":"b3BhcXVl","type":"redacted_thinking","unknown":1.50}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			event, err := messages.Decode([]byte(`{"type":"content_block_start","content_block":` + tt.received + `}`))
			require.NoError(t, err)
			opaque, err := wire.Encode(event.ContentBlock)
			require.NoError(t, err)
			assert.JSONEq(t, tt.received, string(opaque))

			var back messages.Block = new(messages.ThinkingBlock)
			if event.ContentBlock.Type == messages.TypeRedactedThinking {
				back = new(messages.RedactedThinkingBlock)
			}
			require.NoError(t, json.Unmarshal(opaque, back))
			raw, err := wire.Encode(back)
			require.NoError(t, err)
			assert.Equal(t, tt.kept, string(raw))
		})
	}
}

func TestEventsAreRead(t *testing.T) {
	start, err := messages.Decode([]byte(`{"type":"message_start","message":{"model":"m","usage":{"input_tokens":1,
		"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":4}}}`))
	require.NoError(t, err)
	assert.Equal(t, wire.Text("m"), start.Message.Model)
	assert.Equal(t, wire.Int(3), start.Message.Usage.CacheReadInputTokens)

	delta, err := messages.Decode([]byte(`{"type":"content_block_delta","index":2,
		"delta":{"type":"signature_delta","signature":"c2ln"}}`))
	require.NoError(t, err)
	assert.Equal(t, wire.Int(2), delta.Index)
	assert.Equal(t, messages.Delta{Type: "signature_delta", Signature: "c2ln"}, delta.Delta)

	end, err := messages.Decode([]byte(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},
		"usage":{"output_tokens":9,"output_tokens_details":{"thinking_tokens":5}}}`))
	require.NoError(t, err)
	assert.Equal(t, wire.Text("end_turn"), end.Delta.StopReason)
	assert.Equal(t, wire.Int(5), end.Usage.OutputTokensDetails.ThinkingTokens)

	strange, err := messages.Decode([]byte(`{"type":"content_block_start","content_block":[1]}`))
	require.NoError(t, err)
	assert.Empty(t, strange.ContentBlock, "a block of another shape does no harm")

	_, err = messages.Decode([]byte("7"))
	assert.Error(t, err)
}
