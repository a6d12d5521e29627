package agui_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// reasoner is a model server for one of the three protocols. Its model reasons before
// each answer and before each tool call, and refuses a request with status 400 unless
// everything it reasoned in that conversation comes back unchanged, in its place. It
// calls the tool "time" in turns whose message asks for the time.
type reasoner struct {
	protocol string // chat, messages or responses
	silent   bool   // it does not sum up its reasoning

	mu       sync.Mutex
	issued   map[string][]thought // by the conversation's first message
	refusals []string
	requests int
}

// thought is an opaque item with what the model said or did right after it.
type thought struct{ Item, Next string }

// step is one thing the model says: an answer, or a call of the tool "time".
type step struct {
	blob, summary, answer string
	call                  bool
}

// startReasoner starts the model and a server of ours that asks it.
func startReasoner(t *testing.T, re *reasoner, s app.Settings) *apptest.Server {
	t.Helper()
	re.issued = map[string][]thought{}
	model := httptest.NewServer(re)
	t.Cleanup(model.Close)
	t.Setenv(app.OpenAIBaseEnv, model.URL+"/v1")
	t.Setenv(app.AnthropicBaseEnv, model.URL)
	t.Setenv(app.AnthropicKeyEnv, "none")
	s.Model = app.ModelSettings{Provider: "openai", Name: "m", API: re.protocol}
	if re.protocol == "messages" {
		s.Model = app.ModelSettings{Provider: "anthropic", Name: "m"}
	}
	return apptest.StartModel(t, s)
}

func (re *reasoner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	re.mu.Lock()
	defer re.mu.Unlock()
	re.requests++
	var in conversation
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	first, last, got := in.read()
	if want := re.issued[first]; !slices.Equal(want, got) {
		refusal := fmt.Sprintf("a thought has changed: want %.2000q, got %.2000q", want, got)
		re.refusals = append(re.refusals, refusal)
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(m{"error": m{"message": refusal}})
		return
	}
	n := len(re.issued[first]) + 1
	// Characters that encoders like to escape must come back as they were.
	s := step{blob: fmt.Sprintf("blob %d of %s: <&>+/= \u2028é", n, first), summary: fmt.Sprintf("I weigh step %d.", n)}
	switch {
	case strings.HasPrefix(last, "flood"):
		s.blob = strings.Repeat("x", 23<<20)
	case strings.Contains(last, "time"):
		s.call = true
	}
	if re.silent {
		s.summary = ""
	}
	s.answer = fmt.Sprintf("Answer %d.", n)
	item, events := s.events(re.protocol)
	next := s.answer
	if s.call {
		next = "time"
	}
	re.issued[first] = append(re.issued[first], thought{canonical(item), next})
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		raw, _ := json.Marshal(e)
		name, _ := e["type"].(string)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, raw)
	}
}

// events returns the item that has to come back for this step, and the stream of the
// answer.
func (s step) events(protocol string) (item any, events []m) {
	switch protocol {
	case "messages":
		return s.messagesEvents()
	case "responses":
		return s.responsesEvents()
	}
	return s.chatChunks()
}

func (s step) chatChunks() (any, []m) {
	details := []m{{"type": "reasoning.encrypted", "data": s.blob, "format": "f", "index": 1}}
	if s.summary != "" {
		details = append([]m{{"type": "reasoning.summary", "summary": s.summary, "index": 0}}, details...)
	}
	delta, reason := m{"role": "assistant", "reasoning_details": details, "content": s.answer}, "stop"
	if s.call {
		delete(delta, "content")
		delta["tool_calls"], reason = []m{{"index": 0, "id": "c", "type": "function",
			"function": m{"name": "time", "arguments": `{"rationale":"they asked"}`}}}, "tool_calls"
	}
	return details, []m{{"model": "m", "choices": []m{{"index": 0, "delta": delta, "finish_reason": reason}}}}
}

