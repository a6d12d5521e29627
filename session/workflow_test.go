package session_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// value returns a JSON value.
func value(text string) safety.JSON {
	v, _ := cleaner.CleanJSON([]byte(text))
	return v
}

// acceptRun begins or queues the run of a workflow.
func acceptRun(t *testing.T, s *session.Session, threadID string, w session.Workflow) session.Event {
	t.Helper()
	e, err := s.AcceptRun(threadID, safety.Literal("hi"), nil, w)
	require.NoError(t, err)
	return e
}

func TestARunKeepsWhatItsClientSet(t *testing.T) {
	s, threadID := newThread(t)
	workflow := func(n int) session.Workflow {
		return session.Workflow{
			ID: "chat", Inputs: value(fmt.Sprintf(`{"n":%d}`, n)), Options: value(`{"tags":["a"]}`), Spoken: true,
		}
	}
	at := acceptRun(t, s, threadID, workflow(1))
	started, ok := at.Body.(session.TurnStarted)
	require.True(t, ok, "an idle thread starts the run at once")
	assert.Equal(t, workflow(1), started.Workflow)
	assert.Equal(t, workflow(1), turnOf(t, s, at.Ref).Workflow)

	next := acceptRun(t, s, threadID, workflow(2))
	queued, ok := next.Body.(session.TurnQueued)
	require.True(t, ok, "a busy thread makes the run wait")
	assert.Equal(t, workflow(2), queued.Workflow)
	assert.Equal(t, workflow(2), turnOf(t, s, next.Ref).Workflow)
	add(t, s, at.Ref, session.TurnCompleted{})
	begun, err := s.Append(next.Ref, session.TurnStarted{})
	require.NoError(t, err)
	assert.Equal(t, workflow(2), begun.Body.(session.TurnStarted).Workflow, "its start repeats it")
	assert.Equal(t, workflow(2), turnOf(t, s, next.Ref).Workflow)

	assert.True(t, workflow(1).Set())
	other := accept(t, s, thread(t, s))
	assert.False(t, turnOf(t, s, other).Workflow.Set(), "a message is no run")
}

func TestARunIsChargedForItsInputs(t *testing.T) {
	_, s := limited(t, session.Limits{})
	threadID := thread(t, s)
	before := s.Held()
	w := session.Workflow{ID: "chat", Inputs: value(`"` + words(40_000).String() + `"`)}
	w.Options = w.Inputs
	running, waiting := acceptRun(t, s, threadID, w), acceptRun(t, s, threadID, w)
	assert.Greater(t, s.Held(), before+6*40_000, "inputs and options of one that runs, and twice of one that waits")
	assert.Equal(t, s.Recount(), s.Held())
	add(t, s, running.Ref, session.NodeStarted{Node: "a", Type: "noop"},
		session.NodeEnded{Node: "a", Outputs: w.Inputs}, session.Spoken{Step: 1, Text: words(1000)},
		session.TurnCompleted{})
	assert.Equal(t, s.Recount(), s.Held())
	add(t, s, waiting.Ref, session.TurnStarted{}, session.TurnInterrupted{})
	assert.Equal(t, s.Recount(), s.Held())
}

func TestTheNodesOfARunAreFolded(t *testing.T) {
	s, ref := newTurn(t)
	masked := []safety.Finding{{Rule: "jwt", Count: 1}}
	add(t, s, ref, session.NodeStarted{Node: "a", Type: "noop"}, session.NodeStarted{Node: "b", Type: "agent"})
	begun := turnOf(t, s, ref)
	require.Len(t, begun.Nodes, 2)
	assert.False(t, begun.Nodes[0].StartedAt.IsZero())
	assert.True(t, begun.Nodes[1].EndedAt.IsZero())
	add(t, s, ref,
		session.NodeEnded{Node: "b", Error: safety.Literal("no model"), Findings: masked},
		session.NodeEnded{Node: "a", Outputs: value(`{"n":1}`)},
		session.NodeEnded{Node: "a", Outputs: value(`{"n":2}`), Findings: masked},
		session.NodeEnded{Node: "unknown", Findings: masked})
	turn := turnOf(t, s, ref)
	require.Len(t, turn.Nodes, 2)
	a, b := turn.Nodes[0], turn.Nodes[1]
	assert.Equal(t, []string{"a", "noop", ""}, []string{a.Node, a.Type, a.Error.String()})
	assert.JSONEq(t, `{"n":1}`, string(a.Outputs.Raw()), "the first end of a node wins")
	assert.Equal(t, []string{"b", "agent", "no model"}, []string{b.Node, b.Type, b.Error.String()})
	assert.True(t, b.EndedAt.Before(a.EndedAt))
	assert.Equal(t, masked, turn.Findings, "only those of the ends that count")
	assert.True(t, begun.Nodes[0].EndedAt.IsZero(), "the earlier snapshot stays as it was")
}

