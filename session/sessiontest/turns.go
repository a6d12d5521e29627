package sessiontest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// turnNumbers: the turns of a thread are numbered 1, 2, 3, … independently of other
// threads.
func turnNumbers(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	one, two := openThread(t, s), openThread(t, s)
	for want := 1; want <= 3; want++ {
		ref := beginTurn(t, s, one)
		assert.Equal(t, want, ref.Turn)
		endTurn(t, s, ref)
	}
	assert.Equal(t, 1, beginTurn(t, s, two).Turn)
}

// pagesKeepNumbers: a page shows turns under the numbers they were given, and pages
// cover the history without a gap.
func pagesKeepNumbers(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	id := openThread(t, s)
	for range 3 {
		endTurn(t, s, beginTurn(t, s, id))
	}
	newest, err := s.History(id, session.Page{Limit: 2})
	require.NoError(t, err)
	require.Len(t, newest.Turns, 2)
	assert.Equal(t, []int{2, 3}, []int{newest.Turns[0].Number, newest.Turns[1].Number})
	assert.True(t, newest.HasMore)
	older, err := s.History(id, session.Page{Limit: 2, Before: newest.Turns[0].CreatedAt})
	require.NoError(t, err)
	require.Len(t, older.Turns, 1)
	assert.Equal(t, 1, older.Turns[0].Number)
	assert.False(t, older.HasMore)
}

// queueLimit: while a turn is open, MaxWaiting messages are queued. The next one is
// refused with ErrBusy and uses up no turn number.
func queueLimit(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	id := openThread(t, s)
	running := beginTurn(t, s, id)
	for range session.MaxWaiting {
		e, err := s.Accept(id, hello, nil)
		require.NoError(t, err)
		assert.IsType(t, session.TurnQueued{}, e.Body)
	}
	_, err := s.Accept(id, hello, nil)
	assert.ErrorIs(t, err, session.ErrBusy)
	endTurn(t, s, running)
	assert.Equal(t, session.MaxWaiting+2, beginTurn(t, s, id).Turn)
}

// endedTurn: an event for an ended or unknown turn is refused and leaves the log as it
// is.
func endedTurn(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	ref := beginTurn(t, s, openThread(t, s))
	endTurn(t, s, ref)
	head := s.Head()
	_, err := s.Append(ref, session.TurnInterrupted{})
	assert.ErrorIs(t, err, session.ErrTurnEnded)
	_, err = s.Append(session.Ref{Thread: ref.Thread, Turn: ref.Turn + 1}, session.StepEnded{})
	assert.ErrorIs(t, err, session.ErrNoTurn)
	_, err = s.Turn(ref.Thread, 0)
	assert.ErrorIs(t, err, session.ErrNoTurn)
	assert.Equal(t, head, s.Head())
}