func (s step) messagesEvents() (any, []m) {
	block := func(i int, start, delta m) []m {
		return []m{{"type": "content_block_start", "index": i, "content_block": start},
			{"type": "content_block_delta", "index": i, "delta": delta}, {"type": "content_block_stop", "index": i}}
	}
	events := []m{{"type": "message_start", "message": m{"model": "m", "usage": m{"input_tokens": 3}}}}
	events = append(events, block(0, m{"type": "thinking", "thinking": s.summary, "signature": ""},
		m{"type": "signature_delta", "signature": s.blob})...)
	if s.call {
		events = append(events, block(1, m{"type": "tool_use", "id": "c", "name": "time", "input": m{}},
			m{"type": "input_json_delta", "partial_json": `{"rationale":"they asked"}`})...)
	} else {
		events = append(events, block(1, m{"type": "text", "text": ""}, m{"type": "text_delta", "text": s.answer})...)
	}
	return m{"type": "thinking", "thinking": s.summary, "signature": s.blob}, append(events,
		m{"type": "message_delta", "delta": m{"stop_reason": "end_turn"}, "usage": m{"output_tokens": 5}},
		m{"type": "message_stop"})
}

func (s step) responsesEvents() (any, []m) {
	item := m{"type": "reasoning", "id": "rs_1", "summary": []m{}, "encrypted_content": s.blob, "status": nil}
	if s.summary != "" {
		item["summary"] = []m{{"type": "summary_text", "text": s.summary}}
	}
	out := m{"type": "message", "role": "assistant", "content": []m{{"type": "output_text", "text": s.answer}}}
	if s.call {
		out = m{"type": "function_call", "call_id": "c", "name": "time", "arguments": `{"rationale":"they asked"}`}
	}
	return item, []m{{"type": "response.output_item.done", "item": item},
		{"type": "response.output_item.done", "item": out},
		{"type": "response.completed", "response": m{"model": "m"}}}
}

// conversation is what the three protocols send of a conversation: messages, or input
// items.
type conversation struct {
	Messages []entry `json:"messages"`
	Input    []entry `json:"input"`
}

// entry has the members of a chat message, of a message of content blocks, or of an
// input item.
type entry struct {
	Type, Role, Name string
	Content          json.RawMessage
	ToolCalls        []struct{ Function struct{ Name string } } `json:"tool_calls"`
	Details          json.RawMessage                            `json:"reasoning_details"`
	Text             string
	raw              json.RawMessage
}

// UnmarshalJSON keeps the original.
func (e *entry) UnmarshalJSON(raw []byte) error {
	type plain entry
	e.raw = slices.Clone(raw)
	return json.Unmarshal(raw, (*plain)(e))
}

// read returns the first message of the user, the last one if nothing of the model
// follows it, and the thoughts that came back, in order.
func (in conversation) read() (first, last string, got []thought) {
	for _, e := range append(in.Messages, in.Input...) {
		parts := e.parts()
		if e.Role == "user" && parts[0].Type != "tool_result" {
			last = parts[0].Text
			if first == "" {
				first = last
			}
		} else if e.Role != "system" {
			last = ""
		}
		if e.Details != nil {
			got = append(got, thought{Item: canonical(e.Details)})
		}
		for _, p := range parts {
			switch {
			case p.Type == "thinking" || p.Type == "reasoning":
				got = append(got, thought{Item: canonical(p.raw)})
			case (e.Role == "assistant" || p.Name != "") && len(got) > 0 && got[len(got)-1].Next == "":
				got[len(got)-1].Next = p.Name + p.Text
			}
		}
	}
	return first, last, got
}

// parts returns the content of an entry as a list, whatever its form.
func (e entry) parts() (parts []entry) {
	var text string
	switch {
	case len(e.ToolCalls) > 0:
		return []entry{{Name: e.ToolCalls[0].Function.Name}}
	case e.Content == nil:
		return []entry{e}
	case json.Unmarshal(e.Content, &text) == nil:
		return []entry{{Text: text}}
	}
	_ = json.Unmarshal(e.Content, &parts)
	return parts
}

// canonical returns the JSON of a value with its members sorted, so that equal values
// are equal texts.
func canonical(v any) string {
	raw, _ := json.Marshal(v)
	var decoded any
	_ = json.Unmarshal(raw, &decoded)
	raw, _ = json.Marshal(decoded)
	return string(raw)
}

// checked asserts that the model refused nothing.
func (re *reasoner) checked(t *testing.T, requests int) {
	t.Helper()
	re.mu.Lock()
	defer re.mu.Unlock()
	require.Empty(t, re.refusals)
	require.Equal(t, requests, re.requests)
}
