package dialect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/attach/dialect"
	"candor/attach/otlp"
)

// both returns the attributes of two dialects on one span.
func both(one, other otlp.Attributes) otlp.Attributes {
	all := otlp.Attributes{}
	for _, attrs := range []otlp.Attributes{one, other} {
		for key, v := range attrs {
			all[key] = v
		}
	}
	return all
}

// TestTwoDialectsOnASpanAreMergedMemberByMember holds that what only one of two dialects has of a span is told, and
// that what both have is told once.
func TestTwoDialectsOnASpanAreMergedMemberByMember(t *testing.T) {
	const out = "llm.output_messages.0.message."
	text := otlp.Attributes{"openinference.span.kind": "LLM", out + "role": "assistant", out + "content": "I look."}
	call := `[{"role":"assistant","parts":[{"type":"text","content":"I look."},{"type":"tool_call","id":"call_1",` +
		`"name":"weather","arguments":{"city":"Oslo"}}]}]`
	chat := otlp.Attributes{"gen_ai.operation.name": "chat", "gen_ai.output.messages": call}
	for name, tt := range map[string]struct {
		one, other otlp.Attributes
		want       []string
	}{
		"the prompt of a run beside another dialect's run": {
			otlp.Attributes{"openinference.span.kind": "AGENT", "input.value": "How warm?"},
			otlp.Attributes{"gen_ai.operation.name": "invoke_agent"},
			[]string{"it prompted How warm?", "it ended "},
		},
		"the prompt and the answer in the form of messages": {
			otlp.Attributes{"openinference.span.kind": "CHAIN", "output.value": `{"output":"4 degrees."}`,
				"input.value": `{"messages":[{"type":"system","content":"Be kind."},{"type":"human",` +
					`"content":"How warm?"}]}`},
			otlp.Attributes{"traceloop.span.kind": "workflow"},
			[]string{"it prompted How warm?", "it ended 4 degrees."},
		},
		"a call that only one has": {text, chat,
			[]string{"it said I look.", `it called call_1 weather{"city":"Oslo"}`}},
		"a thought that only one has, which comes first": {text,
			otlp.Attributes{"ai.operationId": "ai.generateText.doGenerate", "ai.response.reasoning": "It may help."},
			[]string{"it thought It may help.", "it said I look.", "it ended I look."}},
		"numbers and names of which each has one": {
			both(text, otlp.Attributes{"llm.token_count.prompt": int64(10), "llm.model_name": "opus"}),
			both(chat, otlp.Attributes{"gen_ai.usage.output_tokens": int64(5), "gen_ai.request.model": "other"}),
			[]string{"it said I look.", `it called call_1 weather{"city":"Oslo"}`, "it used 10+5", " about opus"},
		},
		"a model call whose messages are another dialect's": {
			otlp.Attributes{"gen_ai.operation.name": "chat", "gen_ai.request.model": "opus"},
			otlp.Attributes{"llm.request.type": "chat", "gen_ai.completion.0.role": "assistant",
				"gen_ai.completion.0.content": "I look."},
			[]string{"it said I look.", "it ended I look.", " about opus"},
		},
		"a tool with its id, its parameters and its result in three": {
			otlp.Attributes{"openinference.span.kind": "TOOL", "input.value": `{'city': 'Oslo', 'now': True}`},
			otlp.Attributes{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather",
				"gen_ai.tool.call.id": "call_1", "traceloop.span.kind": "tool", "traceloop.entity.output": `"rain"`},
			[]string{`it called call_1 it{"city": "Oslo", "now": true}`, `it returned call_1 "rain"`},
		},
		"a chain that is an agent for the other": {
			otlp.Attributes{"openinference.span.kind": "CHAIN"},
			otlp.Attributes{"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": `[{"role":"user",` +
				`"parts":[{"type":"text","content":"How warm?"}]}]`},
			[]string{"it prompted How warm?", "it ended "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			all, losses := read(t, span("it", "", 1, both(tt.one, tt.other)))
			assert.Empty(t, losses)
			assert.Equal(t, tt.want, lines(all))
		})
	}
}

