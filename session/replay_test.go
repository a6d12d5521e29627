package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// replay is the workflow that the tests repeat turns as.
var replay = session.Workflow{ID: "chat", Inputs: value(`{"n":1}`)}

// eventsOf returns the events of a turn.
func eventsOf(t *testing.T, s *session.Session, ref session.Ref) (events []session.Event) {
	t.Helper()
	for e, err := range s.Watch(t.Context(), 0) {
		require.NoError(t, err)
		if e.Event.Thread == ref.Thread && e.Event.Turn == ref.Turn {
			events = append(events, e.Event)
		}
		if e.Event.Seq == s.Head() {
			break
		}
	}
	return events
}

// fullTurn runs a turn with an event of each kind, and one of another turn between them.
func fullTurn(t *testing.T, s *session.Session, threadID string) session.Ref {
	t.Helper()
	running := accept(t, s, threadID)
	ref := acceptRun(t, s, threadID, session.Workflow{ID: "chat", Spoken: true}).Ref
	add(t, s, running, session.TurnCompleted{Response: safety.Literal("first")})
	helper := ref
	helper.Agent = "helper"
	other := accept(t, s, thread(t, s))
	add(t, s, ref, session.TurnStarted{}, session.NodeStarted{Node: "a", Type: "agent"},
		session.Spoken{Step: 1, Text: safety.Literal("So.")}, session.Narrated{Step: 1, Text: safety.Literal("So.")},
		toolCall("call_1", 1),
		session.ApprovalAsked{Request: s.RequestID(ref, "call_1"), Call: "call_1", Grant: "clock"},
		session.StepWaits{Step: 1})
	add(t, s, other, session.TurnCompleted{Response: safety.Literal("of another thread")})
	add(t, s, ref, session.ApprovalAnswered{Call: "call_1", Answer: session.Approve, Value: value(`"yes"`)},
		session.Handoff{Call: "call_1", To: "helper", Text: safety.Literal("do it")})
	add(t, s, helper, toolCall("call_2", 1), session.ToolReturned{Call: "call_2", Outcome: session.Success},
		session.StepEnded{Step: 1})
	add(t, s, ref, session.ToolReturned{Call: "call_1", Outcome: session.Errored, Error: safety.Literal("no")},
		session.StepEnded{Step: 1, Usage: session.Usage{Input: 3}}, session.NodeEnded{Node: "a", Outputs: value(`1`)},
		session.TurnCompleted{Response: safety.Literal("done")})
	return ref
}

func TestAReplayHasEveryFactOfItsTurn(t *testing.T) {
	s, threadID := newThread(t)
	ref := fullTurn(t, s, threadID)
	original, into := turnOf(t, s, ref), thread(t, s)
	first, err := s.Repeat(ref, into, replay)
	require.NoError(t, err)
	assert.Equal(t, session.Ref{Thread: into, Turn: 1}, first.Ref)
	started, ok := first.Body.(session.TurnStarted)
	require.True(t, ok, "a replay does not wait")
	want := replay
	want.ReplayOf = session.Ref{Thread: threadID, Turn: 2}
	assert.Equal(t, want, started.Workflow)
	assert.NotEqual(t, original.Message, started.Message, "it is a message of its own")

	facts, repeated := eventsOf(t, s, ref)[1:], eventsOf(t, s, first.Ref) // but for the wait
	require.Len(t, repeated, len(facts))
	for i, e := range repeated {
		assert.Equal(t, facts[i].Agent, e.Agent)
		if i > 0 {
			assert.Equal(t, facts[i].Body, e.Body)
			assert.Equal(t, repeated[i-1].Seq+1, e.Seq)
			assert.True(t, e.At.After(repeated[i-1].At))
		}
	}
	turn := turnOf(t, s, first.Ref)
	assert.Equal(t, session.Completed, turn.State)
	assert.Equal(t, original.Usage, turn.Usage)
	assert.Equal(t, original.Response, turn.Response)
	assert.Len(t, turn.Steps, len(original.Steps))
	assert.Equal(t, session.Processing, turnOf(t, s, accept(t, s, into)).State, "the thread goes on after it")
	assert.Equal(t, original, turnOf(t, s, ref), "the turn itself stays as it was")
}

func TestAReplayIsChargedWhatDroppingItGivesBack(t *testing.T) {
	const limit = 1 << 20
	freed := 0
	_, s := limited(t, session.Limits{Session: limit, OnDrop: func(_ *session.Session, _ session.Dropped, n int) {
		freed += n
	}})
	ref := fullTurn(t, s, thread(t, s))
	before := s.Held()
	e, err := s.Repeat(ref, thread(t, s), replay)
	require.NoError(t, err)
	assert.Equal(t, s.Recount(), s.Held())
	_, err = s.Repeat(e.Ref, thread(t, s), replay)
	require.NoError(t, err, "a replay can be repeated")
	assert.Equal(t, s.Recount(), s.Held())
	assert.Greater(t, s.Held(), before+20<<10)
	release, err := s.Hold(limit - before)
	require.NoError(t, err)
	assert.Positive(t, freed)
	release()
	assert.Equal(t, s.Recount(), s.Held())
}

