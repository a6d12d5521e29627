//go:build realagents

// Package realtest runs the real Gemini CLI, from npm, against a stand-in model on loopback, and compares package
// gemini's reading of its session files and hooks with what the stand-in sent. make real-agents installs the program;
// without it the tests report that they proved nothing.
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

// object is a JSON object.
type object = map[string]any

// said is one answer of the stand-in model: its thoughts, its text, and the calls that it asks for.
type said struct {
	Plan     string   // of which conversation it is a part
	Thoughts []string // each a subject between asterisks, and a description
	Text     string
	Calls    []asked
}

// asked is a tool call as the stand-in asks for it. Without an ID the program makes one up.
type asked struct {
	ID, Tool string
	Args     object
}

// standIn is a model that answers by plans, over the Gemini API.
type standIn struct {
	*agenttest.StandIn
	plans map[string][]said // by the word behind PLAN: in the latest prompt

	mu    sync.Mutex
	sent  []said
	asked []string // the plans of requests that ask for reasons
	heard string   // the latest request
}

// newStandIn starts a model that follows plans until the test ends.
func newStandIn(t *testing.T, plans map[string][]said) *standIn {
	t.Helper()
	s := &standIn{plans: plans}
	s.StandIn = agenttest.NewStandIn(t, "gemini", s.serve)
	return s
}

// serve answers the Gemini API.
func (s *standIn) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	_, method, _ := strings.Cut(r.URL.Path, ":")
	switch method {
	case "streamGenerateContent":
		s.answer(w, body)
	case "generateContent":
		writeJSON(w, reply([]object{{"text": "ok"}}, "STOP"))
	case "countTokens":
		writeJSON(w, object{"totalTokens": 7})
	default:
		http.NotFound(w, r)
	}
}

// message is one of a request's messages, as far as the stand-in looks at it.
type message struct {
	Role  string `json:"role"`
	Parts []struct {
		Text string `json:"text"`
	} `json:"parts"`
}

// answer streams the next answer of the plan that the request's latest prompt names, each part as a chunk.
func (s *standIn) answer(w http.ResponseWriter, body []byte) {
	var in struct {
		Contents []message `json:"contents"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	next := said{Text: "ok"}
	plan, step := position(in.Contents)
	if step < len(s.plans[plan]) {
		next = s.plans[plan][step]
	}
	next.Plan = plan
	s.mu.Lock()
	s.heard = string(body)
	s.sent = append(s.sent, next)
	if bytes.Contains(body, []byte("Before every tool call, write one line")) {
		s.asked = append(s.asked, plan)
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	parts := next.parts()
	for i := range parts {
		finish := ""
		if i == len(parts)-1 {
			finish = "STOP"
		}
		raw, err := json.Marshal(reply(parts[i:i+1], finish))
		if err != nil {
			return
		}
		_, _ = fmt.Fprintf(w, "data: %s\r\n\r\n", raw)
	}
}

// position returns the plan that the latest prompt names, and how many answers were given since.
func position(messages []message) (plan string, step int) {
	for _, m := range messages {
		text := ""
		for _, p := range m.Parts {
			text += p.Text
		}
		_, after, ok := strings.Cut(text, "PLAN:")
		switch {
		case m.Role == "user" && ok:
			plan, step = strings.FieldsFunc(after, func(r rune) bool { return r < 'a' || r > 'z' })[0], 0
		case m.Role == "model":
			step++
		}
	}
	return plan, step
}

// parts returns the parts of an answer in the order in which a model streams them.
func (a said) parts() (list []object) {
	for _, t := range a.Thoughts {
		list = append(list, object{"text": t, "thought": true})
	}
	for word := range strings.SplitAfterSeq(a.Text, " ") {
		if word != "" {
			list = append(list, object{"text": word})
		}
	}
	for _, c := range a.Calls {
		call := object{"name": c.Tool, "args": c.Args}
		if c.ID != "" {
			call["id"] = c.ID
		}
		list = append(list, object{"functionCall": call})
	}
	return list
}

// reply returns a chunk of an answer. All have the same usage, as those of the real API have that of the whole answer.
func reply(parts []object, finish string) object {
	candidate := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return object{"candidates": []object{candidate}, "modelVersion": "gemini-2.5-pro", "usageMetadata": object{
		"promptTokenCount": 140, "candidatesTokenCount": 20, "cachedContentTokenCount": 40, "thoughtsTokenCount": 5,
		"totalTokenCount": 165}}
}

// writeJSON writes an answer that is not streamed.
func writeJSON(w http.ResponseWriter, value object) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // to a program that may have gone
}
