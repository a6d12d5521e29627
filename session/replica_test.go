package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// A message of which the storage did not say whether it kept it is refused. If it was kept after all, its turn
// does not stay open for ever.
func TestATurnThatWasKeptWithoutAWordIsInterrupted(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	e, err := s.OpenThread()
	require.NoError(t, err)
	f.silent = true
	_, err = s.Accept(e.Thread, safety.Literal("hi"), nil)
	require.ErrorIs(t, err, session.ErrStorage)
	f.silent = false
	ref := accept(t, s, e.Thread)
	assert.Equal(t, 2, ref.Turn, "it came second")
	assert.Equal(t, session.Interrupted, turnOf(t, s, session.Ref{Thread: e.Thread, Turn: 1}).State)
	assert.Equal(t, session.Processing, turnOf(t, s, ref).State)
	add(t, s, ref, session.TurnCompleted{})
	require.NoError(t, s.CatchUp())
	assert.Equal(t, session.Completed, turnOf(t, s, ref).State)
}
