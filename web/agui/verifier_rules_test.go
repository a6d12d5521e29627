package agui

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func started() Event { return &Run{Head: Head{Type: RunStarted}, ThreadID: "t", RunID: "r"} }

func finished(outcome string) Event {
	return &Run{Head: Head{Type: RunFinished}, ThreadID: "t", RunID: "r", Outcome: &Outcome{Type: outcome}}
}

func failed() Event                { return &Failure{Head: Head{Type: RunError}, Message: "no"} }
func mark(t Type, id string) Event { return &Mark{Head{Type: t}, id} }
func begin(t Type, id string) Event {
	return &Start{Head{Type: t}, id, map[Type]string{TextStart: "assistant"}[t]}
}
func piece(t Type, id string) Event { return &Content{Head{Type: t}, id, "x"} }
func aCall(t Type) Event            { return &Call{Head: Head{Type: t}, ToolCallID: "c"} }
func aStep(t Type, owner string) Event {
	return &Step{Head{Type: t, Subagent: owner}, "s"}
}
func agentOf(t Type) Event { return &Subagent{Head: Head{Type: t, Subagent: "a"}} }

func TestTheVerifierRejectsSequencesOutOfOrder(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []Event // all but the last are in order
	}{
		{"a first event that begins no run", []Event{begin(TextStart, "m")}},
		{"a run within a run", []Event{started(), started()}},
		{"an event after the end", []Event{started(), finished("success"), begin(TextStart, "m")}},
		{"a second end", []Event{started(), finished("success"), finished("success")}},
		{"an event after an error", []Event{started(), failed(), begin(TextStart, "m")}},
		{"an error after an error", []Event{started(), failed(), failed()}},
		{"an end after an error", []Event{started(), failed(), finished("success")}},
		{"a text that begins twice", []Event{started(), begin(TextStart, "m"), begin(TextStart, "m")}},
		{"text that has not begun", []Event{started(), piece(TextContent, "m")}},
		{"the end of a text that has not begun", []Event{started(), mark(TextEnd, "m")}},
		{"text after its end", []Event{started(), begin(TextStart, "m"), mark(TextEnd, "m"), piece(TextContent, "m")}},
		{"a call that begins twice", []Event{started(), aCall(ToolStart), aCall(ToolStart)}},
		{"arguments of no call", []Event{started(), &Args{Head{Type: ToolArgs}, "c", "{}"}}},
		{"the end of no call", []Event{started(), aCall(ToolEnd)}},
		{"reasoning that begins twice", []Event{started(), begin(ReasoningStart, "m"), begin(ReasoningStart, "m")}},
		{"reasoning that has not begun", []Event{started(), mark(SpanStart, "m"), piece(ReasoningContent, "m")}},
		{"the end of reasoning that has not begun", []Event{started(), mark(SpanStart, "m"), mark(ReasoningEnd, "m")}},
		{"a span that begins twice", []Event{started(), mark(SpanStart, "m"), mark(SpanStart, "m")}},
		{"the end of no span", []Event{started(), begin(ReasoningStart, "m"), mark(SpanEnd, "m")}},
		{"a step that begins twice", []Event{started(), aStep(StepStarted, ""), aStep(StepStarted, "")}},
		{"another's step ended", []Event{started(), aStep(StepStarted, "a"), aStep(StepFinished, "b")}},
		{"a run that ends with a step open", []Event{started(), aStep(StepStarted, ""), finished("success")}},
		{"a run that ends with a text open", []Event{started(), begin(TextStart, "m"), finished("success")}},
		{"a run that ends with a call open", []Event{started(), aCall(ToolStart), finished("interrupt")}},
		{"a run that ends with reasoning open", []Event{started(), begin(ReasoningStart, "m"), finished("success")}},
		{"a run that ends with a span open", []Event{started(), mark(SpanStart, "m"), finished("success")}},
		{"a run that is cancelled with something open", []Event{started(), mark(SpanStart, "m"),
			finished("cancelled")}},
		{"a run that ends with a sub-agent open", []Event{started(), agentOf(SubagentStarted), finished("success")}},
		{"a sub-agent that begins twice", []Event{started(), agentOf(SubagentStarted), agentOf(SubagentStarted)}},
		{"a sub-agent that begins again", []Event{started(), agentOf(SubagentStarted), agentOf(SubagentFinished),
			agentOf(SubagentStarted)}},
		{"the end of no sub-agent", []Event{started(), agentOf(SubagentFinished)}},
		{"a text with the id of reasoning", []Event{started(), begin(ReasoningStart, "m"), begin(TextStart, "m")}},
		{"an end under another id", []Event{started(), &Run{Head: Head{Type: RunFinished}, ThreadID: "t",
			RunID: "other"}}},
		{"an end of another thread", []Event{started(), &Run{Head: Head{Type: RunFinished}, ThreadID: "other",
			RunID: "r"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var v verifier
			last := len(tt.events) - 1
			for _, e := range tt.events[:last] {
				require.NoError(t, v.check(e))
			}
			require.ErrorIs(t, v.check(tt.events[last]), errSequence)
		})
	}
}

func TestTheVerifierAcceptsValidSequences(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []Event
	}{
		{"an error before anything", []Event{failed()}},
		{"an error with something open", []Event{started(), begin(TextStart, "m"), failed()}},
		{"an error after the end", []Event{started(), finished("success"), failed()}},
		{"several runs", []Event{started(), finished("success"), started(), failed(), started(),
			finished("cancelled")}},
		{"what overlaps", []Event{started(), aStep(StepStarted, ""), mark(SpanStart, "m"), begin(ReasoningStart, "m"),
			aCall(ToolStart),
			begin(TextStart, "x"), mark(TextEnd, "x"), aCall(ToolEnd), mark(ReasoningEnd, "m"), mark(SpanEnd,
				"m"), aStep(StepFinished, ""), finished("success")}},
		{"one step name of two owners", []Event{started(), aStep(StepStarted, ""), aStep(StepStarted, "a"),
			aStep(StepFinished, ""), aStep(StepFinished, "a"), finished("success")}},
		{"a text after another of its id", []Event{started(), begin(TextStart, "m"), mark(TextEnd, "m"),
			begin(TextStart, "m"), mark(TextEnd, "m"), finished("success")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var v verifier
			for _, e := range tt.events {
				require.NoError(t, v.check(e))
			}
			assert.NoError(t, v.done())
		})
	}
}

func TestAStreamMustNotEndInsideARun(t *testing.T) {
	var v verifier
	require.ErrorIs(t, v.done(), errSequence, "nothing was sent")
	require.NoError(t, v.check(started()))
	require.ErrorIs(t, v.done(), errSequence)
}
