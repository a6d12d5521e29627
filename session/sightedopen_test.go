package session_test

import (
	"testing"

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
