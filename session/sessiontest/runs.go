package sessiontest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// waitingRun: the event that starts a run repeats what its client set, also if it waited.
func waitingRun(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	id := openThread(t, s)
	running := beginTurn(t, s, id)
	e, err := s.AcceptRun(id, hello, nil, session.Workflow{ID: "chat", Spoken: true})
	require.NoError(t, err)
	require.IsType(t, session.TurnQueued{}, e.Body)
	endTurn(t, s, running)
	e, err = s.Append(e.Ref, session.TurnStarted{})
	require.NoError(t, err)
	assert.Equal(t, session.Workflow{ID: "chat", Spoken: true}, e.Body.(session.TurnStarted).Workflow)
}

// replayedTurn: Repeat records the facts of an ended turn again, as those of a new one.
func replayedTurn(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	from, into := openThread(t, s), openThread(t, s)
	ref := beginTurn(t, s, from)
	_, err := s.Repeat(ref, into, session.Workflow{ID: "chat"})
	require.ErrorIs(t, err, session.ErrTurnOpen)
	endTurn(t, s, ref)
	e, err := s.Repeat(ref, into, session.Workflow{ID: "chat"})
	require.NoError(t, err)
	turn, err := s.Turn(into, e.Turn)
	require.NoError(t, err)
	assert.Equal(t, session.Completed, turn.State)
	assert.Equal(t, hello, turn.Response)
	assert.Equal(t, ref, turn.Workflow.ReplayOf)
	assert.Equal(t, e.Seq+1, s.Head())
}
