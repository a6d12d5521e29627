package responses_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent/provider/wire"
	"candor/agent/provider/wire/responses"
)

func TestARequestHasItsMembersInOrder(t *testing.T) {
	system := "Be brief."
	raw, err := wire.Encode(responses.Request{
		Model: "m", Stream: true, Instructions: &system,
		Include:   []string{responses.EncryptedReasoning},
		Reasoning: &responses.Reasoning{Summary: "auto"},
		Input: []responses.Input{
			responses.InputMessage{Role: "user", Content: "<hi>"},
			responses.RawItem{RawMessage: json.RawMessage(`{"type":"reasoning","unknown":[1,2.50]}`)},
			responses.FunctionCall{Type: responses.TypeFunctionCall, CallID: "c", Name: "look", Arguments: "{}"},
			responses.FunctionCallOutput{Type: "function_call_output", CallID: "c", Output: "found"},
		},
		Tools: []responses.Tool{{Type: "function", Name: "look"}},
	})
	require.NoError(t, err)
	assert.Equal(t, `{"instructions":"Be brief.","store":false,"include":["reasoning.encrypted_content"],`+
		`"input":[{"content":"<hi>","role":"user"},{"type":"reasoning","unknown":[1,2.50]},`+
		`{"arguments":"{}","call_id":"c","name":"look","type":"function_call"},`+
		`{"output":"found","call_id":"c","type":"function_call_output"}],"model":"m","reasoning":{"summary":"auto"},`+
		`"tools":[{"strict":false,"parameters":null,"name":"look","description":"","type":"function"}],"stream":true}`,
		string(raw))
}

func TestAnItemKeepsItsBytes(t *testing.T) {
	item := `{"id":"rs_1", "type":"reasoning","summary":[{"type":"summary_text","text":"I look."}],` +
		`"encrypted_content":"b3BhcXVl","unknown":{"a":[1,2.50]}}`
	got, err := responses.Decode([]byte(`{"type":"response.output_item.done","item":` + item + `}`))
	require.NoError(t, err)
	assert.Equal(t, wire.Text(responses.TypeReasoning), got.Item.Type)
	assert.Equal(t, wire.Text("I look."), got.Item.Summary[0].Text)
	assert.Equal(t, wire.Text("b3BhcXVl"), got.Item.EncryptedContent)
	assert.Equal(t, item, string(got.Item.Raw))
}

func TestTheFinalResponseIsRead(t *testing.T) {
	got, err := responses.Decode([]byte(`{"type":"response.completed","response":{"model":"m","output":[
		{"type":"message","content":[{"type":"output_text","text":"hi"},{"type":"refusal","refusal":"no"}]},
		{"type":"function_call","call_id":"c","name":"look","arguments":"{}"}, 7],
		"usage":{"input_tokens":1,"output_tokens":2,"output_tokens_details":{"reasoning_tokens":3}},
		"error":{"code":500,"message":"broken"}}}`))
	require.NoError(t, err)
	r := got.Response
	require.Len(t, r.Output, 3)
	assert.Equal(t, responses.Parts{{Type: "output_text", Text: "hi"}, {Type: "refusal", Refusal: "no"}},
		r.Output[0].Content)
	assert.Equal(t, wire.Text("{}"), r.Output[1].Arguments)
	assert.Equal(t, "7", string(r.Output[2].Raw), "an item of another shape does no harm")
	assert.Equal(t, wire.Int(3), r.Usage.OutputTokensDetails.ReasoningTokens)
	assert.JSONEq(t, `{"code":500,"message":"broken"}`, string(r.Error))
}

func TestErrorsComeInTwoShapes(t *testing.T) {
	own, err := responses.Decode([]byte(`{"type":"error","code":"server_error","message":"broken","param":null}`))
	require.NoError(t, err)
	assert.Equal(t, []wire.Text{"error", "server_error", "broken"}, []wire.Text{own.Type, own.Code, own.Message})
	assert.Nil(t, own.Error)

	common, err := responses.Decode([]byte(`{"error":{"message":"broken"}}`))
	require.NoError(t, err)
	assert.Equal(t, `{"message":"broken"}`, string(common.Error))

	_, err = responses.Decode([]byte(`{"type":`))
	assert.Error(t, err)
}
