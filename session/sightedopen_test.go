package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// askedAndOver records a turn of an attached agent with an open question, that has ended by another channel's word, and
// a turn after it.
func askedAndOver(t *testing.T, s *session.Session) (thread, request string) {
	t.Helper()
	thread = endlessTurn(t, s)
	request, _ = askAbout(t, s, thread, "c1")
	sight(t, s, thread, session.FromFile, ended("Over.", 3))
	_, err := s.Sight(thread, session.Sighted{Key: "p2", Channel: session.FromHooks, Sightings: []session.Sighting{
		prompted("go on"), ended("Done.", 5),
	}})
	require.NoError(t, err)
	return thread, request
}

func TestAnAgentThatWaitsKeepsItsSessionThoughItsTurnIsOver(t *testing.T) {
	_, s := openDurable(t, newFakeEngine(), session.Limits{})
	thread, request := askedAndOver(t, s)
	require.ErrorIs(t, s.EraseThread(t.Context(), thread), session.ErrTurnOpen)
	require.NoError(t, answers(s, request, session.Deny))
	require.NoError(t, s.EraseThread(t.Context(), thread))
}

func TestATurnThatAsksAPersonStaysInMemory(t *testing.T) {
	_, s := openDurable(t, newFakeEngine(), session.Limits{})
	thread, request := askedAndOver(t, s)
	s.Unload()
	assert.Zero(t, session.ColdTurns(s, thread))
	assert.True(t, s.AskedSighted(request))
	assert.Equal(t, s.Charge(), s.Held())
	require.NoError(t, answers(s, request, session.Deny))
	s.Unload()
	assert.Equal(t, 2, session.ColdTurns(s, thread))
	assert.Equal(t, s.Charge(), s.Held())
}

func TestARestartEndsTheQuestionsOfTurnsThatAreOver(t *testing.T) {
	f := newFakeEngine()
	store, s := openDurable(t, f, session.Limits{})
	thread, _ := askedAndOver(t, s)
	require.NoError(t, s.Save(t.Context()))
	require.NoError(t, store.Close())
	_, again := openDurable(t, f, session.Limits{})
	call, _ := firstTurn(t, again, thread).Call("c1")
	require.NotNil(t, call.Approval)
	assert.Equal(t, session.Withdrawn, call.Approval.Answer)
	assert.Equal(t, again.Charge(), again.Held())
}

func TestAnAnswerThatIsThereIsReadWithoutWaiting(t *testing.T) {
	s, id := attach(t)
	sight(t, s, id, session.FromHooks, called("c1", "Bash", 1), called("c2", "Bash", 1))
	request, asked := askAbout(t, s, id, "c1")
	_, ok := s.AnswerSince(request, asked.Seq)
	assert.False(t, ok, "there is none")
	other, _ := askAbout(t, s, id, "c2")
	require.NoError(t, answers(s, request, session.Deny))
	answered, ok := s.AnswerSince(request, asked.Seq)
	assert.True(t, ok)
	assert.Equal(t, session.Deny, answered.Answer)
	_, ok = s.AnswerSince(other, asked.Seq)
	assert.False(t, ok, "another question's answer is none")
}

// approvals returns the answers to the questions about the calls of a turn, by call.
func approvals(turn session.Turn) map[string]session.Answer {
	all := map[string]session.Answer{}
	for c := range turn.Calls() {
		if c.Approval != nil {
			all[c.ID] = c.Approval.Answer
		}
	}
	return all
}

// TestAnAnswerStaysWithTheCallThatWasAskedAbout holds that an approval moves with its call, when the file tells later
// that this is another one than it was taken for; and so does a rating.
func TestAnAnswerStaysWithTheCallThatWasAskedAbout(t *testing.T) {
	s, id := attach(t)
	sight(t, s, id, session.FromHooks, prompted("go"), unnamed("a", "Read", 7))
	request, _ := askAbout(t, s, id, "unnamed_a")
	sight(t, s, id, session.FromFile, in("g1", 0, called("c1", "Read", 2)))
	require.NoError(t, answers(s, request, session.Approve))
	require.Equal(t, map[string]session.Answer{"c1": session.Approve}, approvals(firstTurn(t, s, id)))
	rating := session.DecisionRated{Call: "unnamed_a", Rating: session.Good}
	require.NoError(t, s.Rate(session.Ref{Thread: id, Turn: 1}, rating))
	sight(t, s, id, session.FromFile, in("g2", 0, called("c2", "Read", 6)))
	turn := firstTurn(t, s, id)
	assert.Equal(t, map[string]session.Answer{"c2": session.Approve}, approvals(turn))
	first, _ := turn.Call("c1")
	second, _ := turn.Call("c2")
	assert.Nil(t, first.Feedback)
	assert.NotNil(t, second.Feedback)
	rating.Rating = session.Unrated
	require.NoError(t, s.Rate(session.Ref{Thread: id, Turn: 1}, rating))
	second, _ = firstTurn(t, s, id).Call("c2")
	assert.Nil(t, second.Feedback)
}

func TestACallThatAPersonDeniedDoesNotVanish(t *testing.T) {
	s, id := attach(t)
	sight(t, s, id, session.FromHooks, prompted("go"), unnamed("a", "Read", 3))
	request, _ := askAbout(t, s, id, "unnamed_a")
	require.NoError(t, answers(s, request, session.Deny))
	sight(t, s, id, session.FromFile, in("g1", 0, called("c1", "Read", 2)), in("g1", 1, called("c2", "Read", 2)))
	assert.Equal(t, map[string]session.Answer{"unnamed_a": session.Deny}, approvals(firstTurn(t, s, id)))
}

func TestACallThatWaitsForAPersonHasNotEnded(t *testing.T) {
	s, id := attach(t)
	sight(t, s, id, session.FromHooks, prompted("go"), unnamed("a", "Read", 3))
	askAbout(t, s, id, "unnamed_a")
	end := returned("c1", 2)
	end.At = time.Time{} // the file does not say
	sight(t, s, id, session.FromFile, in("g1", 0, called("c1", "Read", 2)), end)
	call, ok := firstTurn(t, s, id).Call("unnamed_a")
	require.True(t, ok)
	assert.Equal(t, session.Pending, call.Outcome)
	assert.True(t, call.Approval != nil)
}
