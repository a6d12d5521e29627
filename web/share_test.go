package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/access"
)

func TestAUsersFurtherAnswersWaitForTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shares{perUser: 2}
		enter := func(user string) (leave func()) {
			leave, err := s.enter(t.Context(), user)
			require.NoError(t, err)
			return leave
		}
		first, _ := enter("ann"), enter("ann")
		third := make(chan func(), 1)
		go func() { third <- enter("ann") }()
		synctest.Wait()
		assert.Empty(t, third, "ann has her share")
		enter("bob")()
		first()
		first() // twice gives back one
		synctest.Wait()
		assert.Len(t, third, 1)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.enter(gone, "ann")
		assert.ErrorIs(t, err, context.Canceled, "a client that has gone does not wait")
	})
}

// A slow reader of one answer does not hold up the user's other requests.
func TestAnAnswerCountsUntilItBeginsToLeave(t *testing.T) {
	s := &Server{reads: shares{perUser: 1}}
	e := echo.New()
	read := func(handler echo.HandlerFunc) int {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		w := httptest.NewRecorder()
		c := e.NewContext(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil), w)
		c.Set(callerKey, access.Caller{User: "ann"})
		if s.shareReads(handler)(c) != nil {
			return 0
		}
		return w.Code
	}
	ok := func(c echo.Context) error { return c.NoContent(http.StatusNoContent) }
	assert.Equal(t, http.StatusOK, read(func(c echo.Context) error {
		require.NoError(t, c.String(http.StatusOK, "a long answer"))
		assert.Equal(t, http.StatusNoContent, read(ok), "another one is made while this one leaves")
		return nil
	}))
	assert.Equal(t, http.StatusNoContent, read(ok), "the share is given back in the end")
}
