package openai

import (
	"bytes"
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
)

// piece is a chunk of an answer; the verb takes the reason for its end.
const piece = `data: {"model":"m","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":%s}]}` + "\n\n"

// answerHi completes an answer of one word.
func answerHi(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, piece, `"stop"`) }

func answering(t *testing.T, o Options, h http.HandlerFunc) (*Provider, *replaytest.Server) {
	t.Helper()
	server := replaytest.Handle(t, h)
	o.Transport, o.Model = server, "m"
	p, err := New(o)
	require.NoError(t, err)
	return p, server
}

func failure(t *testing.T, err error) *agent.ProviderError {
	t.Helper()
	p, ok := errors.AsType[*agent.ProviderError](err)
	require.True(t, ok, "%v", err)
	return p
}

func TestNewChecksItsOptions(t *testing.T) {
	for _, o := range []Options{{}, {Model: "m", BaseURL: "localhost:11434"}, {Model: "m", BaseURL: "ftp://x/v1"},
		{Model: "m", API: "soap"}, {Model: "m", BaseURL: "http://" + testKey() + "\x7f"}} {
		_, err := New(o)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), testKey())
	}
	_, err := New(Options{Model: "m"})
	require.NoError(t, err)
}

func TestTheKeyIsSentButNeverInAnError(t *testing.T) {
	key := testKey()
	p, server := answering(t, Options{Key: key + "\n"}, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s, or %s…","code":"invalid_api_key"}}`,
			key, key[:14])
	})
	_, err := p.Respond(t.Context(), replaytest.Question(t))
	assert.Equal(t, agent.Permanent, failure(t, err).Failure)
	assert.Equal(t, "Bearer "+key, server.Header().Get("Authorization"))
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), key[:12])
	assert.Contains(t, err.Error(), "Incorrect API key provided")
}

func TestWithoutAKeyNoAuthorizationIsSent(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", testKey())
	p, server := answering(t, Options{}, answerHi)
	_, err := p.Respond(t.Context(), replaytest.Question(t))
	require.NoError(t, err)
	assert.Empty(t, server.Header().Get("Authorization"))
}

func TestALostConnectionIsATemporaryFailure(t *testing.T) {
	p, server := answering(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, piece, "null")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	_, err := p.Respond(t.Context(), replaytest.Question(t))
	assert.Equal(t, agent.Temporary, failure(t, err).Failure)
	assert.Equal(t, 1, server.Requests(), "retrying is left to retry.New")
}

func TestARedirectIsNotFollowed(t *testing.T) {
	p, _ := answering(t, Options{Key: testKey()}, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://elsewhere.example/", http.StatusTemporaryRedirect)
	})
	_, err := p.Respond(t.Context(), replaytest.Question(t))
	assert.Equal(t, agent.Permanent, failure(t, err).Failure)
}

func TestACancelledContextIsTheError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, _ := answering(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, piece, "null")
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	_, err := p.Respond(ctx, replaytest.Question(t))
	require.ErrorIs(t, err, context.Canceled)
}

func TestAServerThatRefusesUsageIsAskedWithoutIt(t *testing.T) {
	p, server := refusing(t, Options{}, "stream_options", "Unknown parameter: 'stream_options'",
		fmt.Sprintf(piece, `"stop"`))
	for range 2 {
		resp, err := p.Respond(t.Context(), replaytest.Question(t))
		require.NoError(t, err)
		assert.Equal(t, "hi", resp.Text)
	}
	assert.Equal(t, 3, server.Requests(), "usage is not requested again")
}