func TestATurnThatNeverStartedIsRepeatedAsSuch(t *testing.T) {
	s, threadID := newThread(t)
	running := accept(t, s, threadID)
	ref := accept(t, s, threadID)
	add(t, s, running, session.TurnCompleted{})
	add(t, s, ref, session.TurnInterrupted{})
	first, err := s.Repeat(ref, thread(t, s), replay)
	require.NoError(t, err)
	turn := turnOf(t, s, first.Ref)
	assert.Equal(t, []any{session.Interrupted, 1, "hi"}, []any{turn.State, turn.Number, turn.Input.String()})
	assert.Equal(t, ref, turn.Workflow.ReplayOf)
	assert.NotEqual(t, turnOf(t, s, ref).Message, turn.Message)
	assert.True(t, turn.StartedAt.IsZero())
}

func TestWhatIsNotOverOrOursIsNotRepeated(t *testing.T) {
	_, s := limited(t, session.Limits{Session: 1 << 20})
	long, idle, busy := thread(t, s), thread(t, s), thread(t, s)
	for dropped := 0; dropped == 0; {
		runTurn(t, s, long, 90_000)
		th, err := s.Thread(long)
		require.NoError(t, err)
		dropped = th.Dropped
	}
	observed, err := s.OpenObserved("theirs", session.Origin{Protocol: "mew"})
	require.NoError(t, err)
	theirs, err := s.Observe(observed, session.TurnStarted{Input: safety.Literal("hi")})
	require.NoError(t, err)
	add(t, s, theirs.Ref, session.TurnCompleted{})
	ended := runTurn(t, s, idle, 10)
	open := accept(t, s, busy)
	head, held := s.Head(), s.Held()
	for _, tt := range []struct {
		name string
		of   session.Ref
		into string
		want error
	}{
		{"a turn that runs", open, idle, session.ErrTurnOpen},
		{"a turn that was dropped", session.Ref{Thread: long, Turn: 1}, idle, session.ErrDropped},
		{"a turn that never was", session.Ref{Thread: idle, Turn: 9}, idle, session.ErrNoTurn},
		{"a thread that never was", session.Ref{Thread: "x", Turn: 1}, idle, session.ErrNoThread},
		{"a turn of somebody else's agent", theirs.Ref, idle, session.ErrObserved},
		{"into a thread of somebody else's agent", ended, observed, session.ErrObserved},
		{"into a thread that never was", ended, "x", session.ErrNoThread},
		{"into a thread with a running turn", ended, busy, session.ErrBusy},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.Repeat(tt.of, tt.into, replay)
			assert.ErrorIs(t, err, tt.want)
			assert.Equal(t, []any{head, held}, []any{s.Head(), s.Held()}, "nothing is recorded and nothing charged")
		})
	}
	_, err = s.Repeat(theirs.Ref, idle, replay)
	assert.ErrorContains(t, err, observed, "the error names the thread that is observed")
}

func TestAFullSessionTakesNoPartOfAReplay(t *testing.T) {
	_, s := limited(t, session.Limits{Session: 1 << 20})
	ref := runTurn(t, s, thread(t, s), 90_000)
	into := thread(t, s)
	release, err := s.Hold(1<<20 - s.Held())
	require.NoError(t, err)
	w := replay
	w.Inputs = value(`"` + words(200_000).String() + `"`)
	head, held := s.Head(), s.Held()
	_, err = s.Repeat(ref, into, w)
	require.ErrorIs(t, err, session.ErrFull)
	th, err := s.Thread(into)
	require.NoError(t, err)
	assert.Zero(t, th.Turns)
	assert.Equal(t, session.Completed, th.State)
	assert.LessOrEqual(t, s.Head(), head+1, "but for what was dropped, nothing is recorded")
	assert.LessOrEqual(t, s.Held(), held)
	release()
}

func TestAReplayHasItsFactsAlsoIfItsTurnIsDroppedForIt(t *testing.T) {
	const limit = 1 << 20
	_, s := limited(t, session.Limits{Session: limit})
	ref := runTurn(t, s, thread(t, s), 90_000)
	into := thread(t, s)
	release, err := s.Hold(limit - s.Held() - 10_000)
	require.NoError(t, err)
	e, err := s.Repeat(ref, into, replay)
	require.NoError(t, err)
	_, err = s.Turn(ref.Thread, ref.Turn)
	require.ErrorIs(t, err, session.ErrDropped)
	assert.Equal(t, words(90_000), turnOf(t, s, e.Ref).Response)
	release()
	assert.Equal(t, s.Recount(), s.Held())
}

func TestALogThatHasEndedTakesNoReplay(t *testing.T) {
	st, s := limited(t, session.Limits{})
	ref, into := runTurn(t, s, thread(t, s), 10), thread(t, s)
	require.NoError(t, st.Close())
	head := s.Head()
	_, err := s.Repeat(ref, into, replay)
	require.ErrorIs(t, err, session.ErrClosed)
	assert.Equal(t, head, s.Head())
	th, err := s.Thread(into)
	require.NoError(t, err)
	assert.Zero(t, th.Turns)
}
