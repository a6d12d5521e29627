package view

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/session/export"
)

// waitingTurn has a call with a result, and one that waits for its user.
func waitingTurn() session.Turn {
	return foldTurn(session.TurnStarted{Message: "m", Input: said("look")},
		session.Narrated{Step: 1, Text: said("I look."), Source: session.FromModel}, called("call_1", nil),
		session.ToolReturned{Call: "call_1", Outcome: session.Success, Result: value(`{"lines":[1,2]}`),
			Took: time.Second},
		session.Handoff{Call: "call_1", To: "helper", Text: said("Help.")},
		session.StepEnded{Step: 1},
		session.Narrated{Step: 2, Text: said("I look again."), Source: session.FromModel}, called("call_2", nil),
		session.ApprovalAsked{Request: "r", Call: "call_2", Description: said("It writes."),
			Shown: value(`{"path":"notes.md"}`)})
}

func TestADetailHasTheWholeResultInsteadOfAPreview(t *testing.T) {
	turn := waitingTurn()
	assert.Equal(t, `{"lines":[1,2]}`, Turn(turn).ToolCalls[0].ResultPreview)
	d := Detail(turn)
	require.Len(t, d.ToolCalls, 2)
	assert.Empty(t, d.ToolCalls[0].ResultPreview)
	assert.Equal(t, `{"lines":[1,2]}`, string(d.ToolCalls[0].Result.Raw()))
	assert.Nil(t, d.ToolCalls[1].Result, "a call without a result has none")
	require.Len(t, d.PendingApprovals, 1)
	assert.Equal(t, "call_2", d.PendingApprovals[0].CallID)
	got := encodeObject(t, d)
	assert.Len(t, got["tool_calls"], 2, "the detailed calls replace the others in the JSON")
	assert.Equal(t, someSession, got["session_id"])
}

func TestACallHasADurationOnceItHasEnded(t *testing.T) {
	calls := Turn(waitingTurn()).ToolCalls
	assert.Equal(t, new(int64(1000)), calls[0].DurationMS)
	assert.Nil(t, calls[1].DurationMS)
}

func TestNarrativesAreListedByStepIfThereAreSeveral(t *testing.T) {
	r := Turn(waitingTurn()).Reasoning
	require.Len(t, r.Narratives, 2)
	assert.Equal(t, 2, r.Narratives[1].Step)
	require.Len(t, r.Handoffs, 1)
	assert.Equal(t, "helper", r.Handoffs[0].To)
	answered := foldTurn(session.TurnStarted{}, called("call_1", nil),
		session.ApprovalAsked{Request: "r", Call: "call_1"},
		session.ApprovalAnswered{Request: "r", Call: "call_1", Answer: session.Approve})
	assert.Equal(t, session.Approve, Turn(answered).Reasoning.ToolDecisions[0].Approval)
	assert.Nil(t, Turn(answered).Reasoning.Narratives)
	assert.Empty(t, PendingApprovals([]session.Turn{answered}), "an answered approval is not pending")
}

func TestJSONLinesLeaveOutWhatTheDocumentOmits(t *testing.T) {
	summary := session.Narrated{Step: 2, Answer: true, Text: safety.Literal("I weigh."), Source: session.FromSummary,
		Stop: session.StopLength, Sealed: session.Sealed{Kind: session.SealEncrypted, Bytes: 99}}
	turn := waitingTurn().Apply(session.Event{Body: summary})
	doc := export.Document{Turns: []session.Turn{turn, turn}}
	for _, tt := range []struct {
		name     string
		omit     export.Omit
		has, not []string
	}{
		{"nothing", export.Omit{}, []string{`"lines":[1,2]`, `"limit":5`, "notes.md", "I look.", "I weigh.",
			`"bytes":99`, `"step_stops"`}, nil},
		{"results", export.Omit{Results: true}, []string{`"limit":5`, `"object":"recent`},
			[]string{`"lines":[1,2]`, `"outcome_line"`}},
		{"parameters", export.Omit{Parameters: true},
			[]string{`"lines":[1,2]`, "I look.", `"parameters":null`, "It writes.", `"outcome_line":"2 lines"`},
			[]string{`"limit":5`, "notes.md", `"object"`}},
		{"reasoning", export.Omit{Reasoning: true}, []string{`"lines":[1,2]`, `"reasoning":null`},
			[]string{"I look.", "I weigh.", "notes.md", `"rationale"`, `"object"`, "sealed", "step_stops"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc.Omit = tt.omit
			var raw strings.Builder
			require.NoError(t, JSONLines(&raw, doc))
			lines := strings.Split(strings.TrimSuffix(raw.String(), "\n"), "\n")
			require.Len(t, lines, 2)
			assert.Equal(t, lines[0], lines[1])
			assert.True(t, json.Valid([]byte(lines[0])))
			for _, s := range tt.has {
				assert.Contains(t, lines[0], s)
			}
			for _, s := range tt.not {
				assert.NotContains(t, lines[0], s)
			}
		})
	}
}

func TestOmittedParametersAreNull(t *testing.T) {
	d := Detail(waitingTurn())
	d.omit(export.Omit{Parameters: true})
	for _, decision := range d.Reasoning.ToolDecisions {
		assert.True(t, decision.Parameters.Null())
	}
}

func TestAThreadIsIdleUnlessATurnRuns(t *testing.T) {
	th := session.Thread{ID: "t", State: session.Processing, Turns: 2, Title: said(strings.Repeat("ž", maxTitle+1))}
	assert.Equal(t, "processing", Thread(th).State)
	assert.Equal(t, strings.Repeat("ž", maxTitle)+"…", Thread(th).Title)
	for _, state := range []session.State{session.Completed, session.Failed, session.Interrupted, ""} {
		th.State = state
		assert.Equal(t, "idle", Thread(th).State, state)
	}
}

func TestAJobIsDescribedWithoutItsToken(t *testing.T) {
	j := session.Job{ID: "j", Session: "s", Title: said("Look"), Prompt: said("Look around."),
		State: session.JobRunning, Run: 2}
	got := encodeObject(t, Job(j))
	assert.NotContains(t, got, "token")
	assert.Equal(t, "running", got["state"])
	assert.Equal(t, 2.0, got["run"])
	for _, name := range []string{"message", "ended_at"} {
		v, present := got[name]
		assert.True(t, present, name)
		assert.Nil(t, v, name)
	}
	j.EndedAt = time.Date(2026, 2, 21, 12, 0, 0, 0, time.UTC)
	assert.Equal(t, noon, encodeObject(t, Job(j))["ended_at"])
}

// A client that reads duration_ms finds measured times alone there; what the reports of a call say
// about its time has a member of its own.
func TestACallThatNobodyTimedHasTheTimeBetweenItsReports(t *testing.T) {
	c := session.Call{ID: "call_1", Outcome: session.Success, Untimed: true, Apart: 680 * time.Millisecond}
	turn := session.Turn{Steps: []session.Step{{Number: 1, Calls: []session.Call{c}}}}
	call := Turn(turn).ToolCalls[0]
	assert.Nil(t, call.DurationMS, "that would be a measured one")
	assert.EqualValues(t, 680, call.ApartMS)
}
