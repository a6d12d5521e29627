package web

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

func TestTheStoragesErrorsHaveAnswersOfTheirOwn(t *testing.T) {
	for name, tt := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"nothing was recorded":             {session.ErrStorage, 503, "storage_failed"},
		"a part of the session is damaged": {session.ErrDamaged, 500, "session_damaged"},
		"it is deleted and not cleared":    {session.ErrUncleared, 202, "clearing"},
		"a turn of the thread runs":        {session.ErrTurnOpen, 409, "turn_open"},
		"deleted, but the storage fails":   {errors.Join(session.ErrUncleared, session.ErrStorage), 202, "clearing"},
	} {
		p := toProblem(fmt.Errorf("thread x: %w", tt.err))
		assert.Equal(t, tt.status, p.Status, name)
		assert.Equal(t, tt.code, p.Code, name)
	}
	assert.Equal(t, "10", retryAfter(http.StatusServiceUnavailable))
}

func TestAReaderOfADeletedThreadIsAdmittedUntilItIsTold(t *testing.T) {
	store := session.NewMemory(nil)
	t.Cleanup(func() { _ = store.Close() })
	own, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	e, err := own.OpenThread()
	require.NoError(t, err)
	turn, err := own.Accept(e.Thread, safety.Literal("hi"), nil)
	require.NoError(t, err)
	require.ErrorIs(t, own.EraseThread(t.Context(), e.Thread), session.ErrTurnOpen)
	_, err = own.Append(turn.Ref, session.TurnInterrupted{})
	require.NoError(t, err)
	before := own.Head()
	require.NoError(t, own.EraseThread(t.Context(), e.Thread))
	require.NoError(t, canWatch(t.Context(), own, []string{e.Thread}, nil, before))
	require.ErrorIs(t, canWatch(t.Context(), own, []string{e.Thread}, nil, own.Head()), session.ErrNoThread)
	require.ErrorIs(t, canWatch(t.Context(), own, nil, []string{"job"}, before), session.ErrNoJob)
}
