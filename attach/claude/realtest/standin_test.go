//go:build realagents

// Package realtest runs the real Claude Code, from npm, against a stand-in model on loopback, and compares package
// claude's reading of its session files and hooks with what the stand-in sent; telemetry_test.go does so for its
// telemetry. make real-agents installs the program; without it the tests report that they proved nothing.
//
// Another action of the model is an entry of plans, in plans_test.go. -record ../testdata records the program's
// output, cleaned of all foreign text: record_test.go.
package realtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"candor/cmd/candor/agenttest"
)

// said is one answer of the stand-in model: its text, its thought, and the calls that it asks for.
type said struct {
	ID       string // of the API's message
	Plan     string // of which conversation it is a part
	Thinking string // "-" means a signature without text
	Text     string
	Calls    []asked
}

// asked is a tool call as the stand-in asks for it.
type asked struct {
	ID, Tool string
	Input    map[string]any
}

// standIn is a model that answers by plans, over the Messages API.
type standIn struct {
	*agenttest.StandIn
	plans map[string][]said   // by the word behind PLAN: in the latest prompt
	obeys func(step int) bool // whether an answer gives reasons that were asked for; nil gives none

	mu    sync.Mutex
	sent  []said
	heard []string // the latest message of each request
}

// newStandIn starts a model that follows plans until the test ends.
func newStandIn(t *testing.T, plans map[string][]said) *standIn {
	t.Helper()
	s := &standIn{plans: plans}
	s.StandIn = agenttest.NewStandIn(t, "claude", s.serve)
	return s
}

// serve answers the Messages API.
func (s *standIn) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	if r.URL.Path != "/v1/messages" {
		http.NotFound(w, r)
		return
	}
	s.answer(w, body)
}

// message is one of a request's messages, as far as the stand-in looks at it.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// answer streams the next answer of the plan that the request's latest prompt names.
func (s *standIn) answer(w http.ResponseWriter, body []byte) {
	var in struct {
		Model    string            `json:"model"`
		Stream   bool              `json:"stream"`
		Messages []message         `json:"messages"`
		Tools    []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	next := said{Text: "ok"}
	plan, step := position(in.Messages)
	if step < len(s.plans[plan]) {
		next = s.plans[plan][step]
	}
	next.Plan, next.ID = plan, fmt.Sprintf("msg_%s%02d", plan, step)
	if s.obeys != nil && s.obeys(step) && bytes.Contains(body, []byte("Before every tool call, write one line")) {
		next = next.withReasons()
	}
	if len(in.Tools) == 0 {
		next = said{ID: "msg_aside", Text: "ok"} // a title
	} else {
		s.mu.Lock()
		s.sent = append(s.sent, next)
		if n := len(in.Messages); n > 0 {
			s.heard = append(s.heard, string(in.Messages[n-1].Content))
		}
		s.mu.Unlock()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Request-Id", "req_"+next.ID)
	for _, e := range events(next, in.Model) {
		raw, err := json.Marshal(e)
		if err != nil {
			return
		}
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], raw)
	}
}

// position returns the plan that the latest prompt names, and how many answers were given since.
func position(messages []message) (plan string, step int) {
	for _, m := range messages {
		_, after, ok := strings.Cut(string(m.Content), "PLAN:")
		switch {
		case m.Role == "user" && ok && !strings.Contains(string(m.Content), "tool_result"):
			plan, step = strings.FieldsFunc(after, func(r rune) bool { return r < 'a' || r > 'z' })[0], 0
		case m.Role == "assistant":
			step++
		}
	}
	return plan, step
}

// withReasons returns the answer with a reason for each call in its text, as a model gives it that was asked to.
func (a said) withReasons() said {
	lines := []string{a.Text}
	for _, c := range a.Calls {
		lines = append(lines, "Reason for "+c.Tool+": "+reasonOf(c.ID))
	}
	a.Text = strings.TrimSpace(strings.Join(lines, "\n"))
	return a
}

// reasonOf returns the reason that an obedient model gives for a call.
func reasonOf(call string) string { return "It is what " + call + " is for." }

type object = map[string]any

// events returns the events of a streamed answer.
func events(a said, model string) []object {
	usage := object{"input_tokens": 100, "cache_read_input_tokens": 40, "output_tokens": 1}
	out := []object{{"type": "message_start", "message": object{"id": a.ID, "type": "message", "role": "assistant",
		"model": model, "content": []any{}, "stop_reason": nil, "usage": usage}}}
	index := 0
	block := func(start object, deltas ...object) {
		out = append(out, object{"type": "content_block_start", "index": index, "content_block": start})
		for _, d := range deltas {
			out = append(out, object{"type": "content_block_delta", "index": index, "delta": d})
		}
		out = append(out, object{"type": "content_block_stop", "index": index})
		index++
	}
	if a.Thinking != "" {
		text := strings.TrimPrefix(a.Thinking, "-")
		block(object{"type": "thinking", "thinking": "", "signature": ""},
			object{"type": "thinking_delta", "thinking": text},
			object{"type": "signature_delta", "signature": strings.Repeat("c2VhbGVk", 8)})
	}
	if a.Text != "" {
		var deltas []object
		for word := range strings.SplitAfterSeq(a.Text, " ") {
			deltas = append(deltas, object{"type": "text_delta", "text": word})
		}
		block(object{"type": "text", "text": ""}, deltas...)
	}
	stop := "end_turn"
	for _, c := range a.Calls {
		stop = "tool_use"
		input, _ := json.Marshal(c.Input)
		half := len(input) / 2
		block(object{"type": "tool_use", "id": c.ID, "name": c.Tool, "input": object{}},
			object{"type": "input_json_delta", "partial_json": string(input[:half])},
			object{"type": "input_json_delta", "partial_json": string(input[half:])})
	}
	return append(out, object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil},
		"usage": object{"output_tokens": 20 + index}}, object{"type": "message_stop"})
}
