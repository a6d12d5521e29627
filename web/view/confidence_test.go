package view

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/session/export"
)

// decided is a call that is a decision, of which its agent is 40 % sure.
func decided(what string) session.ToolCalled {
	return session.ToolCalled{
		Step: 1, Call: "call_1", Tool: safety.Literal("decide"), Params: value(`{"decision":` + what + `}`),
		Rationale: session.Rationale{Text: safety.Literal("two alarms agree"), Source: session.FromModel},
		Decides:   true, Confidence: &session.Confidence{Stated: 0.4, Threshold: 0.7},
	}
}

// askedFor asks a person about it, since the agent is not sure enough.
var askedFor = session.ApprovalAsked{
	Request: "r", Call: "call_1", Shown: value(`{"decision":"ship"}`), LowConfidence: true,
}

func TestADecisionShowsHowSureItsAgentIs(t *testing.T) {
	turn := foldTurn(session.TurnStarted{}, decided(`"ship"`), askedFor)
	got := Turn(turn).Reasoning.ToolDecisions[0]
	assert.Equal(t, &ConfidenceInfo{Stated: 0.4, Threshold: 0.7}, got.Confidence)
	assert.True(t, got.Decides)
	assert.True(t, got.LowConfidence)
	assert.Equal(t, "ship", got.Decision)
	open := PendingApprovals([]session.Turn{turn})
	require.Len(t, open, 1)
	assert.Equal(t, got.Confident, open[0].Confident)
	assert.True(t, open[0].LowConfidence)

	turn = foldTurn(session.TurnStarted{}, decided(`"ship"`), askedFor,
		session.ApprovalAnswered{Request: "r", Call: "call_1", Answer: session.Approve, Value: value(`"hold"`)})
	assert.Equal(t, "hold", Turn(turn).Reasoning.ToolDecisions[0].ApprovalValue)
}

func TestTheFramesOfADecisionSayHowSureItsAgentIs(t *testing.T) {
	answer := session.ApprovalAnswered{Request: "r", Call: "call_1", Answer: session.Approve, Value: value(`"hold"`)}
	bodies := []session.Body{session.TurnStarted{}, decided(`"ship"`), askedFor, answer, session.StepEnded{Step: 1}}
	of := func(n int) map[string]any {
		frames := Frames(foldTurn(bodies[:n]...), session.Event{Body: bodies[n-1]})
		require.Len(t, frames, 1)
		return encodeObject(t, frames[0].Data)
	}
	sure := map[string]any{"stated": 0.4, "threshold": 0.7}
	for name, got := range map[string]map[string]any{"tool_started": of(2), "approval_needed": of(3)} {
		assert.Equal(t, name, got["type"])
		assert.Equal(t, sure, got["confidence"], name)
		assert.Equal(t, true, got["decides"], name)
		assert.Equal(t, "ship", got["decision"], name)
	}
	assert.Equal(t, true, of(3)["low_confidence"])
	assert.Equal(t, "hold", of(4)["approval_value"])
	decision := of(5)["tool_decisions"].([]any)[0].(map[string]any)
	assert.Equal(t, sure, decision["confidence"])
	assert.Equal(t, "hold", decision["approval_value"])
}

func TestTheEndOfADecisionSaysWhatWasDecided(t *testing.T) {
	answer := session.ApprovalAnswered{Request: "r", Call: "call_1", Answer: session.Approve, Value: value(`"hold"`)}
	done := session.ToolReturned{Call: "call_1", Outcome: session.Success}
	turn := foldTurn(session.TurnStarted{}, decided(`"ship"`), askedFor, answer, done)
	got := encodeObject(t, Frames(turn, session.Event{Body: done})[0].Data)
	assert.Equal(t, []any{true, "ship", "hold"}, []any{got["decides"], got["decision"], got["approval_value"]})

	asked := session.ApprovalAsked{Request: "r", Call: "call_1"}
	plain := foldTurn(session.TurnStarted{}, called("call_1", nil), asked, answer)
	got = encodeObject(t, Frames(plain, session.Event{Body: done})[0].Data)
	for _, name := range []string{"decides", "decision", "approval_value"} {
		assert.NotContains(t, got, name, "an ordinary call")
	}
}