func TestTwoFoldsOfOneSnapshotShareNoNodes(t *testing.T) {
	s, ref := newTurn(t)
	for n := range 8 { // slices of some lengths have room for one more, others have none
		add(t, s, ref, session.NodeStarted{Node: fmt.Sprint("node_", n)})
		base := turnOf(t, s, ref)
		left := base.Apply(session.Event{Ref: ref, Body: session.NodeStarted{Node: "left"}})
		right := base.Apply(session.Event{Ref: ref, Body: session.NodeStarted{Node: "right"}})
		assert.Equal(t, "left", left.Nodes[n+1].Node)
		assert.Equal(t, "right", right.Nodes[n+1].Node)
	}
}

func TestTheFirstAnswerKeepsItsValue(t *testing.T) {
	s, ref := newTurn(t)
	masked := []safety.Finding{{Rule: "jwt", Count: 1}}
	add(t, s, ref, toolCall("call_1", 1), session.ApprovalAsked{Call: "call_1", LowConfidence: true},
		session.ApprovalAnswered{Call: "call_1", Answer: session.Approve, Value: value(`"wait"`), Findings: masked},
		session.ApprovalAnswered{Call: "call_1", Answer: session.Deny, Value: value(`"go"`), Findings: masked})
	turn := turnOf(t, s, ref)
	c, _ := turn.Call("call_1")
	assert.True(t, c.Approval.LowConfidence)
	assert.Equal(t, session.Approve, c.Approval.Answer)
	assert.Equal(t, `"wait"`, string(c.Approval.Value.Raw()))
	assert.Equal(t, masked, turn.Findings, "what was masked in an answer that counts for nothing is not counted")
}

func TestACallKeepsWhatItsAgentSaidOfIt(t *testing.T) {
	s, ref := newTurn(t)
	sure := session.Confidence{Stated: 0.4, Threshold: 0.7, Suppressed: true}
	call := toolCall("call_1", 1)
	call.Confidence, call.Decides, call.Transport = &sure, true, session.MCP
	add(t, s, ref, call)
	c, _ := turnOf(t, s, ref).Call("call_1")
	assert.Equal(t, []any{&sure, true, session.MCP}, []any{c.Confidence, c.Decides, c.Transport})
}

func TestOnlyLessThanTheThresholdIsLow(t *testing.T) {
	for _, tt := range []struct {
		name              string
		stated, threshold float64
		want              bool
	}{
		{"below", 0.69, 0.7, true},
		{"equal", 0.7, 0.7, false},
		{"the next number below", math.Nextafter(0.7, 0), 0.7, true},
		{"above", 0.71, 0.7, false},
		{"nothing is below 0", 0, 0, false},
		{"all but certainty is below 1", 0.999, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, session.Confidence{Stated: tt.stated, Threshold: tt.threshold}.Low())
		})
	}
}

func TestSpokenPartsDoNotReplaceTheRunningText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ref := newTurn(t)
		for i, part := range []safety.Text{safety.Literal("One."), safety.Literal(" Two.")} {
			add(t, s, ref, session.Spoken{Step: 1, Index: i, Text: part})
			s.PublishText(session.StepText{Ref: ref, Step: 1, Index: i, Text: part})
		}
		add(t, s, ref, session.Spoken{Step: 1, Index: 2, Text: safety.Literal(" Three.")})
		ctx, stop := context.WithTimeout(t.Context(), time.Second) // of the bubble's
		defer stop()
		var said string
		for up, err := range s.WatchLive(ctx, s.Head()) {
			require.NoError(t, err)
			said += up.Text.Text.String()
		}
		assert.Equal(t, "One. Two.", said, "whoever comes late gets the text from its beginning")
		assert.Empty(t, turnOf(t, s, ref).Steps, "a part is no step")
	})
}

// Two processes that get a request at the same time begin one run.
func TestARequestBeginsOneRunInWhicheverProcess(t *testing.T) {
	f := newFakeEngine()
	_, one := openDurable(t, f, session.Limits{})
	_, two := openDurable(t, f, session.Limits{})
	w := session.Workflow{ID: "conformance-noop", Request: "r"}
	for _, s := range []*session.Session{one, two} {
		_, err := s.OpenNamed("k")
		require.NoError(t, err)
	}
	id := one.NamedID("k")
	_, err := one.AcceptRun(id, safety.Literal("run"), nil, w)
	require.NoError(t, err)
	_, err = two.AcceptRun(id, safety.Literal("run"), nil, w)
	assert.ErrorIs(t, err, session.ErrRepeated)
	known, err := two.Turn(id, 1)
	require.NoError(t, err)
	assert.Equal(t, "r", known.Workflow.Request)
}
