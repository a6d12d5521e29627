package session_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// rated is a rating of the first call.
func rated(r session.Rating, note string) session.DecisionRated {
	return session.DecisionRated{Call: "call_1", Rating: r, Note: text(note)}
}

// feedbackOf returns the rating of the first call of a turn and its note, "" for none.
func feedbackOf(t *testing.T, turn session.Turn) string {
	t.Helper()
	c, ok := turn.Call("call_1")
	require.True(t, ok)
	if c.Feedback == nil {
		return ""
	}
	assert.False(t, c.Feedback.At.IsZero())
	return fmt.Sprint(c.Feedback.Rating, " ", c.Feedback.Note)
}

func TestTheLatestRatingOfADecisionStands(t *testing.T) {
	s, ref := newTurn(t)
	add(t, s, ref, toolCall("call_1", 1), toolCall("call_2", 1))
	require.NoError(t, s.Rate(ref, rated(session.Good, "saw it at once")))
	assert.Equal(t, "good saw it at once", feedbackOf(t, turnOf(t, s, ref)), "while the turn runs")
	before := turnOf(t, s, ref)
	add(t, s, ref, session.TurnCompleted{})

	require.NoError(t, s.Rate(ref, rated(session.Bad, "")))
	assert.Equal(t, "bad ", feedbackOf(t, turnOf(t, s, ref)), "after its end")
	assert.Equal(t, "good saw it at once", feedbackOf(t, before), "a snapshot stays as it is")
	other, _ := turnOf(t, s, ref).Call("call_2")
	assert.Nil(t, other.Feedback)

	head := s.Head()
	require.NoError(t, s.Rate(ref, rated(session.Bad, "")))
	assert.Equal(t, head, s.Head(), "what stands already is not recorded again")
	require.NoError(t, s.Rate(ref, rated(session.Unrated, "")))
	assert.Empty(t, feedbackOf(t, turnOf(t, s, ref)))
	head = s.Head()
	require.NoError(t, s.Rate(ref, rated(session.Unrated, "")))
	assert.Equal(t, head, s.Head(), "nothing is left to withdraw")
}

func TestARatingOfNothingChangesNothing(t *testing.T) {
	s, ref := newTurn(t)
	add(t, s, ref, toolCall("call_1", 1))
	head := s.Head()
	for name, tt := range map[string]struct {
		ref  session.Ref
		call string
		err  error
	}{
		"of an unknown thread": {session.Ref{Thread: "x", Turn: 1}, "call_1", session.ErrNoThread},
		"of an unknown turn":   {session.Ref{Thread: ref.Thread, Turn: 9}, "call_1", session.ErrNoTurn},
		"of turn 0":            {session.Ref{Thread: ref.Thread}, "call_1", session.ErrNoTurn},
		"of an unknown call":   {ref, "call_9", session.ErrNoCall},
	} {
		t.Run(name, func(t *testing.T) {
			err := s.Rate(tt.ref, session.DecisionRated{Call: tt.call, Rating: session.Good})
			require.ErrorIs(t, err, tt.err)
			assert.Equal(t, head, s.Head())
		})
	}
}

func TestADecisionIsRatedABoundedNumberOfTimes(t *testing.T) {
	s, ref := newTurn(t)
	add(t, s, ref, toolCall("call_1", 1), toolCall("call_2", 1))
	for i := range session.MaxCallRatings {
		require.NoError(t, s.Rate(ref, rated(session.Good, fmt.Sprint("take ", i))))
	}
	require.ErrorIs(t, s.Rate(ref, rated(session.Bad, "")), session.ErrTooManyRatings)
	assert.Equal(t, "good take 19", feedbackOf(t, turnOf(t, s, ref)), "the latest one stands")
	require.NoError(t, s.Rate(ref, session.DecisionRated{Call: "call_2", Rating: session.Good}))
}

// The number of a thread is set, since to reach it by ratings takes too long.
func TestAUsersRatingsAreBoundedInAllAndErasureMakesRoom(t *testing.T) {
	s, ref := newTurn(t)
	add(t, s, ref, toolCall("call_1", 1), session.TurnCompleted{})
	second, err := s.OpenThread()
	require.NoError(t, err)
	other := accept(t, s, second.Thread)
	add(t, s, other, toolCall("call_1", 1), session.TurnCompleted{})
	session.SetRatings(s, ref.Thread, session.MaxRatings-1)
	require.NoError(t, s.Rate(ref, rated(session.Good, "")))
	require.ErrorIs(t, s.Rate(other, rated(session.Good, "")), session.ErrTooManyRatings)
	require.NoError(t, s.EraseThread(t.Context(), ref.Thread))
	require.NoError(t, s.Rate(other, rated(session.Good, "")))
}

