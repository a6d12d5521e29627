package agui_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// thinker is a model server. Its model calls a tool once in each turn and returns its raw
// thoughts in reasoning_content, which clients must not see.
type thinker struct {
	mu     sync.Mutex
	bodies []string
	gate   chan struct{} // if not nil, the answer waits until it is closed
}

const rawThought = "the user seems to be in a hurry"

func (th *thinker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var buf bytes.Buffer
	_, _ = buf.ReadFrom(r.Body)
	th.mu.Lock()
	th.bodies = append(th.bodies, buf.String())
	th.mu.Unlock()
	delta := `{"role":"assistant","reasoning_content":"` + rawThought + `",` +
		`"tool_calls":[{"index":0,"id":"c1","type":"function",` +
		`"function":{"name":"time","arguments":"{\"rationale\":\"it was asked for\"}"}}]}`
	reason := "tool_calls"
	var in struct{ Messages []struct{ Role string } }
	if json.Unmarshal(buf.Bytes(), &in) == nil && in.Messages[len(in.Messages)-1].Role == "tool" {
		if th.gate != nil {
			<-th.gate
		}
		delta, reason = `{"role":"assistant","content":"It is noon."}`, "stop"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, chunk := range []string{
		`{"id":"1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":` + delta + `}]}`,
		`{"id":"1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"` +
			reason + `"}]}`,
		`{"id":"1","object":"chat.completion.chunk","model":"m","choices":[],"usage":{"prompt_tokens":11,` +
			`"completion_tokens":7,"total_tokens":18,"completion_tokens_details":{"reasoning_tokens":3}}}`,
		`[DONE]`,
	} {
		_, _ = w.Write([]byte("data: " + chunk + "\n\n"))
	}
}

func TestEncryptedReasoningReturnsToTheModelInTheNextTurn(t *testing.T) {
	withEach(t, func(t *testing.T, client string) {
		th := &thinker{}
		model := httptest.NewServer(th)
		defer model.Close()
		t.Setenv(app.OpenAIBaseEnv, model.URL+"/v1")
		s := apptest.StartModel(t, app.Settings{Model: app.ModelSettings{Provider: "openai", Name: "m"}})
		r := drive(t, s, client, says("what time is it?"), says("and now?")).Runs
		for _, run := range r {
			require.Equal(t, "success", run.outcome(), "%v", run.Error)
			assert.Contains(t, run.types(), "REASONING_ENCRYPTED_VALUE")
		}
		sealed := r[0].message(t, "turn_1_call_1").ToolCalls[0].EncryptedValue
		require.NotEmpty(t, sealed)
		assert.Equal(t, sealed, r[1].message(t, "turn_1_call_1").ToolCalls[0].EncryptedValue)
		assert.NotContains(t, string(apptest.JSON(t, r)), rawThought,
			"raw thoughts reach no client")
		assert.NotContains(t, s.Logs.String(), "not ours", "the returned value was accepted")
		usage := r[0].Finished.Event["usage"].([]any)[0].(m)
		assert.EqualValues(t, 22, usage["inputTokens"])
		assert.EqualValues(t, 6, usage["reasoningTokens"])
		assert.NotContains(t, usage, "cachedInputTokens", "unknown counts are absent")
		th.mu.Lock()
		defer th.mu.Unlock()
		require.Len(t, th.bodies, 4)
		assert.Contains(t, th.bodies[2], rawThought, "the model gets them back in the next turn")
	})
}
