//go:build realagents

// Package realtest runs the real OpenCode, from npm, against a stand-in model on loopback, and compares package
// opencode's reading of its database and of the plugin's posts with what the stand-in sent. make real-agents installs
// the program; without it the tests report that they proved nothing.
//
// Another action of the model is an entry of plans, in plans_test.go. -record ../testdata records the program's
// output, cleaned of all foreign text: record_test.go.
package realtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"candor/cmd/candor/agenttest"
)

// said is one answer of the stand-in model: its thought, its text, and the calls that it asks for.
type said struct {
	Plan    string // of which conversation it is a part
	Thought string
	Text    string
	Calls   []asked
	Output  int // tokens, its thought among them
}

// asked is a tool call as the stand-in asks for it.
type asked struct {
	ID, Tool string
	Input    object
}

type object = map[string]any

// standIn is a model that answers by plans, over OpenAI's chat completions.
type standIn struct {
	*agenttest.StandIn
	plans map[string][]said // by the word behind PLAN: in the latest prompt

	mu    sync.Mutex
	sent  []said
	heard string // what the model was sent last
}

// newStandIn starts a model that follows plans until the test ends.
func newStandIn(t *testing.T, plans map[string][]said) *standIn {
	t.Helper()
	s := &standIn{plans: plans}
	s.StandIn = agenttest.NewStandIn(t, "opencode", s.serve)
	return s
}

// serve answers requests for chat completions.
func (s *standIn) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	if r.URL.Path != "/v1/chat/completions" {
		http.NotFound(w, r)
		return
	}
	s.answer(w, body)
}

// answer streams the next answer of the plan that the request's latest prompt names.
func (s *standIn) answer(w http.ResponseWriter, body []byte) {
	var in struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	// The position in the plan is how many answers the conversation has since the prompt that names it.
	plan, step := "", 0
	for _, m := range in.Messages {
		_, after, ok := strings.Cut(string(m.Content), "PLAN:")
		switch {
		case m.Role == "user" && ok:
			plan, step = strings.FieldsFunc(after, func(r rune) bool { return r < 'a' || r > 'z' })[0], 0
		case m.Role == "assistant":
			step++
		}
	}
	s.mu.Lock()
	s.heard = string(body)
	s.mu.Unlock()
	next := said{Text: "notes"} // a title
	if len(in.Tools) > 0 && step < len(s.plans[plan]) {
		next = s.plans[plan][step]
		next.Plan, next.Output = plan, 20+step
		s.mu.Lock()
		s.sent = append(s.sent, next)
		s.mu.Unlock()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range chunks(next) {
		raw, err := json.Marshal(e)
		if err != nil {
			return
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", raw)
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// chunks returns the events of a streamed answer.
func chunks(a said) (out []object) {
	chunk := func(delta object, finish any) {
		out = append(out, object{"id": "chatcmpl_1", "object": "chat.completion.chunk", "created": 1, "model": "m",
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	chunk(object{"role": "assistant"}, nil)
	for word := range strings.SplitAfterSeq(a.Thought, " ") {
		chunk(object{"reasoning_content": word}, nil)
	}
	for word := range strings.SplitAfterSeq(a.Text, " ") {
		chunk(object{"content": word}, nil)
	}
	// Parameters come in pieces, as from a real model, and the id of a call only with the first of them.
	for i, c := range a.Calls {
		input, _ := json.Marshal(c.Input)
		half := len(input) / 2
		chunk(object{"tool_calls": []object{{"index": i, "id": c.ID, "type": "function",
			"function": object{"name": c.Tool, "arguments": string(input[:half])}}}}, nil)
		chunk(object{"tool_calls": []object{{"index": i,
			"function": object{"arguments": string(input[half:])}}}}, nil)
	}
	finish := "stop"
	if len(a.Calls) > 0 {
		finish = "tool_calls"
	}
	chunk(object{}, finish)
	return append(out, object{"id": "chatcmpl_1", "object": "chat.completion.chunk", "created": 1, "model": "m",
		"choices": []object{}, "usage": object{"prompt_tokens": 140, "completion_tokens": a.Output,
			"total_tokens": 140 + a.Output, "prompt_tokens_details": object{"cached_tokens": 40},
			"completion_tokens_details": object{"reasoning_tokens": 5}}})
}