func TestALongDecisionIsCutInViewsAndWholeInItsParameters(t *testing.T) {
	long := strings.Repeat("ä", maxPreview+1)
	got := Turn(foldTurn(session.TurnStarted{}, decided(`"`+long+`"`))).Reasoning.ToolDecisions[0]
	assert.Equal(t, long[:2*maxPreview]+"…", got.Decision)
	assert.JSONEq(t, `{"decision":"`+long+`"}`, string(got.Parameters.Raw()))
	answered := session.ApprovalAnswered{Request: "r", Call: "call_1", Answer: session.Approve}
	answered.Value = value(`"` + long + `"`)
	turn := foldTurn(session.TurnStarted{}, decided(`"ship"`), askedFor, answered)
	assert.Equal(t, long[:2*maxPreview]+"…", Turn(turn).Reasoning.ToolDecisions[0].ApprovalValue)
	frame := Frames(turn, session.Event{Body: answered})[0]
	assert.Equal(t, long[:2*maxPreview]+"…", encodeObject(t, frame.Data)["approval_value"])
}

func TestOrdinaryTurnsSayNothingOfConfidenceOrWorkflows(t *testing.T) {
	plain := called("call_1", nil)
	turn := foldTurn(session.TurnStarted{}, plain,
		session.ApprovalAsked{Request: "r", Call: "call_1", Shown: plain.Params})
	for _, v := range []any{
		Turn(turn), PendingApprovals([]session.Turn{turn}), Frames(turn, session.Event{Body: plain})[0].Data,
		Frames(turn, session.Event{Body: session.TurnStarted{}})[0].Data,
		Frames(turn, session.Event{Body: session.ApprovalAnswered{}})[0].Data,
	} {
		raw, err := safety.Marshal(v)
		require.NoError(t, err)
		for _, name := range []string{"confidence", "decides", `"decision"`, "approval_value", "workflow"} {
			assert.NotContains(t, string(raw), name)
		}
	}
}

func TestATurnSaysWhichWorkflowItRunsAndWhatItRepeats(t *testing.T) {
	started := session.TurnStarted{Workflow: session.Workflow{ID: "chat"}}
	assert.Equal(t, map[string]any{"id": "chat"}, encodeObject(t, Turn(foldTurn(started)))["workflow"])
	started.Workflow.ReplayOf = session.Ref{Thread: "t-0", Turn: 4}
	turn := foldTurn(started)
	want := map[string]any{"id": "chat", "replay_of": map[string]any{"thread_id": "t-0", "turn_number": 4.0}}
	assert.Equal(t, want, encodeObject(t, Turn(turn))["workflow"])
	assert.Equal(t, want, encodeObject(t, Frames(turn, session.Event{Body: started})[0].Data)["workflow"])
}

func TestASearchFindsDecisionsAndWhatAPersonSaid(t *testing.T) {
	turn := foldTurn(session.TurnStarted{}, decided(`{"ship":"tonight"}`), askedFor,
		session.ApprovalAnswered{Request: "r", Call: "call_1", Answer: session.Approve, Value: value(`"hold it back"`)})
	document := Document{Turn: &turn}
	assert.Equal(t, []string{"call_1 decision"}, fields(find("tonight", nil, document)))
	assert.Equal(t, []string{"call_1 approval_value"}, fields(find("hold", nil, document)))
}

func TestJSONLinesWithoutParametersHaveNoDecisions(t *testing.T) {
	turn := foldTurn(session.TurnStarted{}, decided(`"ship"`), askedFor)
	turn.Steps[0].Calls[0].Approval.Value = value(`"hold"`)
	var out strings.Builder
	doc := export.Document{Turns: []session.Turn{turn}}
	require.NoError(t, JSONLines(&out, doc))
	assert.Contains(t, out.String(), `"decision":"ship"`)
	assert.Contains(t, out.String(), `"approval_value":"hold"`)
	out.Reset()
	doc.Omit = export.Omit{Parameters: true}
	require.NoError(t, JSONLines(&out, doc))
	assert.NotContains(t, out.String(), `"ship"`)
	assert.NotContains(t, out.String(), `"hold"`)
	assert.Contains(t, out.String(), `"decides":true`)
}
