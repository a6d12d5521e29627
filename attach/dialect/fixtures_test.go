package dialect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"candor/attach"
	"candor/attach/dialect"
	"candor/attach/otlp"
)

// at returns a time so many seconds after a fixed one.
func at(seconds int) time.Time { return time.Date(2026, 11, 1, 10, 0, seconds, 0, time.UTC) }

// hexID returns an id of digits, for a word.
func hexID(word string, n int) string {
	if word == "" {
		return ""
	}
	return (fmt.Sprintf("%x", word) + strings.Repeat("0", n))[:n]
}

// span returns a span of the trace "trace" that ends at a second.
func span(id, parent string, end int, attrs otlp.Attributes) otlp.Span {
	return otlp.Span{
		Trace: hexID("trace", 32), ID: hexID(id, 16), Parent: hexID(parent, 16), Name: id, Scope: "shop",
		Start: at(end - 1), End: at(end), Attrs: attrs, Resource: otlp.Attributes{},
	}
}

// read returns what spans tell that come in this order, and what was lost of them.
func read(t *testing.T, spans ...otlp.Span) (all []attach.Sighting, losses []dialect.Loss) {
	t.Helper()
	var traces dialect.Traces
	for _, s := range spans {
		n, loss, ok := dialect.Read(s, strings.Clone)
		if loss != (dialect.Loss{}) {
			losses = append(losses, loss)
		}
		if ok {
			traces.Add(at(100), n)
			all = append(all, traces.Ready(at(100))...)
		}
	}
	return append(all, traces.All()...), losses
}

// words maps ids to the words that they were made of.
func words(id string) string {
	var b strings.Builder
	for i := 0; i+1 < len(id) && id[i:i+2] != "00"; i += 2 {
		var c byte
		if _, err := fmt.Sscanf(id[i:i+2], "%02x", &c); err != nil || c < ' ' {
			return id
		}
		b.WriteByte(c)
	}
	return b.String()
}

// lines writes sightings in a form that is easy to compare: turn, sub-agent, and what they say.
func lines(all []attach.Sighting) (out []string) {
	for _, s := range all {
		line := words(s.Turn)
		if s.Sub != "" {
			line += "/" + words(s.Sub)
		}
		switch {
		case s.About != nil:
			line += " about " + s.About.Model
		case s.Prompted != nil:
			line += " prompted " + s.Prompted.Text
		case s.Said != nil && s.Said.Summary:
			line += " thought " + s.Said.Text
		case s.Said != nil:
			line += " said " + s.Said.Text
		case s.Called != nil:
			line += fmt.Sprintf(" called %s %s%s", words(s.Call), s.Called.Tool, s.Called.Params)
		case s.Returned != nil:
			line += fmt.Sprintf(" returned %s %s%s", words(s.Call), s.Returned.Result, s.Returned.Error)
		case s.Spawned != nil:
			line += fmt.Sprintf(" spawned by %s %s", words(s.Call), s.Spawned.Kind)
		case s.Used != nil:
			line += fmt.Sprintf(" used %d+%d", s.Used.Input, s.Used.Output)
		case s.Stopped != nil:
			line += " stopped " + s.Stopped.Reason
		case s.Ended != nil:
			line += " ended " + s.Ended.Answer + s.Ended.Error
		}
		out = append(out, line)
	}
	return out
}

// The spans of a small agent: a model that asks for a tool, the tool, the answer, the agent.
func small(operation func(id, parent string, end int) otlp.Span) []otlp.Span {
	return []otlp.Span{operation("ask", "run", 1), operation("use", "run", 2), operation("say", "run", 3),
		operation("run", "", 4)}
}

// wanted is what each dialect tells of the small agent.
var wanted = []string{
	"run prompted How warm?", "run thought It may help.", "run said I look.",
	`run called call_1 weather{"city":"Oslo"}`, "run used 10+5", " about opus",
	`run called call_1 weather{"city":"Oslo"}`, `run returned call_1 {"degrees":4}`,
	"run said 4 degrees.", "run ended 4 degrees.",
}

// genAI are the attributes of the small agent in the GenAI conventions.
func genAI(id, parent string, end int) otlp.Span {
	return span(id, parent, end, map[string]otlp.Attributes{
		"ask": {"gen_ai.operation.name": "chat", "gen_ai.response.model": "opus",
			"gen_ai.usage.input_tokens": int64(10), "gen_ai.usage.output_tokens": 5.0,
			"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"How warm?"}]}]`,
			"gen_ai.output.messages": []any{map[string]any{"role": "assistant", "parts": []any{
				map[string]any{"type": "reasoning", "content": "It may help."},
				map[string]any{"type": "text", "content": "I look."},
				map[string]any{"type": "tool_call", "id": "call_1", "name": "weather",
					"arguments": map[string]any{"city": "Oslo"}},
			}}}},
		"use": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "call_1",
			"gen_ai.tool.call.arguments": `{"city":"Oslo"}`, "gen_ai.tool.call.result": `{"degrees":4}`},
		"say": {"gen_ai.operation.name": "chat", "gen_ai.output.messages": `[{"role":"assistant","parts":[
			{"type":"image"},{"type":"text","content":"4 degrees."}]}]`},
		"run": {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Weather",
			"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"flattened"}]}]`},
	}[id])
}

