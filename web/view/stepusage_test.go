package view

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety"
	"candor/session"
)

func TestEachStepSaysWhatItCost(t *testing.T) {
	second := called("call_2", nil)
	second.Step = 2
	turn := foldTurn(
		session.TurnStarted{Message: "m", Input: safety.Literal("search")},
		called("call_1", nil),
		session.ToolReturned{Call: "call_1", Outcome: session.Success},
		session.StepEnded{Step: 1, Usage: session.Usage{Input: 100, Output: 20}},
		second,
		session.ToolReturned{Call: "call_2", Outcome: session.Success},
		session.StepEnded{Step: 2}, // nobody said what it cost
		session.TurnCompleted{Response: safety.Literal("so"),
			Usage: session.Usage{Input: 300, Output: 40, Reasoning: 7}},
	)
	info := Turn(turn)
	assert.Equal(t, []StepUsage{{"", 1, 100, 20, 0}, {"", 3, 300, 40, 7}}, info.Steps)
	assert.NotContains(t, encodeObject(t, Turn(session.Turn{})), "step_usage")
}

// A call waits from its start, one second before the question, until the answer two seconds after that.
func TestACallSaysHowLongItWaitedForAPerson(t *testing.T) {
	begin := []session.Body{
		session.TurnStarted{Message: "m", Input: safety.Literal("search")}, called("call_1", nil),
		session.ApprovalAsked{Request: "r", Call: "call_1"}, session.StepWaits{Step: 1},
	}
	open := Turn(foldTurn(begin...)).ToolCalls[0]
	assert.Zero(t, open.WaitedMS, "while it waits nobody knows how long")
	assert.NotContains(t, encodeObject(t, open), "waited_ms")
	answered := session.ApprovalAnswered{Request: "r", Call: "call_1", Answer: session.Approve}
	assert.EqualValues(t, 3000, Turn(foldTurn(append(begin, answered)...)).ToolCalls[0].WaitedMS)
}
