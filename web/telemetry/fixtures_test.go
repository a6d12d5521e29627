package telemetry_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

type object = map[string]any

const traceID = "0102030405060708090a0b0c0d0e0f10"

// span returns a span of the GenAI conventions, whose ids are of one digit. at is its end in seconds.
func span(id, parent, operation string, at int, attrs object) object {
	attrs["gen_ai.operation.name"] = operation
	var list []object
	for key, value := range attrs {
		v := object{"stringValue": value}
		if n, ok := value.(int); ok {
			v = object{"intValue": n}
		}
		list = append(list, object{"key": key, "value": v})
	}
	s := object{
		"traceId": traceID, "spanId": strings.Repeat(id, 16), "name": operation, "attributes": list,
		"startTimeUnixNano": fmt.Sprint(1795434560+at-1, "000000000"),
		"endTimeUnixNano":   fmt.Sprint(1795434560+at, "000000000"),
		"status":            object{},
	}
	if parent != "" {
		s["parentSpanId"] = strings.Repeat(parent, 16)
	}
	return s
}

// said returns the messages of a model's answer.
func said(parts ...object) string {
	raw, _ := json.Marshal([]object{{"role": "assistant", "parts": parts}})
	return string(raw)
}

// asks returns a call in an answer.
func asks(id, tool string, args object) object {
	return object{"type": "tool_call", "id": id, "name": tool, "arguments": args}
}

// run returns the spans of an agent that asks for two calls at once, one of which fails, and answers.
func run() []object {
	failed := span("5", "2", "execute_tool", 3, object{
		"gen_ai.tool.name": "ring", "gen_ai.tool.call.id": "call_b", "gen_ai.tool.call.arguments": `{"times":2}`})
	failed["status"] = object{"code": "STATUS_CODE_ERROR", "message": "the bell is broken"}
	return []object{
		span("3", "2", "chat", 1, object{
			"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"How warm?"}]}]`,
			"gen_ai.response.model": "standin-1",
			"gen_ai.output.messages": said(object{"type": "reasoning", "content": "Both at once."},
				object{"type": "text", "content": "I look and ring."},
				asks("call_a", "weather", object{"city": "Oslo"}), asks("call_b", "ring", object{"times": 2})),
			"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 5}),
		span("4", "2", "execute_tool", 2, object{
			"gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "call_a",
			"gen_ai.tool.call.arguments": `{"city":"Oslo"}`, "gen_ai.tool.call.result": `{"degrees":4}`}),
		failed,
		span("2", "1", "agent_step", 3, object{}),
		span("7", "6", "chat", 5, object{"gen_ai.output.messages": said(object{"type": "text",
			"content": "4 degrees."})}),
		span("6", "1", "agent_step", 5, object{}),
		span("1", "", "invoke_agent", 6, object{"gen_ai.agent.name": "Weather Agent",
			"gen_ai.output.messages": said(asks("call_x", "flattened", object{}))}),
	}
}

// traces returns a request with spans.
func traces(spans ...object) []byte {
	raw, _ := json.Marshal(object{"resourceSpans": []object{{
		"resource": object{"attributes": []object{{"key": "service.name",
			"value": object{"stringValue": "unknown_service:node"}}}},
		"scopeSpans": []object{{"scope": object{"name": "gen_ai"}, "spans": spans}},
	}}})
	return raw
}

// post sends a body to a path as ann.
func post(t *testing.T, s *apptest.Server, path, kind, encoding string, body []byte) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.HTTP.URL+path, bytes.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Authorization", "Bearer "+apptest.TokenOf("ann"))
	if encoding != "" {
		r.Header.Set("Content-Encoding", encoding)
	}
	resp, err := s.HTTP.Client().Do(r)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(raw)
}

// packed returns a body with gzip.
func packed(t *testing.T, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(body)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// decisions writes ann's turns in a form that is easy to compare.
func decisions(t *testing.T, s *apptest.Server) (lines []string) {
	t.Helper()
	for _, th := range s.Session("ann").Threads() {
		h := s.Get("ann", "/api/chat/history?thread_id="+th.ID).JSON()
		for _, one := range h["turns"].([]any) {
			turn := one.(apptest.M)
			lines = append(lines, fmt.Sprint(th.Origin.Participant.String(), ": ", turn["user_input"], " => ",
				turn["response"]))
			r, _ := turn["reasoning"].(apptest.M)
			if r == nil {
				continue
			}
			for i, one := range r["tool_decisions"].([]any) {
				d, c := one.(apptest.M), turn["tool_calls"].([]any)[i].(apptest.M)
				lines = append(lines, fmt.Sprint("  ", d["agent"], " ", d["step"], " ", d["tool_name"], " ",
					d["parameters"], " ", d["outcome"], " ", c["result_preview"], c["error"], " ",
					d["rationale_source"], " ", d["parallel_group"], " ", d["sighted"].(apptest.M)["called"]))
			}
			lines = append(lines, fmt.Sprint("  ", r["narrative"]))
		}
	}
	return lines
}
