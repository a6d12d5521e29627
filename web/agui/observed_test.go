package agui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// observedLog is the log of an observed thread: two turns side by side, of which the first gets
// a result and its answer after its end, and the second began by itself and ends with nothing.
func observedLog(t *testing.T) (log []session.Update) {
	t.Helper()
	own, err := session.NewMemory(nil).Open(t.Context(), "ann")
	require.NoError(t, err)
	thread, err := own.OpenObserved("lab/scout", session.Origin{Protocol: "mew", Space: words("lab"),
		Participant: words("scout")})
	require.NoError(t, err)
	begin := func(b session.TurnStarted) session.Ref {
		e, err := own.Observe(thread, b)
		require.NoError(t, err)
		return e.Ref
	}
	add := func(turn session.Ref, bodies ...session.Body) {
		for _, b := range bodies {
			_, err := own.Append(turn, b)
			require.NoError(t, err)
		}
	}
	call := session.ToolCalled{Step: 1, Call: "call_1", Tool: words("run"), To: words("tester"),
		Rationale: session.Rationale{Text: words("to see"), Source: session.FromThought}}
	note := session.Noted{From: words("ann"), Kind: session.NoteChat, Text: words("hurry")}
	one := begin(session.TurnStarted{Input: words("Is it safe?"), Asked: session.Asked{By: words("planner")}})
	add(one, session.Narrated{Step: 1, Text: words("Look.")}, call)
	two := begin(session.TurnStarted{})
	add(two, session.Narrated{Step: 1, Text: words("Meanwhile.")})
	add(one, call) // it was proposed, and is made now
	add(one, session.TurnStarted{Input: words("Is it?"), Asked: session.Asked{By: words("planner")}})
	add(one, note, session.ToolReturned{Call: "call_1", Outcome: session.Unknown},
		session.TurnCompleted{Conclusion: words("no")})
	add(two, note, session.TurnCompleted{})
	add(one, note, session.ToolReturned{Call: "call_1", Outcome: session.Errored, Error: words("exit 1")},
		session.Narrated{Step: 2, Text: words("After all.")}, session.Answered{Response: words("Do not.")})
	for up, err := range own.Watch(t.Context(), 0) {
		require.NoError(t, err)
		if log = append(log, up); up.Event.Seq == own.Head() {
			break
		}
	}
	return log
}

func TestTheRunsOfAnObservedThreadAreWellFormedAndEnd(t *testing.T) {
	log := observedLog(t)
	for _, view := range views() {
		view.Observed = true
		p, v := NewProjector(view), &verifier{}
		var all []Event
		for _, up := range log {
			events := p.Project(up.Turn, up.Event)
			all = append(all, events...)
			check(t, v, events, all)
		}
		require.NoError(t, v.done())
		require.False(t, p.Open(), "what comes after a turn's end leaves no run open")
		checkWire(t, view, all)
		ids := map[string]bool{}
		for _, e := range all {
			if r, ok := e.(*Run); ok && r.Type == RunStarted {
				require.False(t, ids[r.RunID], "the run %s begins once", r.RunID)
				ids[r.RunID] = true
			}
			if c, ok := e.(*Call); ok && c.Type == ToolStart {
				require.False(t, ids[c.ToolCallID], "the call %s begins once", c.ToolCallID)
				ids[c.ToolCallID] = true
			}
			if c, ok := e.(*Content); ok {
				require.NotEmpty(t, c.Delta)
			}
		}
	}
}

func TestTheRunsOfAnObservedThreadShowEachTurn(t *testing.T) {
	p := NewProjector(View{Thread: "t", Version1: true, Reasoning: Full, UserMessages: true, Observed: true})
	var all []Event
	for _, up := range observedLog(t) {
		all = append(all, p.Project(up.Turn, up.Event)...)
	}
	var said []string
	for _, m := range reduce(all) {
		if m.Content != nil && len(m.ToolCalls) == 0 {
			said = append(said, m.ID+" "+m.Role+": "+*m.Content)
		}
	}
	for _, want := range []string{
		": Is it safe?", "turn_1_step_1_narrative reasoning: Look.", "turn_1_call_1_rationale reasoning: to see",
		"turn_1_call_1_result tool: No result was seen.", "turn_1_call_1_result_late tool: exit 1",
		"turn_2_step_1_narrative reasoning: Meanwhile.", "turn_1_conclusion reasoning: no",
		"turn_1_step_2_narrative reasoning: After all.", "turn_1_response assistant: Do not.",
	} {
		assert.Contains(t, strings.Join(said, "\n"), want)
	}
	assert.NotContains(t, strings.Join(said, "\n"), "hurry", "a note is nobody's answer")
}

func TestWhatTheUserThinksOfADecisionIsInNoRun(t *testing.T) {
	p := NewProjector(View{Observed: true})
	for _, up := range observedLog(t) {
		p.Project(up.Turn, up.Event)
	}
	require.False(t, p.Open())
	e := session.Event{Ref: session.Ref{Thread: "t", Turn: 1}, Body: session.DecisionRated{Call: "call_1"}}
	assert.Empty(t, p.Project(session.Turn{Number: 1, State: session.Completed}, e))
	assert.False(t, p.Open())
}
