package otlp

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"candor/safety"
	"candor/session"
)

func TestACallsReasonIsAnAttributeOfItsSpan(t *testing.T) {
	s, thread := newThread(t, session.Limits{})
	ref := runTurn(t, s, thread, lookup("call_1"), returned("call_1"),
		session.StepEnded{Step: 1, Usage: session.Usage{Input: 7, Output: 3}},
		session.TurnCompleted{Response: said("noon"), Usage: session.Usage{Input: 10, Output: 1, Reasoning: 1}})
	spans := project(t, s, ref, About{Provider: "openai", Model: "m"})
	require.Len(t, spans, 4)
	turn, tool := spans["invoke_agent candor"], spans["execute_tool clock"]
	assert.Equal(t, "to know the time", valueOf(tool.Attributes, "candor.tool.rationale"))
	assert.Equal(t, "model", valueOf(tool.Attributes, "candor.tool.rationale.source"))
	assert.Equal(t, thread, valueOf(tool.Attributes, "gen_ai.conversation.id"))
	assert.Equal(t, turn.SpanId, tool.ParentSpanId)
	assert.Empty(t, turn.ParentSpanId)
	assert.Equal(t, uint64(time.Millisecond), tool.EndTimeUnixNano-tool.StartTimeUnixNano)
	assert.Equal(t, "17", valueOf(turn.Attributes, "gen_ai.usage.input_tokens"))
	asked, answer := spans["chat m"], spans["chat m'"]
	assert.Equal(t, tracepb.Span_SPAN_KIND_CLIENT, asked.Kind)
	assert.Equal(t, "7", valueOf(asked.Attributes, "gen_ai.usage.input_tokens"))
	assert.Equal(t, "1", valueOf(answer.Attributes, "gen_ai.usage.reasoning.output_tokens"))
	assert.Equal(t, turn.StartTimeUnixNano, asked.StartTimeUnixNano)
	assert.Equal(t, turn.EndTimeUnixNano, answer.EndTimeUnixNano)
}

func TestATurnThatIsProjectedAgainHasTheSameIDs(t *testing.T) {
	facts := []session.Body{lookup("call_1"), returned("call_1"), lookup("call_2"), returned("call_2"),
		session.StepEnded{Step: 1}, session.TurnCompleted{}}
	s, thread := newThread(t, session.Limits{})
	one, two := runTurn(t, s, thread, facts...), runTurn(t, s, thread, facts...)
	first, again := project(t, s, one, About{}), project(t, s, one, About{Content: true})
	other := project(t, s, two, About{})
	seen := map[string]bool{}
	for name, span := range first {
		assert.Equal(t, span.TraceId, again[name].TraceId, name)
		assert.Equal(t, span.SpanId, again[name].SpanId, name)
		assert.NotEqual(t, span.TraceId, other[name].TraceId, name)
		assert.NotEqual(t, span.SpanId, other[name].SpanId, name)
		assert.Len(t, span.TraceId, 16)
		assert.Len(t, span.SpanId, 8)
		assert.False(t, seen[string(span.SpanId)], "%s has the id of another span", name)
		seen[string(span.SpanId)] = true
	}
}

func TestMessagesArgumentsAndResultsAreSentOnlyIfAskedFor(t *testing.T) {
	s, thread := newThread(t, session.Limits{})
	ref := runTurn(t, s, thread, session.Narrated{Step: 1, Text: said("I look."), Source: session.FromModel},
		lookup("call_1"), returned("call_1"), session.StepEnded{Step: 1}, session.TurnCompleted{Response: said("noon")})
	content := map[string][]string{
		"invoke_agent candor": {"gen_ai.input.messages", "gen_ai.output.messages"},
		"chat":                {"gen_ai.output.messages"},
		"execute_tool clock":  {"gen_ai.tool.call.arguments", "gen_ai.tool.call.result"},
	}
	without, with := project(t, s, ref, About{}), project(t, s, ref, About{Content: true})
	for span, keys := range content {
		for _, key := range keys {
			assert.Empty(t, valueOf(without[span].Attributes, key), "%s %s", span, key)
			assert.NotEmpty(t, valueOf(with[span].Attributes, key), "%s %s", span, key)
		}
	}
	assert.JSONEq(t, `[{"role":"assistant","parts":[{"type":"text","content":"I look."},
		{"type":"tool_call","id":"call_1","name":"clock","arguments":{"zone":"UTC"}}]}]`,
		valueOf(with["chat"].Attributes, "gen_ai.output.messages"))
}

