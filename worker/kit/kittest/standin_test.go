// Package kittest runs agents with the worker kit, in Python and TypeScript, against a stand-in model on loopback,
// and compares what the server recorded with what the stand-in sent. make real-agents installs the npm libraries that
// the kit hooks into; tests that need a missing one report that they proved nothing.
//
// The stand-in's answers are in standin_test.go, the agents in programs.
package kittest

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// call is one that the stand-in makes. Its reason is an argument of the call if the tool asks for one.
type call struct{ id, tool, args, reason string }

// answer is one of the stand-in's: what it says, and the calls that it makes at once.
type answer struct {
	text  string
	calls []call
	stop  string // why it stops, if not as usual
}

// plans are what the stand-in answers to other prompts than that of the programs.
var plans = map[string][]answer{
	"Who knows the port?": {
		{text: "I ask the scout.", calls: []call{
			{"ask", "scout", `"input":"Look at the notes."`, "The scout reads files."}}},
		{text: "The port is 8080."},
	},
	"Look at the notes.": {
		{text: "I look.", calls: []call{{"in", "look", `"path":"notes.txt"`, "It may be there."}}},
		{text: "It is 8080.", stop: "length"},
	},
	"Who pays?": {
		{text: "Billing knows.", calls: []call{{"over", "transfer_to_billing", "", "Billing has the books."}}},
		{text: "I look.", calls: []call{{"books", "look", `"path":"notes.txt"`, "The books say it."}}},
		{text: "Ann pays.", stop: "length"},
	},
}

// plan is what the stand-in answers, one after the other: a call, two at once without a word, one that fails, the end.
var plan = []answer{
	{text: "First I look at the notes.", calls: []call{
		{"one", "look", `"path":"notes.txt"`, "The notes say which port it is."},
	}},
	{calls: []call{
		{"two", "look", `"path":"more.txt"`, "The other file may say another."},
		{"three", "count", `"text":"port"`, "A short word needs no search."},
	}},
	{text: "Now one that fails.", calls: []call{
		{"four", "look", `"path":"missing.txt"`, "Nobody looked there."},
	}},
	{text: "The port is 8080."},
}

// standIn is a model on this machine that answers as OpenAI's chat completions do.
type standIn struct {
	*httptest.Server
	t *testing.T

	mu    sync.Mutex
	asked []string // requests
}

// chatRequest is what the stand-in reads of a request.
type chatRequest struct {
	Stream   bool `json:"stream"`
	Messages []struct {
		Role    string            `json:"role"`
		Content any               `json:"content"`
		Calls   []json.RawMessage `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name       string `json:"name"`
			Parameters struct {
				Properties map[string]struct{ Description string }
				Required   []string
			} `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

// newStandIn returns a stand-in, whose address ends with /v1.
func newStandIn(t *testing.T) *standIn {
	s := &standIn{t: t}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP implements http.Handler: it answers with the next answer of the plan. How far it is stands in the messages.
func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in chatRequest
	if !assert.Equal(s.t, "/v1/chat/completions", r.URL.Path) ||
		!assert.NoError(s.t, json.NewDecoder(r.Body).Decode(&in)) {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	at, answers := 0, plan
	for _, m := range in.Messages {
		if asked, _ := m.Content.(string); m.Role == "user" && plans[asked] != nil {
			answers = plans[asked]
		}
		if m.Role == "assistant" && len(m.Calls) > 0 {
			at++
		}
	}
	s.mu.Lock()
	s.asked = append(s.asked, s.describe(in))
	s.mu.Unlock()
	s.write(w, answers[min(at, len(answers)-1)], in.Stream, asksReasons(in))
}

// describe returns what a request says of its tools.
func (s *standIn) describe(in chatRequest) string {
	var tools []string
	for _, t := range in.Tools {
		p := t.Function.Parameters
		if why, ok := p.Properties["rationale"]; ok {
			tools = append(tools, t.Function.Name+" "+p.Required[0]+": "+why.Description)
		}
	}
	return strings.Join(tools, "; ")
}

// asksReasons reports whether the tools have a property for the reason.
func asksReasons(in chatRequest) bool {
	for _, t := range in.Tools {
		if _, ok := t.Function.Parameters.Properties["rationale"]; !ok {
			return false
		}
	}
	return true
}

// message returns an answer in the form of a message.
func (a answer) message(withReasons bool) map[string]any {
	calls := []any{}
	for i, c := range a.calls {
		args := "{" + c.args + "}"
		if withReasons {
			reason, _ := json.Marshal(c.reason)
			args = strings.Replace(fmt.Sprintf(`{"rationale":%s,%s}`, reason, c.args), ",}", "}", 1)
		}
		calls = append(calls, map[string]any{"index": i, "id": c.id, "type": "function",
			"function": map[string]string{"name": c.tool, "arguments": args}})
	}
	m := map[string]any{"role": "assistant", "content": a.text}
	if len(calls) > 0 {
		m["tool_calls"] = calls
	}
	return m
}

// write answers, streamed or not.
func (s *standIn) write(w http.ResponseWriter, a answer, stream, withReasons bool) {
	end := cmp.Or(a.stop, "stop")
	if len(a.calls) > 0 {
		end = "tool_calls"
	}
	usage := map[string]int{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
	// Each answer has an id of its own: LangGraph takes those with one id for versions of one message.
	out := map[string]any{"id": "chatcmpl-" + rand.Text(), "created": 1, "model": "gpt-5", "usage": usage}
	kind, part := "chat.completion", "message"
	if stream {
		kind, part = "chat.completion.chunk", "delta"
	}
	out["object"] = kind
	out["choices"] = []any{map[string]any{"index": 0, part: a.message(withReasons), "finish_reason": end}}
	raw, err := json.Marshal(out)
	assert.NoError(s.t, err)
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(raw)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", raw)
}

// requests returns what the requests said of their tools.
func (s *standIn) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	require.NotEmpty(s.t, s.asked)
	return s.asked
}
