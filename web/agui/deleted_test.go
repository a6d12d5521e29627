package agui

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// A thread whose turn runs is not deleted. But a client may be behind: the turn ended and its thread was
// deleted before it read either.
func TestARunWhoseThreadWasDeletedEndsWithAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := session.NewMemory(nil)
		own, err := store.Open(t.Context(), "ann")
		require.NoError(t, err)
		opened, err := own.OpenThread()
		require.NoError(t, err)
		other, err := own.OpenThread()
		require.NoError(t, err)
		from := own.Head()
		begun, err := own.Accept(opened.Thread, words("hello"), nil)
		require.NoError(t, err)
		turn, err := own.Turn(begun.Thread, begun.Turn)
		require.NoError(t, err)
		_, err = own.Append(begun.Ref, session.TurnInterrupted{})
		require.NoError(t, err)
		require.NoError(t, own.EraseThread(t.Context(), other.Thread))
		require.NoError(t, own.EraseThread(t.Context(), opened.Thread))

		ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // of the bubble: it would wait that long
		defer cancel()
		s, seen := New(Options{}), httptest.NewRecorder()
		p := NewProjector(View{Thread: "theirs", Version1: true})
		s.stream(ctx, s.open(seen, httptest.NewRequest(http.MethodGet, "/", nil)), segment{session: own, turn: turn,
			from: from, about: begun}, p, &Input{RunID: "r1"})
		require.NoError(t, ctx.Err(), "the stream waited for an end that does not come")
		assert.Equal(t, 1, strings.Count(seen.Body.String(), `"RUN_ERROR"`), seen.Body)
		assert.Contains(t, seen.Body.String(), `"code":"thread_deleted"`)
	})
}
