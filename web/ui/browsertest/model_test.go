package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// reply is the model's answer in one step: calls, or a text.
type reply struct {
	Text  string // before the calls, or the answer
	Calls []call
	Hold  string // a gate that has to be opened first
	Took  time.Duration

	Sealed string // encrypted reasoning
}

// call is a tool call. Why is its reason, if it is not empty.
type call struct {
	Name string
	Args map[string]any
	Why  string
}

// rig serves the model and the tools. A turn is scripted under the message that begins it.
type rig struct {
	model, tools *httptest.Server

	mu    sync.Mutex
	turns map[string][]reply
	gates map[string]chan struct{}
}

func newRig(t *testing.T) *rig {
	r := &rig{turns: map[string][]reply{}, gates: map[string]chan struct{}{}}
	r.model = httptest.NewServer(http.HandlerFunc(r.complete))
	r.tools = httptest.NewServer(r.toolServer())
	t.Cleanup(func() {
		r.openAll()
		r.model.CloseClientConnections()
		r.tools.CloseClientConnections()
		r.model.Close()
		r.tools.Close()
	})
	return r
}

// on scripts the model's answers to a message, step by step.
func (r *rig) on(message string, steps ...reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turns[message] = steps
}

// gate returns a channel that is closed when the gate is opened.
func (r *rig) gate(name string) chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gates[name] == nil {
		r.gates[name] = make(chan struct{})
	}
	return r.gates[name]
}

// open opens gates; opening one twice has no effect.
func (r *rig) open(names ...string) {
	for _, name := range names {
		gate := r.gate(name)
		r.mu.Lock()
		select {
		case <-gate:
		default:
			close(gate)
		}
		r.mu.Unlock()
	}
}

func (r *rig) openAll() {
	r.mu.Lock()
	names := []string{}
	for name := range r.gates {
		names = append(names, name)
	}
	r.mu.Unlock()
	r.open(names...)
}

// complete handles POST /chat/completions and GET /models.
func (r *rig) complete(w http.ResponseWriter, req *http.Request) {
	if strings.HasSuffix(req.URL.Path, "/models") {
		fmt.Fprint(w, `{"data":[{"id":"test-model"}]}`)
		return
	}
	var in struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.NewDecoder(req.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	step, message := 0, ""
	for _, m := range in.Messages {
		switch m.Role {
		case "user":
			step = 0
			_ = json.Unmarshal(m.Content, &message)
		case "assistant":
			step++
		}
	}
	r.mu.Lock()
	steps := r.turns[message]
	r.mu.Unlock()
	answer := reply{Text: "Said and done."}
	if step < len(steps) {
		answer = steps[step]
	}
	if answer.Hold != "" {
		select {
		case <-r.gate(answer.Hold):
		case <-req.Context().Done():
			return
		}
	}
	pass(req.Context(), answer.Took)
	answer.stream(w)
}

// pass simulates work of a peer. No test depends on how long it takes.
func pass(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if d > 0 {
		<-ctx.Done()
	}
}

func (a reply) stream(w http.ResponseWriter) {
	delta, finish := map[string]any{"role": "assistant", "content": a.Text}, "stop"
	var calls []any
	for i, c := range a.Calls {
		args := map[string]any{}
		if c.Why != "" {
			args["rationale"] = c.Why
		}
		for k, v := range c.Args {
			args[k] = v
		}
		raw, _ := json.Marshal(args)
		calls = append(calls, map[string]any{"index": i, "id": fmt.Sprintf("c%d", i), "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": string(raw)}})
	}
	if calls != nil {
		delta["tool_calls"], finish = calls, "tool_calls"
	}
	if a.Sealed != "" {
		delta["reasoning_details"] = []any{map[string]any{"type": "reasoning.encrypted", "data": a.Sealed}}
	}
	chunk := func(delta any, finish any) {
		raw, _ := json.Marshal(map[string]any{
			"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "test-model",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		})
		fmt.Fprintf(w, "data: %s\n\n", raw)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk(delta, nil)
	chunk(map[string]any{}, finish)
	fmt.Fprint(w, "data: [DONE]\n\n")
}