// TestWhatAPersonSaidIsFoundInTheInputOfARun holds in which forms frameworks have it, and that nothing else is taken
// for it.
func TestWhatAPersonSaidIsFoundInTheInputOfARun(t *testing.T) {
	for given, want := range map[string]string{
		`How warm?`: "How warm?", `"How warm?"`: "How warm?", `42`: "42", `[urgent] do it`: "[urgent] do it",
		`{"inputs":{"messages":[["system","Be kind."],["user","How warm?"]]}}`:                    "How warm?",
		`{"args":["How warm?"],"kwargs":{}}`:                                                      "How warm?",
		`{"args":[],"kwargs":{"question":"How warm?"}}`:                                           "How warm?",
		`{"messages":[{"role":"user","content":[{"type":"text","text":"How warm?"}]}]}`:           "How warm?",
		`[{"lc":1,"id":["HumanMessage"],"kwargs":{"content":"How warm?","type":"human"}}]`:        "How warm?",
		`{"messages":[{"role":"user","content":"old"},{"role":"assistant","content":"x"},"new"]}`: "old",
		`{"messages":[{"role":"assistant","content":"x"}]}`:                                       "",
		`{"topic":"weather"}`: "", `null`: "", `{"inputs":{"messages":[["user","How wa`: "", `{'messages': []}`: "",
		strings.Repeat(`{"input":`, 20) + `"x"` + strings.Repeat(`}`, 20): "",
	} {
		all, _ := read(t, span("it", "", 1, otlp.Attributes{"traceloop.span.kind": "workflow",
			"traceloop.entity.input": given}))
		if want == "" {
			assert.Equal(t, []string{"it ended "}, lines(all), given)
		} else {
			assert.Equal(t, "it prompted "+want, lines(all)[0], given)
		}
	}
}

// TestTheTimeInFrontOfAPromptIsNoPartOfIt holds that a prompt is what the person said.
func TestTheTimeInFrontOfAPromptIsNoPartOfIt(t *testing.T) {
	for given, want := range map[string]string{
		"<current_datetime>2026-11-28T06:00:00Z</current_datetime>\n\nHow warm?": "How warm?",
		"<current_datetime>": "<current_datetime>", // which a person may write, too
	} {
		all, _ := read(t, span("it", "", 1, otlp.Attributes{"openinference.span.kind": "AGENT", "input.value": given}))
		assert.Equal(t, want, all[0].Prompted.Text)
	}
}

// TestMessagesMayStandInASpansEvents holds that the forms in which the conventions had messages before are read.
func TestMessagesMayStandInASpansEvents(t *testing.T) {
	chat := otlp.Attributes{"gen_ai.operation.name": "chat"}
	const call = `{"role":"assistant","content":"I look.","tool_calls":[{"id":"call_1","type":"function",` +
		`"function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]}`
	for name, events := range map[string][]otlp.Event{
		"each message an event": {
			{Name: "gen_ai.user.message", Attrs: otlp.Attributes{
				"gen_ai.event.content": `{"role":"user","content":"How warm?"}`}},
			{Name: "gen_ai.choice", Attrs: otlp.Attributes{"gen_ai.event.content": `{"index":0,"message":` + call +
				`}`}},
		},
		"two events with lists": {
			{Name: "gen_ai.content.prompt", Attrs: otlp.Attributes{
				"gen_ai.prompt": `[{"role":"user","content":"How warm?"}]`}},
			{Name: "gen_ai.content.completion", Attrs: otlp.Attributes{"gen_ai.completion": "[" + call + "]"}},
		},
		"one event with the attributes": {
			{Name: "gen_ai.client.inference.operation.details", Attrs: otlp.Attributes{
				"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"How warm?"}]}]`,
				"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"I look."},` +
					`{"type":"tool_call","id":"call_1","name":"weather","arguments":{"city":"Oslo"}}]}]`}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			one := span("it", "", 1, chat)
			one.Events = events
			all, losses := read(t, one)
			assert.Empty(t, losses)
			assert.Equal(t, []string{"it prompted How warm?", "it said I look.",
				`it called call_1 weather{"city":"Oslo"}`}, lines(all))
		})
	}
}

