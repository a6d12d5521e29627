package dialect_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/dialect"
	"candor/attach/otlp"
	"candor/attach/rows"
)

// TestEachDialectTellsTheSame holds that one small agent is told alike, whatever dialect its spans are
// in: the prompt, the thought as a summary, the text, the call by its provider's id, the result, the
// usage and the answer, in this order. What differs is what the writers differ in: OpenInference keeps
// the parameters as the tool had them.
func TestEachDialectTellsTheSame(t *testing.T) {
	for name, dialect := range map[string]func(id, parent string, end int) otlp.Span{
		"GenAI": genAI, "AI SDK before 7": aiSDK, "OpenInference": flat, "OpenLLMetry": numbered,
	} {
		t.Run(name, func(t *testing.T) {
			all, losses := read(t, small(dialect)...)
			assert.Empty(t, losses)
			want := append([]string{}, wanted...)
			if name == "OpenInference" {
				want[6] = `run called call_1 weather{"city": "Oslo"}`
			}
			if name == "OpenLLMetry" {
				want[6] = `run called call_1 weather{"city": "Oslo"}` // as Python wrote it
				want = slices.Insert(want, 4, "run stopped tool_calls")
			}
			got := lines(all)
			if name == "AI SDK before 7" {
				want = append(want, "run prompted How warm?")
			}
			assert.Equal(t, append(want, "run ended "), got)
			for _, s := range all {
				assert.Equal(t, attach.Telemetry, s.Channel)
				assert.Equal(t, hexID("trace", 32), s.Session)
				assert.Equal(t, "shop", s.Agent)
				assert.True(t, s.Called == nil || s.Called.Reason == "", "nothing is a reason")
			}
		})
	}
}

// TestSpansMayComeInAnyOrder holds that the order in which spans arrive changes nothing of what is
// told. Exporters send a span when it ends, and so inner ones first; a batch that is sent again may
// come in any order.
func TestSpansMayComeInAnyOrder(t *testing.T) {
	spans := small(genAI)
	want, _ := read(t, spans...)
	for _, order := range [][]int{{3, 2, 1, 0}, {1, 3, 0, 2}, {2, 3, 1, 0}} {
		var turned []otlp.Span
		for _, i := range order {
			turned = append(turned, spans[i])
		}
		got, _ := read(t, turned...)
		assert.ElementsMatch(t, lines(want), lines(got))
	}
}

// TestPydanticAIsRunIsReadWhereItsModelCallsToldNothing holds that a run that lists its messages, in
// both forms that Pydantic AI has for them, is told like the model calls would be, and is not told a
// second time where these are there. It also holds that the older names of a tool's attributes are
// read.
func TestPydanticAIsRunIsReadWhereItsModelCallsToldNothing(t *testing.T) {
	const messages = `[{"role":"user","parts":[{"type":"text","content":"How warm?"}]},
	 {"role":"assistant","parts":[{"type":"tool_call","id":"call_1","name":"weather",
	 "arguments":"{\"city\":\"Oslo\"}"}]},
	 {"role":"user","parts":[{"type":"tool_call_response","id":"call_1","result":{"degrees":4}}]},
	 {"role":"assistant","parts":[{"type":"text","content":"4 degrees."}]}]`
	const events = `[{"role":"user","content":"How warm?"},
	 {"role":"assistant","tool_calls":[{"id":"call_1","function":{"name":"weather",
	 "arguments":"{\"city\":\"Oslo\"}"}}]},
	 {"role":"tool","id":"call_1","content":{"degrees":4}},{"role":"assistant","content":"4 degrees."}]`
	for _, attrs := range []otlp.Attributes{
		{"agent_name": "w", "pydantic_ai.all_messages": messages}, {"agent_name": "w", "all_messages_events": events},
	} {
		run := span("run", "", 4, attrs)
		run.Scope = "pydantic-ai"
		all, losses := read(t, run)
		assert.Empty(t, losses)
		assert.ElementsMatch(t, []string{
			"run ended ", "run prompted How warm?", `run called call_1 weather{"city":"Oslo"}`,
			`run returned call_1 {"degrees":4}`, "run said 4 degrees.", "run ended 4 degrees.",
		}, lines(all))
		all, _ = read(t, append(small(genAI)[:3], run)...)
		assert.ElementsMatch(t, append(wanted, "run ended "), lines(all), "the model calls have told it")
	}
	tool := span("use", "", 2, otlp.Attributes{"gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "call_1",
		"tool_arguments": `{"city":"Oslo"}`, "tool_response": "warm"})
	tool.Scope = "pydantic-ai"
	all, _ := read(t, tool)
	assert.Equal(t, []string{`use called call_1 weather{"city":"Oslo"}`, `use returned call_1 "warm"`}, lines(all))
}

