package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/provider/retry/replaytest"
	"candor/agent/provider/wire/messages"
)

// hi begins an answer of one word.
const hi = `event: message_start
data: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}

`

// end completes an answer.
const end = `event: message_stop
data: {"type":"message_stop"}

`

func answering(t *testing.T, o Options, h http.HandlerFunc) (*Provider, *replaytest.Server) {
	t.Helper()
	server := replaytest.Handle(t, h)
	o.Transport, o.Model = server, "m"
	p, err := New(o)
	require.NoError(t, err)
	return p, server
}

// answerHi completes an answer of one word.
func answerHi(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, hi+end) }

// sentRequest is the part of a request that tests look at.
type sentRequest struct {
	System   []struct{ Text string }
	Messages []struct {
		Role    string
		Content []map[string]any
	}
	Tools []struct {
		Name   string
		Schema map[string]any `json:"input_schema"`
	}
	ToolChoice *struct{ Type string } `json:"tool_choice"`
	Thinking   map[string]any
}

func sent(t *testing.T, s *replaytest.Server) (r sentRequest) {
	t.Helper()
	require.NoError(t, json.Unmarshal(s.Last(), &r))
	return r
}

func failure(t *testing.T, err error) *agent.ProviderError {
	t.Helper()
	p, ok := errors.AsType[*agent.ProviderError](err)
	require.True(t, ok, "%v", err)
	return p
}

func TestNewChecksItsOptions(t *testing.T) {
	for _, o := range []Options{{}, {Model: "m", BaseURL: "localhost"}, {Model: "m", Thinking: "deep"},
		{Model: "m", Thinking: Budget, Budget: 10}, {Model: "m", Thinking: Budget, Budget: DefaultMaxTokens}} {
		_, err := New(o)
		assert.Error(t, err, "%+v", o)
	}
	_, err := New(Options{Model: "m", Thinking: Budget, Budget: MinBudget})
	require.NoError(t, err)
}

func TestTheKeyIsSentButNeverInAnError(t *testing.T) {
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "not-"+testKey())
	key := testKey()
	p, server := answering(t, Options{Key: key}, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"type":"error","error":{"type":"authentication_error","message":"no such key: %s"}}`, key)
	})
	_, err := p.Respond(t.Context(), replaytest.Question(t))
	assert.Equal(t, agent.Permanent, failure(t, err).Failure)
	assert.Equal(t, key, server.Header().Get("X-Api-Key"))
	assert.Empty(t, server.Header().Get("Authorization"))
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), key[:12])
	assert.Contains(t, err.Error(), "no such key")
}

func TestALostConnectionIsATemporaryFailure(t *testing.T) {
	p, server := answering(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, hi)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	_, err := p.Respond(t.Context(), replaytest.Question(t))
	assert.Equal(t, agent.Temporary, failure(t, err).Failure)
	assert.Equal(t, 1, server.Requests(), "retrying is left to retry.New")
}

func TestACancelledContextIsTheError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, _ := answering(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, hi)
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	_, err := p.Respond(ctx, replaytest.Question(t))
	require.ErrorIs(t, err, context.Canceled)
}

func TestAModelIsAskedOnlyForThinkingItAccepts(t *testing.T) {
	for _, c := range []struct {
		thinking Thinking
		refused  string // the part of the request that the API refuses
		words    string
		asks     int
		want     map[string]any
	}{
		{Auto, "display", "thinking.adaptive.display: Extra inputs are not permitted", 3,
			map[string]any{"type": "adaptive"}},
		{Auto, "adaptive", "adaptive thinking is not supported on this model", 3, nil},
		{Adaptive, "adaptive", "adaptive thinking is not supported on this model", 2,
			map[string]any{"type": "adaptive", "display": "summarized"}},
		{Off, "thinking", "never requested", 2, nil},
	} {
		var server *replaytest.Server
		var p *Provider
		p, server = answering(t, Options{Thinking: c.thinking}, func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(string(server.Last()), c.refused) {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":%q}}`, c.words)
				return
			}
			answerHi(w, r)
		})
		for range 2 {
			_, err := p.Respond(t.Context(), replaytest.Question(t))
			assert.Equal(t, c.thinking == Adaptive, err != nil, "%v", err)
		}
		assert.Equal(t, c.asks, server.Requests(), c.words)
		assert.Equal(t, c.want, sent(t, server).Thinking, c.words)
	}
}

func TestThinkingIsASummaryOnlyIfOneWasRequested(t *testing.T) {
	p, err := New(Options{Model: "m"})
	require.NoError(t, err)
	m := answer{blocks: []*block{{start: messages.ContentBlock{Type: messages.TypeThinking}}}}
	m.blocks[0].text.WriteString("raw")
	assert.Empty(t, p.response(m, false).Summary)
	assert.Equal(t, "raw", p.response(m, true).Summary)
}

