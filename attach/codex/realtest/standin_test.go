//go:build realagents

// Package realtest runs the real Codex, from npm, against a stand-in model on loopback, and compares package codex's
// reading of its rollouts and hooks with what the stand-in sent; telemetry_test.go does so for its telemetry. make
// real-agents installs the program; without it the tests report that they proved nothing.
//
// Another action of the model is an entry of plans, in plans_test.go. -record ../testdata records the program's
// output, cleaned of all foreign text: record_test.go.
package realtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"candor/cmd/candor/agenttest"
)

// said is one answer of the stand-in model: its thought, its text, and the calls that it asks for.
type said struct {
	ID      string // of the API's response
	Plan    string // of which conversation it is a part
	Summary string // of its reasoning; "-" means reasoning that is sealed and has none
	Text    string
	Calls   []asked
}

// asked is a tool call as the stand-in asks for it. An argument @agent is the sub-agent that was begun last, @process
// the command that was left running last.
type asked struct {
	ID, Namespace, Tool string
	Input               object
}

// object is a JSON object.
type object = map[string]any

// sealed is the encrypted reasoning of an answer.
var sealed = strings.Repeat("c2VhbGVk", 8)

// standIn is a model that answers by plans, over the Responses API.
type standIn struct {
	*agenttest.StandIn
	plans map[string][]said // by the word behind PLAN: in the latest prompt

	mu    sync.Mutex
	steps map[string]int // of a plan, by the program's conversation
	sent  []said
	asked []string // the plans of requests that ask for reasons
	heard []byte   // the latest request
}

// newStandIn starts a model that follows plans until the test ends.
func newStandIn(t *testing.T, plans map[string][]said) *standIn {
	t.Helper()
	s := &standIn{plans: plans, steps: map[string]int{}}
	s.StandIn = agenttest.NewStandIn(t, "codex", s.serve)
	return s
}

// serve answers the Responses API.
func (s *standIn) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	if r.URL.Path != "/v1/responses" {
		http.NotFound(w, r)
		return
	}
	s.answer(w, r.Header.Get("Thread-Id"), body)
}

// answer streams the next answer of the plan that the request's latest prompt names.
func (s *standIn) answer(w http.ResponseWriter, thread string, body []byte) {
	var in struct {
		Input []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"input"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.heard = body
	s.mu.Unlock()
	plan := ""
	for _, m := range in.Input {
		if _, after, ok := strings.Cut(string(m.Content), "PLAN:"); ok && m.Role == "user" {
			plan = strings.FieldsFunc(after, func(r rune) bool { return r < 'a' || r > 'z' })[0]
		}
	}
	if bytes.Contains(body, []byte("Before every tool call, write one line")) {
		s.mu.Lock()
		s.asked = append(s.asked, plan)
		s.mu.Unlock()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for i, e := range events(s.next(thread, plan, body)) {
		e["sequence_number"] = i
		raw, err := json.Marshal(e)
		if err != nil {
			return
		}
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], raw)
	}
}

// heardLast returns the latest request to the model.
func (s *standIn) heardLast() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.heard)
}

// next returns the next answer of a plan in one conversation of the program.
func (s *standIn) next(thread, plan string, body []byte) said {
	s.mu.Lock()
	defer s.mu.Unlock()
	step := s.steps[thread+plan]
	s.steps[thread+plan]++
	next := said{Text: "ok"}
	if step < len(s.plans[plan]) {
		next = s.plans[plan][step]
	}
	next.Plan, next.ID = plan, fmt.Sprintf("resp_%s%02d", plan, step)
	calls := next.Calls
	next.Calls = nil
	for _, c := range calls {
		filled := object{}
		for name, value := range c.Input {
			filled[name] = fill(value, body)
		}
		c.Input = filled
		next.Calls = append(next.Calls, c)
	}
	s.sent = append(s.sent, next)
	return next
}

var (
	agentIDs   = regexp.MustCompile(`agent_id\W+([0-9a-f-]{36})`)
	processIDs = regexp.MustCompile(`running with session ID (\d+)`)
)

// fill returns an argument with what the program told the model last.
func fill(value any, body []byte) any {
	last := func(of *regexp.Regexp) string {
		all := of.FindAllSubmatch(body, -1)
		if len(all) == 0 {
			return "0" // the tests see that the call fails
		}
		return string(all[len(all)-1][1])
	}
	switch value {
	case "@agents":
		return []string{last(agentIDs)}
	case "@process":
		return json.Number(last(processIDs))
	}
	return value
}

// items returns the items of an answer, as the API has them.
func items(a said) (out []object) {
	if a.Summary != "" {
		summary := []object{}
		if a.Summary != "-" {
			summary = []object{{"type": "summary_text", "text": a.Summary}}
		}
		out = append(out, object{"type": "reasoning", "id": "rs_" + a.ID, "summary": summary,
			"encrypted_content": sealed})
	}
	if a.Text != "" {
		out = append(out, object{"type": "message", "id": "msg_" + a.ID, "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": a.Text, "annotations": []any{}}}})
	}
	for _, c := range a.Calls {
		arguments, _ := json.Marshal(c.Input)
		call := object{"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Tool,
			"arguments": string(arguments), "status": "completed"}
		if c.Namespace != "" {
			call["namespace"] = c.Namespace
		}
		out = append(out, call)
	}
	return out
}

// events returns the events of a streamed answer.
func events(a said) (out []object) {
	all := items(a)
	out = append(out, object{"type": "response.created", "response": object{"id": a.ID, "object": "response",
		"status": "in_progress", "output": []any{}}})
	for i, item := range all {
		out = append(out, object{"type": "response.output_item.added", "output_index": i, "item": item})
		if item["type"] == "message" {
			for word := range strings.SplitAfterSeq(a.Text, " ") {
				out = append(out, object{"type": "response.output_text.delta", "item_id": item["id"], "output_index": i,
					"content_index": 0, "delta": word})
			}
		}
		out = append(out, object{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	output := 20 + len(all)
	return append(out, object{"type": "response.completed", "response": object{"id": a.ID, "object": "response",
		"status": "completed", "output": all, "usage": object{"input_tokens": 140,
			"input_tokens_details": object{"cached_tokens": 40}, "output_tokens": output,
			"output_tokens_details": object{"reasoning_tokens": 5}, "total_tokens": 140 + output}}})
}