// TestEachAnswerOfALongRunHasAnIDOfItsOwn holds that the answers of a run that lists its messages are told apart,
// however many they are, by ids that a session takes.
func TestEachAnswerOfALongRunHasAnIDOfItsOwn(t *testing.T) {
	const answers = 4000
	list := strings.Repeat(`{"role":"assistant","parts":[{"type":"text","content":"x"}]},`, answers)
	run := span("run", "", 4, otlp.Attributes{"agent_name": "w",
		"pydantic_ai.all_messages": "[" + strings.TrimSuffix(list, ",") + "]"})
	run.Scope = "pydantic-ai"
	all, _ := read(t, run)
	ids := map[string]bool{}
	for _, s := range all {
		if s.Said != nil {
			assert.True(t, rows.IsID(s.Group), s.Group)
			ids[s.Group] = true
		}
	}
	assert.Len(t, ids, answers)
}

// TestWhatAToolDoesInsideIsASubAgents holds who a sub-agent is: an agent's run within a tool's span,
// and a model that a tool asks by itself. An agent within a chain is none, and only the end of the
// outermost run ends the turn.
func TestWhatAToolDoesInsideIsASubAgents(t *testing.T) {
	inner := span("inner", "use", 2, otlp.Attributes{"gen_ai.operation.name": "invoke_agent",
		"gen_ai.agent.name":     "scout",
		"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"look"}]}]`})
	ask := genAI("ask", "inner", 1)
	all, _ := read(t, ask, inner, genAI("use", "run", 2), genAI("run", "", 4))
	got := lines(all)
	assert.Contains(t, got, "run/inner spawned by call_1 scout")
	assert.Contains(t, got, `run/inner called call_1 weather{"city":"Oslo"}`)
	assert.Contains(t, got, "run/inner ended ")
	assert.NotContains(t, got, "run/inner prompted look")
	assert.NotContains(t, got, " about opus")

	all, _ = read(t, ask, genAI("use", "run", 2), span("inner", "use", 2, otlp.Attributes{}), genAI("run", "", 4))
	assert.Contains(t, lines(all), "run/use spawned by call_1 weather", "a tool that asks a model by itself")

	chain := span("chain", "", 5, otlp.Attributes{"openinference.span.kind": "CHAIN"})
	all, _ = read(t, append(small(genAI)[:3], genAI("run", "chain", 4), chain)...)
	for _, s := range all {
		assert.Empty(t, s.Sub, "an agent within a chain is no sub-agent")
		assert.True(t, s.About != nil || words(s.Turn) == "chain", "the chain is the turn")
	}
	assert.Equal(t, 2, strings.Count(strings.Join(lines(all), "\n"), "ended"), "the answer, and the chain")
}

// TestTwoRunsOfATraceAreTwoTurns holds that the runs below the span of one request of a web server do
// not mix.
func TestTwoRunsOfATraceAreTwoTurns(t *testing.T) {
	root := span("http", "", 9, otlp.Attributes{"http.route": "/"})
	second := genAI("run", "http", 8)
	second.ID = hexID("again", 16)
	all, _ := read(t, genAI("ask", "run", 1), genAI("say", "again", 7), genAI("run", "http", 3), second, root)
	got := lines(all)
	assert.Contains(t, got, "run said I look.")
	assert.Contains(t, got, "again said 4 degrees.")
}

// TestTheSessionIsTheConversationThatIsNearest holds where the session's name comes from: the span
// itself, the spans around it, any span of the trace.
func TestTheSessionIsTheConversationThatIsNearest(t *testing.T) {
	run := genAI("run", "", 4)
	run.Attrs["gen_ai.conversation.id"] = "conv-1"
	use := genAI("use", "run", 2)
	use.Attrs["session.id"] = "conv-2"
	all, _ := read(t, genAI("ask", "run", 1), use, run)
	for _, s := range all {
		if s.Returned != nil {
			assert.Equal(t, "conv-2", s.Session)
		} else if s.Called == nil {
			assert.Equal(t, "conv-1", s.Session)
		}
	}
	ask := genAI("ask", "run", 1)
	ask.Attrs["session.id"] = "conv-3"
	all, _ = read(t, ask, genAI("run", "", 4))
	assert.Equal(t, "conv-3", all[len(all)-1].Session, "a conversation that only an inner span names")
}

// TestTheProgramIsNamedByItsService holds that names of services become names that agents may have,
// that an SDK's default name counts as none, and that a program has here the name that it has in other
// channels.
func TestTheProgramIsNamedByItsService(t *testing.T) {
	for _, tt := range []struct{ service, scope, want string }{
		{"Shop Assistant 2.0", "gen_ai", "shop-assistant-2-0"}, {"unknown_service:node", "gen_ai", "weather"},
		{"", "openinference.instrumentation.langchain", "openinference-instrumentation-la"},
		{"claude-code", "x", "claude"}, {"???", "", "weather"}, {"7up", "", "up"},
	} {
		run := genAI("run", "", 4)
		run.Scope, run.Resource = tt.scope, otlp.Attributes{"service.name": tt.service}
		all, _ := read(t, run)
		require.NotEmpty(t, all)
		assert.Equal(t, tt.want, all[0].Agent, tt.service)
	}
}

// TestWhatCannotBeReadIsNamed holds that a loss says what was lost and of which span, and that its name can
// be made one that does no harm in a terminal.
func TestWhatCannotBeReadIsNamed(t *testing.T) {
	nameless := genAI("ask", "", 1)
	nameless.Attrs["gen_ai.output.messages"] = `[{"parts":[{"type":"tool_call","name":"weather"}]}]`
	silent := genAI("say", "", 1)
	delete(silent.Attrs, "gen_ai.output.messages")
	stray := genAI("use", "", 1)
	stray.Trace = ""
	stray.Name = "bad\x1b[2Jname"
	toolless := genAI("use", "", 1)
	delete(toolless.Attrs, "gen_ai.tool.name")
	_, losses := read(t, nameless, silent, stray, toolless,
		span("x", "", 1, otlp.Attributes{"ai.operationId": "ai.generateText.doGenerate", "ai.response.toolCalls": "{"}))
	assert.Equal(t, []dialect.Loss{
		{What: "a call without an id", Name: "ask"}, {What: "a model call without gen_ai.output.messages", Name: "say"},
		{What: "a span without ids", Name: stray.Name}, {What: "a call without its tool", Name: "use"},
		{What: "ai.response.toolCalls that cannot be read", Name: "x"},
	}, losses)
	assert.Equal(t, "bad??2Jname", dialect.Plain(stray.Name))
	assert.Len(t, dialect.Plain(strings.Repeat("x", 1000)), 48)
	stray.Name = strings.Repeat("x", 1000)
	_, losses = read(t, stray)
	assert.Len(t, losses[0].Name, 256)
}

// TestAToolThatFitsSeveralCallsIsNotGuessed holds that the span of a tool without a call's id goes to
// the call with its parameters, or to the only one that is left, and is dropped if it may be of
// several. A tool that no model asked for is a call by itself.
func TestAToolThatFitsSeveralCallsIsNotGuessed(t *testing.T) {
	ask := flat("ask", "run", 1)
	const second = "llm.output_messages.0.message.tool_calls.1.tool_call."
	ask.Attrs[second+"id"], ask.Attrs[second+"function.name"] = "call_2", "weather"
	ask.Attrs[second+"function.arguments"] = `{"city":"Rome"}`
	use := func(id, input string) otlp.Span {
		s := flat("use", "run", 2)
		s.ID, s.Attrs["input.value"] = hexID(id, 16), input
		return s
	}
	all, _ := read(t, ask, use("use1", `{"city":"Rome"}`), use("use2", `('Oslo',)`), flat("run", "", 4))
	got := lines(all)
	assert.Contains(t, got, `run returned call_2 {"degrees":4}`)
	assert.Contains(t, got, `run returned call_1 {"degrees":4}`, "only one is left")
	all, _ = read(t, ask, use("use1", "?"), flat("run", "", 4))
	assert.NotContains(t, strings.Join(lines(all), "\n"), "returned")
	all, _ = read(t, use("use1", "?"), flat("run", "", 4))
	assert.Contains(t, strings.Join(lines(all), "\n"), "returned use1", "a tool that no model asked for")
}

// TestAFailureHasItsWords holds that a failure is told with the words of the exception, and never
// without any.
func TestAFailureHasItsWords(t *testing.T) {
	use := genAI("use", "", 2)
	use.Failed, use.Events = true, []otlp.Event{{Name: "exception",
		Attrs: otlp.Attributes{"exception.message": "broken"}}}
	all, _ := read(t, use)
	assert.Equal(t, "broken", all[1].Returned.Error)
	assert.Nil(t, all[1].Returned.Result)
	use.Events = nil
	all, _ = read(t, use)
	assert.NotEmpty(t, all[1].Returned.Error)
}
