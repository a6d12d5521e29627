package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/session/sessiontest"
)

func TestMemoryKeepsTheContract(t *testing.T) {
	sessiontest.Run(t, func() session.Store { return session.NewMemory(nil) })
}

func TestARemovedSessionIsEmptyWhenItIsOpenedAgain(t *testing.T) {
	store := session.NewMemory(nil)
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	_, err = s.OpenThread()
	require.NoError(t, err)
	require.NoError(t, store.Remove(t.Context(), "nobody"))
	require.NoError(t, store.Remove(t.Context(), "ann"))
	_, err = s.OpenThread()
	require.ErrorIs(t, err, session.ErrEvicted)
	again, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	assert.Empty(t, again.Threads())
}