func TestOpaqueReasoningReturnsOnlyToItsProvider(t *testing.T) {
	p, server := answering(t, Options{Echo: EchoOptional}, answerHi)
	req := replaytest.Question(t)
	req.Messages = append(req.Messages,
		agent.Message{Role: agent.RoleAssistant, Text: "a", Opaque: []agent.Opaque{
			p.opaque(reasoningContent, []byte("ours")),
			{Provider: "another", Kind: reasoningContent, Data: []byte("theirs")},
		}},
		agent.Message{Role: agent.RoleUser, Text: "go on"})
	_, err := p.Respond(t.Context(), req)
	require.NoError(t, err)
	assert.Contains(t, string(server.Last()), `"reasoning_content": "ours"`)
	assert.NotContains(t, string(server.Last()), "theirs")
}

func TestRequestsAreMadeAcceptableToServers(t *testing.T) {
	p, server := answering(t, Options{}, answerHi)
	req := agent.Request{Messages: []agent.Message{
		{Role: agent.RoleSystem, Text: "one"},
		{Role: agent.RoleSystem, Text: "two"},
		{Role: agent.RoleUser, Text: "hi"},
		{Role: agent.RoleAssistant, Calls: []agent.Call{
			{ID: "call_1", Name: "no such/tool", Arguments: json.RawMessage(`{"path":`)},
		}},
		{Role: agent.RoleTool, CallID: "call_1", Text: "failed"},
		{Role: agent.RoleSystem, Text: "late"},
	}}
	_, err := p.Respond(t.Context(), req)
	require.NoError(t, err)
	var sent struct {
		Messages []struct {
			Role, Content string
			Calls         []struct {
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		Tools []any
	}
	require.NoError(t, json.Unmarshal(server.Last(), &sent))
	require.Len(t, sent.Messages, 5)
	assert.Equal(t, "one\n\ntwo", sent.Messages[0].Content)
	assert.Equal(t, "no_such_tool", sent.Messages[2].Calls[0].Function.Name)
	assert.Equal(t, "{}", sent.Messages[2].Calls[0].Function.Arguments)
	assert.Equal(t, "user", sent.Messages[4].Role)
	assert.Empty(t, sent.Tools)
}

func TestTheEchoRuleDependsOnHostAndModel(t *testing.T) {
	for _, c := range []struct {
		host, model string
		want        Echo
	}{
		{"api.openai.com", "gpt", EchoForbidden},
		{"notopenai.com", "gpt", EchoOptional},
		{"API.DeepSeek.com", "deepseek-chat", EchoRequired},
		{"gpu.internal", "moonshotai/Kimi-K2.5", EchoRequired},
		{"openrouter.ai", "moonshotai/kimi-k2.5", EchoOptional},
		{"localhost", "qwen3", EchoOptional},
	} {
		assert.Equal(t, c.want, echoRule(c.host, c.model), c.host)
	}
	p, err := New(Options{Model: "m", Echo: EchoRequired})
	require.NoError(t, err)
	assert.Equal(t, EchoRequired, p.echo, "Options overrule the table")
}

// refusing refuses requests that contain what, in the given words, and answers all
// others with hi.
func refusing(t *testing.T, o Options, what, words, hi string) (*Provider, *replaytest.Server) {
	t.Helper()
	var server *replaytest.Server
	var p *Provider
	p, server = answering(t, o, func(w http.ResponseWriter, _ *http.Request) {
		if strings.Contains(string(server.Last()), what) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"message":%q}}`, words)
			return
		}
		fmt.Fprint(w, hi)
	})
	return p, server
}

// done completes a response of one word.
const done = `data: {"type":"response.completed","response":{"model":"m","output":[{"type":"message",` +
	`"content":[{"type":"output_text","text":"hi"}]}]}}` + "\n\n"

func TestAModelThatRefusesSummariesIsAskedWithoutThem(t *testing.T) {
	for _, words := range []string{
		"Unsupported parameter: 'reasoning.summary' is not supported with this model.",
		"Encrypted content is not supported with this model.",
		"Your organization must be verified to generate reasoning summaries.",
	} {
		p, server := refusing(t, Options{API: Responses}, `"summary"`, words, done)
		for range 2 {
			resp, err := p.Respond(t.Context(), replaytest.Question(t))
			require.NoError(t, err)
			assert.Equal(t, "hi", resp.Text)
		}
		assert.Equal(t, 3, server.Requests(), words)
		assert.NotContains(t, string(server.Last()), "encrypted")
	}
}

func TestRefusedReasoningIsLeftOut(t *testing.T) {
	for api, words := range map[API]string{
		Responses: "The encrypted content for item rs_1 could not be verified.", Chat: "Corrupted thought signature.",
	} {
		hi := done
		if api == Chat {
			hi = fmt.Sprintf(piece, `"stop"`)
		}
		p, server := refusing(t, Options{API: api, Echo: EchoOptional}, "spoiled", words, hi)
		req := replaytest.Question(t)
		req.Messages = append(req.Messages, agent.Message{Role: agent.RoleAssistant, Text: "a", Opaque: []agent.Opaque{
			p.opaque(placeKind(0), []byte(`{"type":"reasoning","encrypted_content":"spoiled"}`)),
			p.opaque(reasoningContent, []byte("spoiled")),
		}}, agent.Message{Role: agent.RoleUser, Text: "go on"})
		_, err := p.Respond(t.Context(), req)
		require.NoError(t, err)
		assert.Equal(t, 2, server.Requests())
		assert.NotEmpty(t, req.Messages[2].Opaque, "the caller's messages keep their reasoning")
		assert.False(t, p.bare.Load(), "summaries are still requested")
	}
}

func TestAReasoningItemReturnsByteForByte(t *testing.T) {
	item := `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"b3Bh<>","unknown":{"a":[1,2.50,null]}}`
	var server *replaytest.Server
	var p *Provider
	p, server = answering(t, Options{API: Responses}, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "data: {\"type\":\"response.output_item.done\",\"item\":%s}\n\n%s", item, done)
	})
	req := replaytest.Question(t)
	resp, err := p.Respond(t.Context(), req)
	require.NoError(t, err)
	require.Len(t, resp.Opaque, 1)
	assert.Equal(t, item, string(resp.Opaque[0].Data))

	_, err = p.Respond(t.Context(), replaytest.Continued(req, resp))
	require.NoError(t, err)
	var sent struct{ Input []json.RawMessage }
	require.NoError(t, json.Unmarshal(server.Last(), &sent))
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, sent.Input[1]))
	assert.Equal(t, item, compact.String())
}

func TestAnErrorInTheStreamIsClassifiedByItsWords(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		want       agent.Failure
	}{
		{"a busy server", `{"error":{"message":"slow down","code":429}}`, agent.Temporary},
		{"a bad key", `{"error":{"message":"no","type":"authentication_error"}}`, agent.Permanent},
		{"too many tokens", `{"error":"This model's maximum context length is 8192 tokens."}`, agent.TooLong},
	} {
		for _, api := range []API{Chat, Responses} {
			t.Run(tt.name+", "+string(api), func(t *testing.T) {
				p, _ := answering(t, Options{API: api}, func(w http.ResponseWriter, _ *http.Request) {
					fmt.Fprintf(w, "data: %s\n\n", tt.data)
				})
				_, err := p.Respond(t.Context(), replaytest.Question(t))
				assert.Equal(t, tt.want, failure(t, err).Failure)
			})
		}
	}
}

func TestTheCallsOfAnAnswerAreBounded(t *testing.T) {
	p, _ := answering(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 2 * maxAnswerCalls {
			fmt.Fprintf(w, `data: {"choices":[{"delta":{"tool_calls":[`+
				`{"index":%d,"id":"c","function":{"name":"look"}}]}}]}`+"\n\n", i)
		}
		answerHi(w, nil)
	})
	resp, err := p.Respond(t.Context(), replaytest.Question(t))
	require.NoError(t, err)
	assert.Len(t, resp.Calls, maxAnswerCalls)
}
