package session_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

var lab = session.Origin{Protocol: "mew", Space: safety.Literal("lab"), Participant: safety.Literal("scout")}

// newObserved returns a session with an observed thread.
func newObserved(t *testing.T) (*session.Session, string) {
	t.Helper()
	s, _ := newThread(t)
	id, err := s.OpenObserved("lab/scout", lab)
	require.NoError(t, err)
	return s, id
}

// observe begins a turn of an observed thread.
func observe(t *testing.T, s *session.Session, thread, input string) session.Ref {
	t.Helper()
	e, err := s.Observe(thread, session.TurnStarted{Input: text(input)})
	require.NoError(t, err)
	return e.Ref
}

func text(s string) safety.Text {
	out, _ := cleaner.Mask(s)
	return out
}

func TestAnObservedThreadIsOpenedOnceAndIsNeverTheActiveOne(t *testing.T) {
	s, own := newThread(t)
	id, err := s.OpenObserved("lab/scout", lab)
	require.NoError(t, err)
	again, err := s.OpenObserved("lab/scout", lab)
	require.NoError(t, err)
	assert.Equal(t, id, again)
	assert.NotEqual(t, s.NamedID("lab/scout"), id, "a front end's names are names of their own")
	observe(t, s, id, "go")
	assert.Equal(t, own, s.Active())
	th, err := s.Thread(id)
	require.NoError(t, err)
	assert.Equal(t, lab, th.Origin)
	assert.Equal(t, session.Processing, th.State)
}

func TestOnlyItsObserverBeginsTurnsOfAnObservedThread(t *testing.T) {
	s, id := newObserved(t)
	_, err := s.Accept(id, text("hi"), nil)
	require.ErrorIs(t, err, session.ErrObserved)
	_, err = s.Observe(s.Threads()[1].ID, session.TurnStarted{})
	assert.ErrorIs(t, err, session.ErrObserved)
	_, err = s.Observe("nowhere", session.TurnStarted{})
	assert.ErrorIs(t, err, session.ErrNoThread)
}

func TestObservedTurnsAreOpenSideBySideAndEndInAnyOrder(t *testing.T) {
	s, id := newObserved(t)
	one, two := observe(t, s, id, "first"), observe(t, s, id, "second")
	assert.Equal(t, 2, two.Turn)
	add(t, s, two, session.TurnCompleted{Conclusion: text("done")})
	assert.Equal(t, session.Processing, turnOf(t, s, one).State)
	assert.Equal(t, session.Completed, turnOf(t, s, two).State)
	th, err := s.Thread(id)
	require.NoError(t, err)
	assert.Equal(t, session.Processing, th.State)
	add(t, s, one, session.TurnInterrupted{})
	th, err = s.Thread(id)
	require.NoError(t, err)
	assert.Equal(t, session.Completed, th.State)
}

func TestWhatFollowsTheEndOfAnObservedTurnIsKeptAsLate(t *testing.T) {
	s, id := newObserved(t)
	ref := observe(t, s, id, "go")
	add(t, s, ref,
		session.Narrated{Step: 1, Text: text("look"), Source: session.FromModel}, toolCall("call_1", 1),
		session.Noted{From: text("ann"), Kind: session.NoteChat, Text: text("any news?")},
		session.ToolReturned{Call: "call_1", Outcome: session.Unknown},
	)
	c, _ := turnOf(t, s, ref).Call("call_1")
	assert.True(t, c.Untimed, "nobody knows how long it took")
	add(t, s, ref,
		session.TurnCompleted{Conclusion: text("nothing there")},
		session.ToolReturned{Call: "call_1", Outcome: session.Success},
		session.Noted{From: text("ann"), Kind: session.NoteThought, Text: text("hm")},
		session.Narrated{Step: 2, Text: text("after all"), Source: session.FromModel},
		session.Answered{Response: text("It is empty.")},
	)
	turn := turnOf(t, s, ref)
	assert.Equal(t, session.Completed, turn.State)
	assert.Equal(t, "nothing there", turn.Conclusion.String())
	assert.Equal(t, "It is empty.", turn.Response.String())
	c, _ = turn.Call("call_1")
	assert.Equal(t, session.Success, c.Outcome, "the result that came late")
	assert.False(t, c.Untimed)
	assert.Equal(t, []bool{false, true}, []bool{turn.Notes[0].Late, turn.Notes[1].Late})
	assert.Equal(t, []bool{false, true}, []bool{turn.Steps[0].Late, turn.Steps[1].Late})
	narrative, _ := turn.Narrative()
	assert.Equal(t, "look", narrative.String(), "not what was thought after the end")

	for _, end := range []session.Body{session.TurnCompleted{}, session.TurnFailed{}, session.TurnInterrupted{}} {
		_, err := s.Append(ref, end)
		assert.ErrorIs(t, err, session.ErrTurnEnded, "%T", end)
	}
}

func TestAMessageThatBecameTheAnswerIsNoNote(t *testing.T) {
	s, id := newObserved(t)
	ref := observe(t, s, id, "go")
	add(t, s, ref,
		session.Noted{From: text("scout"), Kind: session.NoteChat, Text: text("one moment")},
		session.Noted{From: text("scout"), Kind: session.NoteChat, Text: text("It is empty.")},
	)
	before := turnOf(t, s, ref)
	add(t, s, ref, session.TurnCompleted{Response: text("It is empty.")})
	turn := turnOf(t, s, ref)
	require.Len(t, turn.Notes, 1)
	assert.Equal(t, "one moment", turn.Notes[0].Text.String())
	assert.Len(t, before.Notes, 2, "a snapshot keeps what it had")
}

func TestAReaderGetsWholeTurnsWithLateEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, id := newObserved(t)
		one, two := observe(t, s, id, "first"), observe(t, s, id, "second")
		add(t, s, two, session.TurnCompleted{Conclusion: text("done")})
		ctx, cancel := context.WithCancel(t.Context())
		var fromStart, fromEnd []session.Turn
		collect := func(after uint64, into *[]session.Turn) {
			for up, err := range s.Watch(ctx, after) {
				assert.NoError(t, err)
				*into = append(*into, up.Turn)
			}
		}
		go collect(0, &fromStart)
		go collect(s.Head(), &fromEnd)
		synctest.Wait()
		add(t, s, two, session.Noted{From: text("ann"), Kind: session.NoteChat, Text: text("late")})
		synctest.Wait()
		add(t, s, one, session.TurnCompleted{})
		add(t, s, two, session.Answered{Response: text("two")})
		synctest.Wait()
		want := turnOf(t, s, two)
		for _, got := range [][]session.Turn{fromStart, fromEnd} {
			assert.Equal(t, want, got[len(got)-1])
			noted := got[len(got)-3]
			assert.Equal(t, "done", noted.Conclusion.String())
			assert.Len(t, noted.Notes, 1)
			assert.Empty(t, noted.Response.String(), "the turn as it was right after the event")
			assert.Equal(t, turnOf(t, s, one), got[len(got)-2])
		}
		cancel()
		synctest.Wait()
	})
}