func TestARatingIsNoNewsOfItsConversation(t *testing.T) {
	s, ref := newTurn(t)
	add(t, s, ref, toolCall("call_1", 1), session.TurnCompleted{})
	before, err := s.Thread(ref.Thread)
	require.NoError(t, err)
	require.NoError(t, s.Rate(ref, rated(session.Good, "")))
	after, err := s.Thread(ref.Thread)
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

// Each way to come to a turn has to show the same rating: a reader from the start, one from the middle, a live
// one, the fold in memory, one of a turn that was unloaded, and the next process, with a snapshot and without.
func TestARatingOfAnEndedTurnIsFoldedOnEachPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeEngine()
		store, s := openDurable(t, f, session.Limits{Session: 256 << 10})
		e, err := s.OpenThread()
		require.NoError(t, err)
		ref := accept(t, s, e.Thread)
		add(t, s, ref, toolCall("call_1", 1), session.TurnCompleted{})
		middle := s.Head()
		unload(t, s, e.Thread)
		require.NoError(t, s.Rate(ref, rated(session.Good, "first")), "of a turn that is not in memory")
		require.NoError(t, s.Rate(ref, rated(session.Bad, "second")))
		want := "bad second"
		for name, after := range map[string]uint64{"from the start": 0, "from the middle": middle} {
			var last string
			for up, err := range s.Watch(t.Context(), after) {
				require.NoError(t, err, name)
				if _, rates := up.Event.Body.(session.DecisionRated); rates {
					last = feedbackOf(t, up.Turn)
				}
				if up.Event.Seq == s.Head() {
					break
				}
			}
			assert.Equal(t, want, last, name)
		}
		ctx, cancel := context.WithCancel(t.Context())
		seen := make(chan string, 1)
		go func() {
			for up, err := range s.WatchLive(ctx, s.Head()) {
				folded, failed := up.Folded()
				if err == nil && failed == nil {
					seen <- feedbackOf(t, folded)
				}
				return
			}
		}()
		synctest.Wait()
		require.NoError(t, s.Rate(ref, rated(session.Good, "third")))
		assert.Equal(t, "good third", <-seen, "a live reader")
		cancel()
		assert.Equal(t, "good third", feedbackOf(t, turnOf(t, s, ref)), "read back")
		require.NoError(t, s.Save(t.Context()))
		require.NoError(t, store.Close())
		_, again := openDurable(t, f, session.Limits{})
		assert.Equal(t, "good third", feedbackOf(t, turnOf(t, again, ref)), "in the next process")
		assert.Equal(t, 3, session.Ratings(again))
		require.NoError(t, again.Save(t.Context()))
		clear(f.snapshots)
		_, again = openDurable(t, f, session.Limits{})
		assert.Equal(t, "good third", feedbackOf(t, turnOf(t, again, ref)), "without a snapshot")
		assert.Equal(t, 3, session.Ratings(again))
	})
}

// unload makes a session with a small budget unload the first turns of a thread.
func unload(t *testing.T, s *session.Session, thread string) {
	t.Helper()
	for range 12 {
		ref := accept(t, s, thread)
		add(t, s, ref, session.TurnCompleted{Response: words(9000)})
	}
	require.Positive(t, session.ColdTurns(s, thread))
}

func TestARatingIsErasedWithItsThread(t *testing.T) {
	s, ref := newTurn(t)
	add(t, s, ref, toolCall("call_1", 1), session.TurnCompleted{})
	require.NoError(t, s.Rate(ref, rated(session.Bad, "a word that must go")))
	require.NoError(t, s.EraseThread(t.Context(), ref.Thread))
	for up, err := range s.Watch(t.Context(), 0) {
		require.NoError(t, err)
		_, rates := up.Event.Body.(session.DecisionRated)
		assert.False(t, rates)
		if up.Event.Seq == s.Head() {
			break
		}
	}
	require.ErrorIs(t, s.Rate(ref, rated(session.Good, "")), session.ErrNoThread)
}

// A step that speaks goes on speaking to readers who come later, whatever the user says of the call before.
func TestARatingEndsNoText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ref := newTurn(t)
		add(t, s, ref, toolCall("call_1", 1))
		s.PublishText(session.StepText{Ref: ref, Step: 2, Text: safety.Literal("I go on.")})
		require.NoError(t, s.Rate(ref, rated(session.Good, "")))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var heard []string
		for up, err := range s.WatchLive(ctx, s.Head()) {
			if err != nil {
				break // a second has passed, and nothing came
			}
			require.NotNil(t, up.Text)
			heard = append(heard, up.Text.Text.String())
			break
		}
		assert.Equal(t, []string{"I go on."}, heard)
	})
}

func TestRatingsOfAnOpenTurnCountOnceAfterARestart(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	e, err := s.OpenThread()
	require.NoError(t, err)
	ref := accept(t, s, e.Thread)
	add(t, s, ref, toolCall("call_1", 1))
	require.NoError(t, s.Rate(ref, rated(session.Good, "")))
	require.NoError(t, s.Save(t.Context()))
	_, again := openDurable(t, f, session.Limits{})
	assert.Equal(t, 1, session.Ratings(again))
}
