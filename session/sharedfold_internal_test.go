package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
)

func TestAnErasedTurnIsForgottenByTheSharedFold(t *testing.T) {
	s, err := NewMemory(nil).Open(t.Context(), "ann")
	require.NoError(t, err)
	opened, err := s.OpenThread()
	require.NoError(t, err)
	started, err := s.Accept(opened.Thread, safety.Literal("a secret of ann"), nil)
	require.NoError(t, err)
	_, err = s.Append(started.Ref, TurnCompleted{})
	require.NoError(t, err)
	turn, err := s.foldShared(started)
	require.NoError(t, err)
	require.Equal(t, Processing, turn.State, "the turn as it was at its first event")
	require.NotZero(t, s.shared.last)
	require.NoError(t, s.EraseThread(t.Context(), opened.Thread))
	assert.Zero(t, s.shared.last)
	assert.Empty(t, s.shared.open)
}
