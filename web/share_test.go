package web

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
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
	s := &Server{answers: shares{perUser: 1}}
	e := echo.New()
	read := func(handler echo.HandlerFunc) int {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		w := httptest.NewRecorder()
		c := e.NewContext(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil), w)
		c.Set(callerKey, access.Caller{User: "ann"})
		if s.shareProcessors(handler)(c) != nil {
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

// What a request waits for may be caused by another one of the same user.
func TestARequestThatWaitsDoesNotHoldUpItsUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{answers: shares{perUser: 1}}
		e := echo.New()
		read := func(handler echo.HandlerFunc) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			c := e.NewContext(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil), httptest.NewRecorder())
			c.Set(callerKey, access.Caller{User: "ann"})
			return s.shareProcessors(handler)(c)
		}
		ok := func(c echo.Context) error { return c.NoContent(http.StatusNoContent) }
		require.NoError(t, read(func(c echo.Context) error {
			ctx := c.Request().Context()
			err := Aside(ctx, func() { assert.NoError(t, read(ok), "another one is answered meanwhile") })
			gone, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, full := s.answers.enter(gone, "ann")
			assert.Error(t, full, "it counts again when it goes on")
			return err
		}))
		require.NoError(t, read(ok), "the share is given back in the end")
		require.NoError(t, Aside(t.Context(), func() {}), "what is no request waits as well")
	})
}

// A client that sends its body slowly does not hold up the user's other requests.
func TestAnAnswerCountsFromWhenItsBodyHasArrived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{answers: shares{perUser: 1}}
		e := echo.New()
		served := make(chan string, 3)
		release := make(chan struct{})
		begin := func(name string, body io.Reader, worker bool) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body)
			c := e.NewContext(r, httptest.NewRecorder())
			if c.Set(callerKey, access.Caller{User: "ann"}); worker {
				c.Set(callerKey, access.Caller{})
				c.Set(worksForKey, "ann")
			}
			go func() {
				assert.NoError(t, s.shareProcessors(func(c echo.Context) error {
					if _, err := io.ReadAll(c.Request().Body); err != nil {
						return err
					}
					served <- name
					<-release
					return c.NoContent(http.StatusNoContent)
				})(c), name)
			}()
			synctest.Wait()
		}
		slow, more := io.Pipe()
		begin("slow", slow, false)
		begin("quick", strings.NewReader("{}"), false)
		begin("worker's", strings.NewReader("{}"), true)
		assert.Equal(t, "quick", <-served)
		assert.Empty(t, served, "the user's workers have the same share")
		more.Close()
		synctest.Wait()
		assert.Empty(t, served, "the body has arrived, but another answer is being made")
		close(release)
		assert.ElementsMatch(t, []string{"slow", "worker's"}, []string{<-served, <-served})
	})
}

// A user opens streams of all that ever happened.
func TestStreamsThatAreBehindTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := shares{perUser: 1}
		open := func() *streamShare {
			return &streamShare{enter: func(ctx context.Context) (func(), error) { return all.enter(ctx, "ann") }}
		}
		first, second := open(), open()
		require.NoError(t, first.spend(t.Context(), 1000))
		went := make(chan error)
		next := func(behind uint64) { go func() { went <- second.spend(t.Context(), behind) }() }
		waits := func(why string) {
			synctest.Wait()
			select {
			case err := <-went:
				assert.Fail(t, "the second stream goes on", "%s: %v", why, err)
			default:
			}
		}
		next(1000)
		waits("the first is behind")
		first.leave()
		require.NoError(t, <-went, "the first waits for its client")
		for range shareTurn {
			require.NoError(t, second.spend(t.Context(), 1000))
		}
		again := make(chan error)
		go func() { again <- first.spend(t.Context(), 500) }()
		synctest.Wait()
		next(900) // it has had its turn
		require.NoError(t, <-again)
		waits("the first is behind again")
		require.NoError(t, first.spend(t.Context(), 0))
		require.NoError(t, <-went, "the first has caught up")
		require.NoError(t, first.spend(t.Context(), liveLag), "a stream that has caught up may be a little behind")
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		assert.ErrorIs(t, first.spend(stopped, liveLag+1), context.Canceled, "but not more")
	})
}
