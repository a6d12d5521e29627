package telemetry_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// plainSpan returns a span of any dialect, whose ids are of one digit. at is its end in seconds.
func plainSpan(id, parent, name string, at int, attrs object) object {
	s := span(id, parent, "", at, attrs)
	s["name"] = name
	kept := []object{}
	for _, one := range s["attributes"].([]object) {
		if one["key"] != "gen_ai.operation.name" {
			kept = append(kept, one)
		}
	}
	s["attributes"] = kept
	return s
}

// TestWhyAModelStoppedStandsInTheTurn holds that an answer which was cut off, or filtered, is not shown as a whole one.
func TestWhyAModelStoppedStandsInTheTurn(t *testing.T) {
	for name, tt := range map[string]struct {
		attrs object
		want  string
	}{
		"by the conventions": {object{"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": `["length"]`,
			"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"It is"}]}]`}, "length"},
		"by OpenLLMetry": {object{"llm.request.type": "chat", "gen_ai.completion.0.content": "It is",
			"gen_ai.completion.0.finish_reason": "content_filter"}, "filter"},
		"by OpenInference": {object{"openinference.span.kind": "LLM", "llm.output_messages.0.message.role": "assistant",
			"llm.output_messages.0.message.content": "It is", "llm.finish_reason": "max_tokens"}, "length"},
	} {
		t.Run(name, func(t *testing.T) {
			s := apptest.Start(t, app.Settings{}, nil)
			status, answer := post(t, s, "/v1/traces", "application/json", "", traces(plainSpan("1", "", "x", 1,
				tt.attrs)))
			require.Equal(t, http.StatusOK, status, answer)
			assert.Equal(t, "{}", answer)
			id := s.Session("ann").Threads()[0].ID
			turn := s.Get("ann", "/api/chat/history?thread_id="+id).JSON()["turns"].([]any)[0].(apptest.M)
			assert.Equal(t, tt.want, turn["stop"])
		})
	}
}

// TestAGraphsSpansOfOpenLLMetryAreItsDecisions holds that a graph whose spans are OpenLLMetry's is one turn, with its
// prompt, its answer, and the calls, of which two are of one tool and have their parameters as Python writes them.
func TestAGraphsSpansOfOpenLLMetryAreItsDecisions(t *testing.T) {
	const said = "gen_ai.completion.0."
	use := func(id, city, result string) object {
		return plainSpan(id, "2", "weather.tool", 3, object{"traceloop.span.kind": "tool",
			"traceloop.entity.name": "weather", "traceloop.entity.input": `{"input_str": "{'city': '` + city + `'}"}`,
			"traceloop.entity.output": `{"output": "` + result + `"}`})
	}
	spans := []object{
		plainSpan("3", "2", "ChatOpenAI.chat", 2, object{"llm.request.type": "chat", "gen_ai.system": "Langchain",
			"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Where is it warmer?",
			said + "role": "assistant", said + "content": "I compare them.", said + "finish_reason": "tool_calls",
			said + "tool_calls.0.id": "call_1", said + "tool_calls.0.name": "weather",
			said + "tool_calls.0.arguments": `{"city": "Oslo"}`,
			said + "tool_calls.1.id":        "call_2", said + "tool_calls.1.name": "weather",
			said + "tool_calls.1.arguments": `{"city": "Rome"}`}),
		use("5", "Rome", "sun"), use("4", "Oslo", "rain"),
		plainSpan("6", "2", "ChatOpenAI.chat", 5, object{"llm.request.type": "chat",
			said + "role": "assistant", said + "content": "In Rome."}),
		plainSpan("2", "1", "agent.task", 5, object{"traceloop.span.kind": "task"}),
		plainSpan("1", "", "LangGraph.workflow", 6, object{"traceloop.span.kind": "workflow",
			"traceloop.entity.name":  "LangGraph",
			"traceloop.entity.input": `{"inputs": {"messages": [["user", "Where is it warmer?"]]}}`}),
	}
	s := apptest.Start(t, app.Settings{}, nil)
	status, answer := post(t, s, "/v1/traces", "application/json", "", traces(spans...))
	require.Equal(t, http.StatusOK, status, answer)
	assert.Equal(t, "{}", answer)
	assert.Equal(t, []string{
		"langgraph: Where is it warmer? => In Rome.",
		`  <nil> 1 weather map[city:Oslo] success "rain"<nil> fallback 0 [telemetry]`,
		`  <nil> 1 weather map[city:Rome] success "sun"<nil> fallback 0 [telemetry]`,
		"  I compare them.",
	}, decisions(t, s))
}

// TestMessagesInLogRecordsAreOfTheirSpans holds that a model call whose messages come to the other path, before or
// after its span, is one answer with its calls.
func TestMessagesInLogRecordsAreOfTheirSpans(t *testing.T) {
	const record = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1795434560000000000",` +
		`"traceId":"` + traceID + `","spanId":"3333333333333333","eventName":"gen_ai.choice","body":{"kvlistValue":` +
		`{"values":[{"key":"message","value":{"kvlistValue":{"values":[{"key":"role","value":` +
		`{"stringValue":"assistant"}},{"key":"content","value":{"stringValue":"4 degrees."}}]}}}]}}}]}]}]}`
	chat := span("3", "1", "chat", 1, object{"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text",` +
		`"content":"How warm?"}]}]`})
	run := span("1", "", "invoke_agent", 2, object{"gen_ai.agent.name": "Weather"})
	for name, bodies := range map[string][][2]string{
		"before": {{"/v1/logs", record}, {"/v1/traces", string(traces(chat, run))}},
		"after":  {{"/v1/traces", string(traces(chat, run))}, {"/v1/logs", record}},
	} {
		t.Run(name, func(t *testing.T) {
			s := apptest.Start(t, app.Settings{}, nil)
			for _, one := range bodies {
				status, answer := post(t, s, one[0], "application/json", "", []byte(one[1]))
				require.Equal(t, http.StatusOK, status, answer)
			}
			assert.Equal(t, []string{"weather: How warm? => 4 degrees."}, decisions(t, s))
		})
	}
}