func TestATurnThatDidNotSucceedIsAnError(t *testing.T) {
	s, thread := newThread(t, session.Limits{})
	failed := project(t, s, runTurn(t, s, thread, session.TurnFailed{Error: said("out of memory")}), About{})
	span := failed["invoke_agent candor"]
	assert.Equal(t, tracepb.Status_STATUS_CODE_ERROR, span.Status.Code)
	assert.Equal(t, "out of memory", span.Status.Message)
	assert.Equal(t, "_OTHER", valueOf(span.Attributes, "error.type"))

	first := runTurn(t, s, thread)
	waiting := runTurn(t, s, thread, session.TurnInterrupted{})
	stopped := project(t, s, waiting, About{})
	require.Len(t, stopped, 1)
	span = stopped["invoke_agent candor"]
	assert.Equal(t, "interrupted", valueOf(span.Attributes, "error.type"))
	assert.LessOrEqual(t, span.StartTimeUnixNano, span.EndTimeUnixNano)
	_, err := s.Append(first, session.TurnInterrupted{})
	require.NoError(t, err)
}

// An agent that was handed a task and did not come back was stopped with the call.
func TestAnAgentThatDidNotAnswerEndsWithItsCall(t *testing.T) {
	s, thread := newThread(t, session.Limits{})
	e, err := s.Accept(thread, said("go"), nil)
	require.NoError(t, err)
	helper := e.Ref
	helper.Agent = "helper_1"
	for _, f := range []struct {
		ref  session.Ref
		body session.Body
	}{
		{e.Ref, lookup("call_1")}, {e.Ref, session.Handoff{Call: "call_1", To: "helper_1", Text: said("look")}},
		{helper, lookup("call_2")},
		{helper, session.ToolReturned{Call: "call_2", Outcome: session.Cancelled}},
		{e.Ref, session.ToolReturned{Call: "call_1", Outcome: session.Cancelled}}, {e.Ref, session.TurnInterrupted{}},
	} {
		_, err := s.Append(f.ref, f.body)
		require.NoError(t, err)
	}
	spans := project(t, s, e.Ref, About{})
	task, call, inner := spans["invoke_agent helper_1"], spans["execute_tool clock"], spans["execute_tool clock'"]
	require.NotNil(t, task)
	if len(inner.ParentSpanId) > 0 && string(call.ParentSpanId) == string(task.SpanId) {
		call, inner = inner, call
	}
	assert.Equal(t, call.SpanId, task.ParentSpanId)
	assert.Equal(t, task.SpanId, inner.ParentSpanId)
	assert.Equal(t, call.EndTimeUnixNano, task.EndTimeUnixNano)
	assert.Equal(t, "interrupted", valueOf(task.Attributes, "error.type"))
	assert.Equal(t, "cancelled", valueOf(inner.Attributes, "error.type"))
}

func TestAnObservedTurnHasNoRequestsToAModel(t *testing.T) {
	s, _ := newThread(t, session.Limits{})
	id, err := s.OpenObserved("p", session.Origin{Protocol: "mew", Space: said("lab"), Participant: said("robot")})
	require.NoError(t, err)
	e, err := s.Observe(id, session.TurnStarted{Input: said("go")})
	require.NoError(t, err)
	for _, f := range []session.Body{lookup("call_1"), returned("call_1"), session.TurnCompleted{}} {
		_, err := s.Append(e.Ref, f)
		require.NoError(t, err)
	}
	turn, err := s.Turn(id, e.Turn)
	require.NoError(t, err)
	events, err := s.TurnEvents(id, e.Turn)
	require.NoError(t, err)
	spans, _ := Project(turn, said("robot"), events, About{Provider: "openai", Model: "m"})
	got := named(spans)
	require.Len(t, got, 2)
	assert.Equal(t, "robot", valueOf(got["execute_tool clock"].Attributes, "gen_ai.agent.name"))
	assert.Empty(t, valueOf(got["invoke_agent robot"].Attributes, "gen_ai.request.model"), "nobody said whose it is")
}

func TestATextIsCutAtAWholeCharacter(t *testing.T) {
	for _, n := range []int{maxText, maxText + 1, maxText + 2} {
		got := cut(strings.Repeat("é", n))
		assert.LessOrEqual(t, len(got), maxText)
		assert.True(t, utf8.ValidString(got))
		assert.NotContains(t, got, "\uFFFD")
	}
	assert.Equal(t, "a\uFFFDb", cut("a\xffb"))
	long := message("user", part{Type: "text", Content: strings.Repeat("z", 3*maxPart)})
	assert.Equal(t, maxPart, strings.Count(long, "z"))
	var many []part
	for range maxText {
		many = append(many, part{Type: "text"})
	}
	assert.Empty(t, message("user", many...), "half a message would not be JSON")
}

func TestFindingsThatHideAreCounted(t *testing.T) {
	assert.Equal(t, 3, hidden([]safety.Finding{
		{Rule: "a", Count: 1, Effect: safety.Masked}, {Rule: "b", Count: 2, Effect: safety.Withheld},
		{Rule: "c", Count: 4, Effect: safety.Noticed},
	}))
}
