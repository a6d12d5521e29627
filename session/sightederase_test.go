package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// endlessTurn records a turn of an attached agent that nobody may ever tell the end of.
func endlessTurn(t *testing.T, s *session.Session) (thread string) {
	t.Helper()
	thread, err := s.OpenObserved("claude/1", billing)
	require.NoError(t, err)
	sight(t, s, thread, session.FromHooks, prompted("fix it"), called("c1", "Bash", 2))
	return thread
}

func TestTheSessionOfAnAttachedAgentIsErasedThoughNobodySaysThatItIsOver(t *testing.T) {
	store, s := openDurable(t, newFakeEngine(), session.Limits{})
	thread := endlessTurn(t, s)
	ref := session.Ref{Thread: thread, Turn: 1}
	request := s.RequestID(ref, "c1")
	_, err := s.Append(ref, session.ApprovalAsked{Request: request, Call: "c1", Within: time.Minute})
	require.NoError(t, err)
	require.ErrorIs(t, s.EraseThread(t.Context(), thread), session.ErrTurnOpen, "its agent waits for a person")
	_, err = s.AnswerSighted(request, session.ApprovalAnswered{Answer: session.Approve})
	require.NoError(t, err)
	require.NoError(t, s.EraseThread(t.Context(), thread))
	assert.Empty(t, s.Threads())
	assert.Equal(t, s.Charge(), s.Held())
	// What is heard of the agent from now on is a session of its own.
	assert.Len(t, firstTurn(t, s, endlessTurn(t, s)).Steps, 1)
	require.NoError(t, store.Close())
}

func TestTheSessionOfAnAttachedAgentExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, s := openDurable(t, newFakeEngine(), session.Limits{})
		endlessTurn(t, s)
		n, err := store.Retain(t.Context(), session.Retention{Age: time.Hour})
		require.NoError(t, err)
		assert.Zero(t, n, "it is new")
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		n, err = store.Retain(t.Context(), session.Retention{Age: time.Hour})
		require.NoError(t, err)
		assert.Equal(t, 1, n)
		assert.Empty(t, s.Threads())
		require.NoError(t, store.Close())
	})
}