// TestNestedSpansOfOneCallAreOneCall holds that a call of which several programs write a span, each within the one
// before, is told once, with what only the inner ones know, in whatever order the spans come; and that an answer is.
func TestNestedSpansOfOneCallAreOneCall(t *testing.T) {
	use := func(id, parent string, attrs otlp.Attributes) otlp.Span {
		attrs["gen_ai.operation.name"] = "execute_tool"
		return span(id, parent, 2, attrs)
	}
	request := func(id, parent string) otlp.Span {
		return span(id, parent, 2, otlp.Attributes{"mcp.method.name": "tools/call", "gen_ai.tool.name": "weather",
			"gen_ai.tool.call.arguments": `{"city":"Oslo"}`, "gen_ai.tool.call.result": `"warm"`})
	}
	named := otlp.Attributes{"gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "call_1"}
	whole := []string{`run called call_1 weather{"city":"Oslo"}`, `run returned call_1 "warm"`}
	for name, tt := range map[string]struct {
		spans []otlp.Span
		want  []string
	}{
		"a framework's, its client's and the server's": {
			[]otlp.Span{request("server", "client"), request("client", "use"), use("use", "run", named)}, whole},
		"the same with a span of a transport between them": {
			[]otlp.Span{request("client", "http"), span("http", "use", 2, otlp.Attributes{"http.route": "/"}),
				use("use", "run", named)}, whole},
		"the inner one has the server's name of it": {
			[]otlp.Span{use("inner", "use", otlp.Attributes{"gen_ai.tool.name": "mcp__sky__weather",
				"gen_ai.tool.call.id": "call_1", "gen_ai.tool.call.result": `"warm"`}),
				use("use", "run", otlp.Attributes{"gen_ai.tool.name": "weather",
					"gen_ai.tool.call.arguments": `{"city":"Oslo"}`})}, whole},
		"the inner one is another dialect's": {
			[]otlp.Span{span("inner", "use", 2, otlp.Attributes{"traceloop.span.kind": "tool",
				"traceloop.entity.name": "weather", "traceloop.entity.input": `{"kwargs":{"city":"Oslo"}}`,
				"traceloop.entity.output": `"warm"`}), use("use", "run", named)}, whole},
		"a failure that only the inner one knows": {
			[]otlp.Span{func() otlp.Span {
				s := request("client", "use")
				s.Failed, s.Message = true, "broken"
				return s
			}(), use("use", "run", named)},
			[]string{`run called call_1 weather{"city":"Oslo"}`, "run returned call_1 broken"}},
		"two calls of which one is made within the other": {
			[]otlp.Span{use("inner", "use", otlp.Attributes{"gen_ai.tool.name": "weather",
				"gen_ai.tool.call.id": "call_2"}),
				use("use", "run", named)},
			[]string{"run/use spawned by call_1 weather", "run/use called call_2 weather", "run/use returned call_2 ",
				"run called call_1 weather", "run returned call_1 "}},
		"an answer that the provider's library tells again": {
			[]otlp.Span{numbered("say", "chat", 2), span("chat", "run", 2, otlp.Attributes{
				"gen_ai.operation.name":  "chat",
				"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"4 degrees."}]}]`})},
			[]string{"run said 4 degrees.", "run ended 4 degrees."}},
		"an answer that only the provider's library tells": {
			[]otlp.Span{numbered("ask", "chat", 2), span("chat", "run", 2, otlp.Attributes{"llm.request.type": "chat",
				"gen_ai.usage.input_tokens": int64(10)})},
			[]string{"run prompted How warm?", "run thought It may help.", "run said I look.",
				`run called call_1 weather{"city":"Oslo"}`, "run stopped tool_calls", "run used 10+5", " about opus"}},
	} {
		t.Run(name, func(t *testing.T) {
			all, losses := read(t, append(tt.spans, genAI("run", "", 4))...)
			assert.Empty(t, losses)
			assert.Equal(t, append(tt.want, "run ended "), lines(all))
		})
	}
	late, _ := read(t, genAI("run", "", 4), use("use", "run", named), request("client", "use"))
	for _, s := range late {
		assert.Empty(t, s.Sub, "a part of a call that comes late is no sub-agent")
		assert.True(t, s.Called == nil || s.Call == "call_1")
	}
}

// TestAnUnknownDialectIsNamed holds that what an agent or a model wrote in a form that nobody here reads is named, and
// that what is known to tell nothing, or is no agent's, is not.
func TestAnUnknownDialectIsNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		attrs otlp.Attributes
		lost  bool
	}{
		"a dialect that is new":            {otlp.Attributes{"langfuse.observation.type": "generation"}, true},
		"a kind that is new":               {otlp.Attributes{"openinference.span.kind": "NOVELTY"}, true},
		"an operation that is new":         {otlp.Attributes{"gen_ai.operation.name": "dream"}, true},
		"a span of a kind without a name":  {otlp.Attributes{"traceloop.span.kind": "unknown"}, true},
		"a model that says nothing else":   {otlp.Attributes{"gen_ai.system": "openai"}, true},
		"a part of a run":                  {otlp.Attributes{"traceloop.span.kind": "task"}, false},
		"an embedding":                     {otlp.Attributes{"llm.request.type": "embedding"}, false},
		"an embedding of the conventions":  {otlp.Attributes{"gen_ai.operation.name": "embeddings"}, false},
		"an embedding of the AI SDK":       {otlp.Attributes{"ai.operationId": "ai.embed"}, false},
		"a request of MCP that is no call": {otlp.Attributes{"mcp.method.name": "tools/list"}, false},
		"a retriever":                      {otlp.Attributes{"openinference.span.kind": "RETRIEVER"}, false},
		"a span of a web server in a workflow": {otlp.Attributes{"traceloop.workflow.name": "x", "http.route": "/",
			"traceloop.association.properties.session_id": "s", "gen_ai.conversation.id": "s"}, false},
		"a span of a web server": {otlp.Attributes{"http.route": "/", "llmish": "x"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			all, losses := read(t, span("it", "", 1, tt.attrs))
			assert.Empty(t, all)
			if tt.lost {
				assert.Equal(t, []dialect.Loss{{What: "a span of a kind that is not read", Name: "it"}}, losses)
			} else {
				assert.Empty(t, losses)
			}
		})
	}
}

// TestNamesAreCleanedBeforeTheyBecomeOthers holds that a name is cleaned in the form in which it came: in small
// letters, or cut, a secret in it would not be found.
func TestNamesAreCleanedBeforeTheyBecomeOthers(t *testing.T) {
	clean := func(name string) string { return strings.ReplaceAll(name, "SeCrEt", "[masked]") }
	for name, change := range map[string]func(s *otlp.Span){
		"of a service":          func(s *otlp.Span) { s.Resource = otlp.Attributes{"service.name": "shop SeCrEt"} },
		"of an instrumentation": func(s *otlp.Span) { s.Scope = "shop SeCrEt" },
		"of an agent":           func(s *otlp.Span) { s.Scope, s.Attrs["gen_ai.agent.name"] = "", "SeCrEt" },
		"of a model that is cut": func(s *otlp.Span) {
			s.Attrs["gen_ai.response.model"] = strings.Repeat("x", 253) +
				"SeCrEt"
		},
	} {
		t.Run(name, func(t *testing.T) {
			run, ask := genAI("run", "", 4), genAI("ask", "run", 1)
			run.Attrs, ask.Attrs = both(run.Attrs, nil), both(ask.Attrs, nil)
			change(&run)
			change(&ask)
			var traces dialect.Traces
			for _, s := range []otlp.Span{ask, run} {
				n, _, _ := dialect.Read(s, clean)
				traces.Add(at(100), n)
			}
			for _, s := range traces.All() {
				assert.NotContains(t, strings.ToLower(s.Agent), "secret")
				if s.About != nil {
					assert.NotContains(t, s.About.Model, "SeC")
				}
			}
		})
	}
}

// TestWhyAModelStoppedIsTold holds that the word for why an answer ended is read wherever a dialect has it, and that a
// model which says that it calls tools, and calls none, is said to have.
func TestWhyAModelStoppedIsTold(t *testing.T) {
	const out, said = "llm.output_messages.0.message.", "gen_ai.completion.0."
	for name, tt := range map[string]struct {
		attrs otlp.Attributes
		want  string
	}{
		"in a list": {otlp.Attributes{"gen_ai.operation.name": "chat", "gen_ai.output.messages": "[]",
			"gen_ai.response.finish_reasons": []any{"length"}}, "length"},
		"in a list that is a text": {otlp.Attributes{"gen_ai.operation.name": "chat", "gen_ai.output.messages": "[]",
			"gen_ai.response.finish_reasons": `["", "content_filter"]`}, "content_filter"},
		"in the message": {otlp.Attributes{"gen_ai.operation.name": "chat",
			"gen_ai.output.messages": `[{"role":"assistant","finish_reason":"max_tokens"}]`}, "max_tokens"},
		"in a flattened message": {otlp.Attributes{said + "role": "assistant", said + "finish_reason": "length"},
			"length"},
		"beside one": {otlp.Attributes{"llm.request.type": "chat", said + "content": "x",
			"llm.response.stop_reason": "refusal"}, "refusal"},
		"of the AI SDK": {otlp.Attributes{"ai.operationId": "ai.streamText.doStream",
			"ai.response.finishReason": "content-filter"}, "content-filter"},
		"of OpenInference": {otlp.Attributes{"openinference.span.kind": "LLM", out + "role": "assistant",
			out + "finish_reason": "length"}, "length"},
		"in another dialect than the answer": {otlp.Attributes{"openinference.span.kind": "LLM",
			out + "role":            "assistant",
			"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": []any{"length"}}, "length"},
		"calls of which there are none, beside a text": {otlp.Attributes{"gen_ai.operation.name": "chat",
			"gen_ai.output.messages":         `[{"role":"assistant","parts":[{"type":"text","content":"I look."}]}]`,
			"gen_ai.response.finish_reasons": []any{"tool_calls"}}, "no_call"},
		"calls that are kept back": {otlp.Attributes{"gen_ai.operation.name": "chat",
			"gen_ai.response.finish_reasons": []any{"tool_calls"}}, "tool_calls"},
		"a call that cannot be read": {otlp.Attributes{"gen_ai.operation.name": "chat", "gen_ai.output.messages": "[]",
			"gen_ai.response.finish_reasons": []any{"MALFORMED_FUNCTION_CALL"}}, "MALFORMED_FUNCTION_CALL"},
	} {
		t.Run(name, func(t *testing.T) {
			all, _ := read(t, span("it", "", 1, tt.attrs))
			assert.Contains(t, lines(all), "it stopped "+tt.want)
		})
	}
	silent, _ := read(t, span("it", "", 1, otlp.Attributes{"llm.request.type": "chat", said + "content": "x"}))
	assert.NotContains(t, strings.Join(lines(silent), "\n"), "stopped")
	run := span("run", "", 4, otlp.Attributes{"agent_name": "w", "pydantic_ai.all_messages": `[{"role":"assistant",` +
		`"parts":[{"type":"text","content":"x"}],"finish_reason":"length"}]`})
	run.Scope = "pydantic-ai"
	all, _ := read(t, run)
	assert.Contains(t, lines(all), "run stopped length")
}

// TestAResultThatOnlyTheNextAnswerKnowsIsTold holds that a call whose tool has no span ends with what the model was
// sent of it, once, and that one with a span does not end twice.
func TestAResultThatOnlyTheNextAnswerKnowsIsTold(t *testing.T) {
	const in, sent = "llm.input_messages.", "gen_ai.prompt."
	older := `{"role":"tool","parts":[{"type":"tool_call_response","id":"call_0","result":"older"}]},`
	for name, attrs := range map[string]otlp.Attributes{
		"in the conventions": {"gen_ai.operation.name": "chat", "gen_ai.input.messages": `[` + older + `{"role":` +
			`"assistant","parts":[]},{"role":"tool","parts":[{"type":"tool_call_response","id":"call_1",` +
			`"response":{"degrees":4}}]}]`, "gen_ai.output.messages": "[]"},
		"by OpenLLMetry": {"llm.request.type": "chat", sent + "0.role": "assistant", sent + "1.role": "tool",
			sent + "1.tool_call_id": "call_1", sent + "1.content": `{"degrees":4}`},
		"by OpenInference": {"openinference.span.kind": "LLM", in + "0.message.role": "assistant",
			in + "1.message.role": "tool", in + "1.message.tool_call_id": "call_1",
			in + "1.message.content": `{"degrees":4}`},
	} {
		t.Run(name, func(t *testing.T) {
			say := span("say", "run", 3, attrs)
			all, _ := read(t, genAI("ask", "run", 1), say, say, genAI("run", "", 4))
			assert.Contains(t, lines(all), `run returned call_1 {"degrees":4}`)
			all, _ = read(t, genAI("ask", "run", 1), genAI("use", "run", 2), say, genAI("run", "", 4))
			said := strings.Join(lines(all), "\n")
			assert.Equal(t, 1, strings.Count(said, "returned call_1"))
			all, _ = read(t, say, genAI("run", "", 4))
			assert.NotContains(t, strings.Join(lines(all), "\n"), "returned", "a call of another turn")
		})
	}
}

// TestAModelCallMayHaveItsTextsAlone holds that a span without messages is read by its input and its output.
func TestAModelCallMayHaveItsTextsAlone(t *testing.T) {
	all, _ := read(t, span("it", "", 1, otlp.Attributes{"openinference.span.kind": "LLM", "input.value": "How warm?",
		"output.value": "4 degrees."}))
	assert.Equal(t, []string{"it prompted How warm?", "it said 4 degrees.", "it ended 4 degrees."}, lines(all))
}

// TestEventsOfOtherAgentsAreNamed holds that records which tell of agents or models in a form that is not read are
// named.
func TestEventsOfOtherAgentsAreNamed(t *testing.T) {
	for name, want := range map[string]string{
		"gen_ai.choice": "gen_ai.choice", "gemini_cli.tool_call": "gemini_cli.tool_call", "shop.order": "",
	} {
		for _, r := range []otlp.Record{{Name: name}, {Body: name}, {Body: "x",
			Attrs: otlp.Attributes{"event.name": name}}} {
			_, loss := dialect.Record(r)
			assert.Equal(t, want, loss.Name)
		}
	}
}

// TestMessagesMayStandInLogRecords holds that a model call whose messages are in log records, which name its span, is
// told like one that has them itself, whichever comes first.
func TestMessagesMayStandInLogRecords(t *testing.T) {
	chat := span("chat", "run", 2, otlp.Attributes{"gen_ai.operation.name": "chat", "gen_ai.response.model": "opus",
		"gen_ai.usage.input_tokens": int64(10), "gen_ai.usage.output_tokens": int64(5),
		"gen_ai.response.finish_reasons": []any{"tool_calls"}})
	event := func(name string, body any, attrs otlp.Attributes) otlp.Record {
		return otlp.Record{Trace: chat.Trace, Span: chat.ID, Name: name, Body: body, At: at(2), Attrs: attrs}
	}
	text := func(content string) map[string]any { return map[string]any{"content": content} }
	choice := map[string]any{"index": 0.0, "finish_reason": "tool_calls", "message": map[string]any{
		"role": "assistant", "content": "I look.", "tool_calls": []any{map[string]any{"id": "call_1",
			"type":     "function",
			"function": map[string]any{"name": "weather", "arguments": `{"city":"Oslo"}`}}}}}
	for name, records := range map[string][]otlp.Record{
		"one for each": {event("gen_ai.system.message", text("Be kind."), nil),
			event("gen_ai.user.message", text("How warm?"), nil), event("gen_ai.choice", choice, nil)},
		"named by an attribute": {event("", text("How warm?"), otlp.Attributes{"event.name": "gen_ai.user.message"}),
			event("", choice, otlp.Attributes{"event.name": "gen_ai.choice"})},
		"one with all": {event("gen_ai.client.inference.operation.details", nil, otlp.Attributes{
			"gen_ai.operation.name":  "chat",
			"gen_ai.input.messages":  `[{"role":"user","parts":[{"type":"text","content":"How warm?"}]}]`,
			"gen_ai.output.messages": choiceMessages, "gen_ai.response.finish_reasons": []any{"tool_calls"}})},
	} {
		t.Run(name, func(t *testing.T) {
			for _, early := range []bool{false, true} {
				var traces dialect.Traces
				add := func() {
					for _, r := range records {
						all, loss := dialect.Record(r)
						assert.Empty(t, all)
						assert.Empty(t, loss)
						if n, ok := dialect.Message(r, strings.Clone); ok {
							traces.Add(at(100), n)
						}
					}
				}
				if early {
					add()
				}
				n, _, _ := dialect.Read(chat, strings.Clone)
				traces.Add(at(100), n)
				if !early {
					add()
				}
				run, _, _ := dialect.Read(genAI("run", "", 4), strings.Clone)
				traces.Add(at(100), run)
				all := traces.Ready(at(100))
				assert.ElementsMatch(t, []string{"run prompted How warm?", "run said I look.",
					`run called call_1 weather{"city":"Oslo"}`, "run stopped tool_calls", "run used 10+5",
					" about opus",
					"run ended "}, lines(all))
				groups := map[string]bool{}
				for _, s := range all {
					if s.Group != "" {
						groups[s.Group] = true
					}
				}
				assert.Len(t, groups, 1, "one answer")
			}
		})
	}
	lone := event("gen_ai.choice", choice, nil)
	lone.Span = ""
	_, ok := dialect.Message(lone, strings.Clone)
	assert.False(t, ok)
	_, loss := dialect.Record(lone)
	assert.Equal(t, "gen_ai.choice", loss.Name, "of which call it is, nobody knows")
}

// choiceMessages is an answer in the form of the conventions.
const choiceMessages = `[{"role":"assistant","parts":[{"type":"text","content":"I look."},` +
	`{"type":"tool_call","id":"call_1","name":"weather","arguments":{"city":"Oslo"}}]}]`
