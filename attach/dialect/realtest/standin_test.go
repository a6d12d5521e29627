//go:build realagents

// Package realtest runs an agent of the real AI SDK, whose real exporters send its spans to a Candor server, against a
// stand-in model on loopback, and compares what the server shows with what the stand-in sent. make real-agents installs
// the libraries; without them the test reports that it proved nothing.
//
// plan, in standin_test.go, has the model's texts and calls. agent.mjs is the agent with its tools; results, in
// judge_test.go, has what its tools return.
package realtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

type object = map[string]any

// answer is one of the stand-in's: what it thinks and says, and the calls that it asks for at once.
type answer struct {
	thought, text string
	calls         []call
}

// call is one that the stand-in asks for. Its arguments are JSON.
type call struct{ id, tool, args string }

// plan is what the stand-in answers, one after the other: two calls at once, one that fails, the end. The server shows
// a thought where the model said nothing.
var plan = []answer{
	{"Two cities matter.", "Both cities first.", []call{
		{"call_a", "weather", `{"city":"Oslo"}`}, {"call_b", "weather", `{"city":"Athens"}`}}},
	{"The bell is left.", "", []call{{"call_c", "ring", `{"times":2}`}}},
	{"", "It is warm.", nil},
}

// standIn is a model on this machine that answers as OpenAI's chat completions do.
type standIn struct {
	*httptest.Server
	t *testing.T

	mu   sync.Mutex
	sent []answer
}

// newStandIn starts a model that follows the plan until the test ends.
func newStandIn(t *testing.T) *standIn {
	t.Helper()
	s := &standIn{t: t}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP answers with the next answer of the plan. How far it is stands in the messages.
func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Stream   bool                    `json:"stream"`
		Messages []struct{ Role string } `json:"messages"`
	}
	if !assert.Equal(s.t, "/v1/chat/completions", r.URL.Path, "nothing else may leave the agent") ||
		!assert.NoError(s.t, json.NewDecoder(r.Body).Decode(&in)) {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	at := 0
	for _, m := range in.Messages {
		if m.Role == "assistant" {
			at++
		}
	}
	a := plan[min(at, len(plan)-1)]
	s.mu.Lock()
	s.sent = append(s.sent, a)
	s.mu.Unlock()
	a.write(w, fmt.Sprint("chatcmpl-", at), in.Stream)
}

// said returns what the stand-in has sent.
func (s *standIn) said() []answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

// message returns an answer in the form of a message.
func (a answer) message() object {
	m := object{"role": "assistant", "content": a.text}
	if a.thought != "" {
		m["reasoning_content"] = a.thought
	}
	var calls []object
	for i, c := range a.calls {
		calls = append(calls, object{"index": i, "id": c.id, "type": "function",
			"function": object{"name": c.tool, "arguments": c.args}})
	}
	if len(calls) > 0 {
		m["tool_calls"] = calls
	}
	return m
}

// write writes an answer, as events or not.
func (a answer) write(w http.ResponseWriter, id string, stream bool) {
	end, kind, part := "stop", "chat.completion", "message"
	if len(a.calls) > 0 {
		end = "tool_calls"
	}
	if stream {
		kind, part = "chat.completion.chunk", "delta"
	}
	raw, _ := json.Marshal(object{"id": id, "object": kind, "created": 1, "model": "standin-1",
		"choices": []object{{"index": 0, part: a.message(), "finish_reason": end}},
		"usage":   object{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}})
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(raw)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", raw)
}