func TestRequestsAreMadeAcceptableToTheAPI(t *testing.T) {
	p, server := answering(t, Options{}, answerHi)
	_, err := p.Respond(t.Context(), agent.Request{Messages: []agent.Message{
		{Role: agent.RoleSystem, Text: "one"},
		{Role: agent.RoleSystem, Text: "two"},
		{Role: agent.RoleUser, Text: "hi"},
		{Role: agent.RoleAssistant, Text: " ", Calls: []agent.Call{
			{ID: "call 1", Name: "no such/tool", Arguments: json.RawMessage(`{"path":`)},
			{ID: "call_2", Name: "look"},
		}},
		{Role: agent.RoleTool, CallID: "call 1", Text: "failed"},
		{Role: agent.RoleTool, CallID: "call_2"},
		{Role: agent.RoleSystem, Text: "late"},
	}})
	require.NoError(t, err)
	r := sent(t, server)
	assert.Len(t, r.System, 2)
	require.Len(t, r.Messages, 3, "results and the messages after them are one message of the user")
	require.Len(t, r.Messages[1].Content, 2, "a blank text is left out")
	assert.Equal(t, "no_such_tool", r.Messages[1].Content[0]["name"])
	assert.Equal(t, map[string]any{}, r.Messages[1].Content[0]["input"])
	assert.Equal(t, r.Messages[1].Content[0]["id"], r.Messages[2].Content[0]["tool_use_id"])
	assert.Equal(t, "late", r.Messages[2].Content[2]["text"])
	require.Len(t, r.Tools, 2, "tools that were called are described, though none may be called")
	assert.Equal(t, "object", r.Tools[0].Schema["type"])
	assert.Equal(t, "none", r.ToolChoice.Type)
}

func TestNoBudgetIsRequestedForCallsWithoutThinking(t *testing.T) {
	p, server := answering(t, Options{Thinking: Budget, Budget: MinBudget}, answerHi)
	calls := agent.Message{Role: agent.RoleAssistant, Calls: []agent.Call{{ID: "call_1", Name: "look"}}}
	req := replaytest.Question(t)
	req.Messages = append(req.Messages, calls, agent.Message{Role: agent.RoleTool, CallID: "call_1", Text: "x"})
	_, err := p.Respond(t.Context(), req)
	require.NoError(t, err)
	assert.Nil(t, sent(t, server).Thinking)

	req.Messages[2].Opaque = []agent.Opaque{
		{Provider: p.origin, Kind: "thinking:0", Data: []byte(`{"type":"thinking","signature":"c2ln"}`)},
	}
	_, err = p.Respond(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, "enabled", sent(t, server).Thinking["type"])

	req.Messages[2].Opaque[0].Provider = "another"
	req.Messages = append(req.Messages, agent.Message{Role: agent.RoleUser, Text: "a new turn"})
	_, err = p.Respond(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, "enabled", sent(t, server).Thinking["type"])
	assert.NotContains(t, string(server.Last()), "c2ln", "thinking returns to its provider only")
}

func TestRefusedThinkingIsLeftOut(t *testing.T) {
	var server *replaytest.Server
	var p *Provider
	p, server = answering(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(string(server.Last()), "signature") {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, "{\"error\":{\"message\":\"messages.1.content.0: Invalid `signature` in `thinking` block\"}}")
			return
		}
		answerHi(w, r)
	})
	req := replaytest.Question(t)
	req.Messages = append(req.Messages, agent.Message{Role: agent.RoleAssistant, Text: "a", Opaque: []agent.Opaque{
		{Provider: p.origin, Kind: "thinking:0", Data: []byte(`{"type":"thinking","signature":"c2ln"}`)},
	}}, agent.Message{Role: agent.RoleUser, Text: "go on"})
	_, err := p.Respond(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, 2, server.Requests())
	assert.Equal(t, "summarized", sent(t, server).Thinking["display"])
}

func TestThinkingReturnsWithAllItsMembers(t *testing.T) {
	start := `{"type":"thinking","thinking":"","signature":"","unknown":{"a":[1,2.50,null]}}`
	p, server := answering(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":%s}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"I look."}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c","name":"look","input":{}}}

%s`, start, end)
	})
	req := replaytest.Question(t)
	resp, err := p.Respond(t.Context(), req)
	require.NoError(t, err)
	require.Len(t, resp.Opaque, 1)
	whole := `{"type":"thinking","thinking":"I look.","signature":"c2ln","unknown":{"a":[1,2.50,null]}}`
	assert.Equal(t, whole, string(resp.Opaque[0].Data))

	_, err = p.Respond(t.Context(), replaytest.Continued(req, resp))
	require.NoError(t, err)
	back, err := json.Marshal(sent(t, server).Messages[1].Content[0])
	require.NoError(t, err)
	assert.JSONEq(t, whole, string(back))
}

func TestBlocksThatAreTooManyOrEmptyAreIgnored(t *testing.T) {
	p, _ := answering(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 2 * maxBlocks {
			fmt.Fprintf(w, "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":%d,"+
				"\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\n", i)
		}
		fmt.Fprint(w, "event: ping\ndata: {}\n\nevent: content_block_delta\ndata:\n\ndata: {\"no\":\"name\"}\n\n"+
			"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":-1}\n\n"+end)
	})
	resp, err := p.Respond(t.Context(), replaytest.Question(t))
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("a", maxBlocks), resp.Text)
}