// aiSDK are those in the names of the AI SDK before version 7.
func aiSDK(id, parent string, end int) otlp.Span {
	return span(id, parent, end, map[string]otlp.Attributes{
		"ask": {"ai.operationId": "ai.generateText.doGenerate", "ai.response.model": "opus",
			"ai.prompt.messages":    `[{"role":"user","content":[{"type":"text","text":"How warm?"}]}]`,
			"ai.response.reasoning": "It may help.", "ai.response.text": "I look.",
			"ai.response.toolCalls": `[{"toolCallId":"call_1","toolName":"weather","input":{"city":"Oslo"}}]`,
			"ai.usage.inputTokens":  int64(10), "ai.usage.outputTokens": int64(5)},
		"use": {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "weather", "ai.toolCall.id": "call_1",
			"ai.toolCall.args": `{"city":"Oslo"}`, "ai.toolCall.result": `{"degrees":4}`},
		"say": {"ai.operationId": "ai.streamText.doStream", "ai.response.text": "4 degrees."},
		"run": {"ai.operationId": "ai.generateText", "ai.prompt": `{"prompt":"How warm?"}`},
	}[id])
}

// flat are those of OpenInference, whose span of the tool does not name the call.
func flat(id, parent string, end int) otlp.Span {
	const out = "llm.output_messages.0.message."
	return span(id, parent, end, map[string]otlp.Attributes{
		"ask": {"openinference.span.kind": "LLM", "llm.model_name": "opus",
			"llm.token_count.prompt": int64(10), "llm.token_count.completion": int64(5),
			"llm.input_messages.0.message.role": "system", "llm.input_messages.0.message.content": "Be kind.",
			"llm.input_messages.1.message.role": "user", "llm.input_messages.1.message.content": "How warm?",
			out + "role": "assistant", out + "contents.0.message_content.type": "reasoning",
			out + "contents.0.message_content.text": "It may help.", out + "contents.1.message_content.type": "text",
			out + "contents.1.message_content.text": "I look.", out + "tool_calls.0.tool_call.id": "call_1",
			out + "tool_calls.0.tool_call.function.name":      "weather",
			out + "tool_calls.0.tool_call.function.arguments": `{"city":"Oslo"}`},
		"use": {"openinference.span.kind": "TOOL", "tool.name": "weather", "input.value": `{"city": "Oslo"}`,
			"output.value": `{"degrees":4}`},
		"say": {"openinference.span.kind": "LLM", out + "role": "assistant", out + "content": "4 degrees."},
		"run": {"openinference.span.kind": "AGENT"},
	}[id])
}

// numbered are those of OpenLLMetry, whose span of the tool has the call's id in the message that LangChain makes of
// the result.
func numbered(id, parent string, end int) otlp.Span {
	const sent, said = "gen_ai.prompt.", "gen_ai.completion."
	return span(id, parent, end, map[string]otlp.Attributes{
		"ask": {"llm.request.type": "chat", "gen_ai.response.model": "opus",
			"gen_ai.usage.prompt_tokens": int64(10), "gen_ai.usage.completion_tokens": int64(5),
			sent + "0.role": "system", sent + "0.content": "Be kind.",
			sent + "1.role": "user", sent + "1.content": `[{"type":"text","text":"How warm?"}]`,
			said + "0.role": "thinking", said + "0.content": "It may help.",
			said + "1.role": "assistant", said + "1.content": "I look.", said + "1.finish_reason": "tool_calls",
			said + "1.tool_calls.0.id": "call_1", said + "1.tool_calls.0.name": "weather",
			said + "1.tool_calls.0.arguments": `{"city":"Oslo"}`},
		"use": {"traceloop.span.kind": "tool", "traceloop.entity.name": "weather",
			"traceloop.entity.input": `{"input_str":"{'city': 'Oslo'}","tags":[],"metadata":{}}`,
			"traceloop.entity.output": `{"output":{"lc":1,"type":"constructor","kwargs":{"content":"{\"degrees\":4}",` +
				`"tool_call_id":"call_1","status":"success"}}}`},
		"say": {"gen_ai.completion.0.content": "4 degrees."},
		"run": {"traceloop.span.kind": "workflow", "traceloop.entity.name": "weather"},
	}[id])
}
