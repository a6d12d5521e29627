package agui

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// unsureCall is an open question about a call of which its agent is 40 % sure.
func unsureCall(decides bool) session.Call {
	params, _ := safety.NewLayer().CleanJSON(json.RawMessage(`{"decision":"ship"}`))
	return session.Call{
		ID: "call_1", Step: 1, Tool: safety.Literal("decide"), Params: params, Decides: decides,
		Outcome:    session.Pending,
		Confidence: &session.Confidence{Stated: 0.4, Threshold: 0.7},
		Approval:   &session.Approval{Request: "r", Shown: params, LowConfidence: true},
	}
}

// pausedAt returns what a run ends with, as clients see it, whose turn waits for an answer about a call.
func pausedAt(t *testing.T, c session.Call) (started, interrupt map[string]any) {
	t.Helper()
	step := session.Step{Number: 1, Waits: true, Calls: []session.Call{c}}
	turn := session.Turn{Thread: "t", Number: 1, State: session.Processing, Steps: []session.Step{step}}
	p := NewProjector(View{Thread: "t", Version1: true, Reasoning: Hidden})
	events := p.Begin("run", "", session.Event{Ref: session.Ref{Thread: "t", Turn: 1}})
	events = append(events, p.Project(turn, session.Event{
		Ref: session.Ref{Thread: "t", Turn: 1}, Body: session.ToolCalled{Step: 1, Call: c.ID, Tool: c.Tool},
	})...)
	events = append(events, p.Pause(turn)...)
	raw, err := json.Marshal(events)
	require.NoError(t, err)
	var all []map[string]any
	require.NoError(t, json.Unmarshal(raw, &all))
	for _, e := range all {
		if e["type"] == "TOOL_CALL_START" {
			started = e
		}
	}
	outcome, _ := all[len(all)-1]["outcome"].(map[string]any)
	require.NotEmpty(t, outcome["interrupts"], "%s", raw)
	return started, outcome["interrupts"].([]any)[0].(map[string]any)
}

func TestAnInterruptSaysHowSureTheAgentIs(t *testing.T) {
	sure := map[string]any{"stated": 0.4, "threshold": 0.7}
	started, interrupt := pausedAt(t, unsureCall(true))
	assert.Equal(t, sure, started["metadata"].(map[string]any)["candor:confidence"])
	assert.Equal(t, sure, interrupt["metadata"].(map[string]any)["candor:confidence"])
	assert.Equal(t, "The agent is 40 % sure of this; below 70 % a person decides.\nIs it decided so?\n"+
		`Parameters: {"decision":"ship"}`, interrupt["message"])
	schema := interrupt["responseSchema"].(map[string]any)["properties"].(map[string]any)
	assert.Contains(t, schema, "value", "it may be another decision")

	_, interrupt = pausedAt(t, unsureCall(false))
	assert.Contains(t, interrupt["message"], "a person decides.\nMay decide run?")
	schema = interrupt["responseSchema"].(map[string]any)["properties"].(map[string]any)
	assert.NotContains(t, schema, "value")

	plain := unsureCall(false)
	plain.Confidence, plain.Approval.LowConfidence = nil, false
	started, interrupt = pausedAt(t, plain)
	assert.NotContains(t, started["metadata"], "candor:confidence")
	assert.NotContains(t, interrupt["metadata"], "candor:confidence")
	assert.True(t, strings.HasPrefix(interrupt["message"].(string), "May decide run?"))
}

func TestAResumeTakesAnotherDecisionOfADecisionOnly(t *testing.T) {
	long := `"` + strings.Repeat("a", maxDecision-2) + `"`
	for name, c := range map[string]struct {
		decides bool
		payload string
		answer  session.Answer
		value   string
		bad     bool
	}{
		"another decision": {true, `{"answer":"approve","value":{"hold":1}}`, session.Approve, `{"hold":1}`, false},
		"approved so":      {true, `{"approved":true,"value":false}`, session.Approve, `false`, false},
		"the same":         {true, `{"answer":"approve"}`, session.Approve, "", false},
		"null is none":     {false, `{"answer":"always","value":null}`, session.Always, "", false},
		"the longest":      {true, `{"answer":"approve","value":` + long + `}`, session.Approve, long, false},
		"too long":         {true, `{"answer":"approve","value":[` + long + `]}`, "", "", true},
		"beside deny":      {true, `{"answer":"deny","value":"x"}`, "", "", true},
		"beside always":    {true, `{"answer":"always","value":"x"}`, "", "", true},
		"an ordinary call": {false, `{"answer":"approve","value":"x"}`, "", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			answer, value, err := Resume{Status: "resolved", Payload: json.RawMessage(c.payload)}.
				decision(session.Call{Decides: c.decides})
			assert.Equal(t, c.bad, err != nil, err)
			assert.Equal(t, c.answer, answer)
			assert.Equal(t, c.value, string(value))
		})
	}
}

// told notes what a loop is told.
type told struct {
	Answers
	answers []string
}

func (l *told) Answer(
	_ context.Context, user, request string, answer session.Answer, value json.RawMessage,
) (session.Ref, error) {
	l.answers = append(l.answers, strings.Join([]string{user, request, string(answer), string(value)}, " "))
	return session.Ref{}, nil
}

func TestAnotherDecisionReachesTheLoop(t *testing.T) {
	loop := &told{}
	s := &Server{options: Options{Answers: loop}}
	err := s.deliver(t.Context(), "ann", reply{
		call: unsureCall(true), approval: session.Approve, value: json.RawMessage(`"hold"`),
	})
	require.NoError(t, err)
	assert.Equal(t, []string{`ann r approve "hold"`}, loop.answers)
}

// The result of a call says with what it ran, if a person changed that.
func TestAResultSaysWhatAPersonChanged(t *testing.T) {
	c := unsureCall(false)
	c.Approval.Answer, c.Approval.EditedBy = session.Approve, safety.Literal("ann")
	answered := session.ToolReturned{Call: c.ID, Outcome: session.Success}
	raw, err := json.Marshal(resultMetaOf(c, answered))
	require.NoError(t, err)
	assert.JSONEq(t, `{"outcome":"success","duration_ms":0}`, string(raw))
	c.Approval.Edited = c.Params
	raw, err = json.Marshal(resultMetaOf(c, answered))
	require.NoError(t, err)
	assert.JSONEq(t, `{"outcome":"success","duration_ms":0,"edited_arguments":{"decision":"ship"},"edited_by":"ann"}`,
		string(raw))
}
