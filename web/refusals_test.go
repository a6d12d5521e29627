package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/cmd/candor/apptest"
	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/problem"
)

// refuser returns a function that makes requests to a server with these routes: /refused, /full and,
// for a worker of ann's, /work refuse for now whoever asks; /wrong refuses for good. At most two
// refusals of a user are held back.
func refuser() func(ctx context.Context, user, path string) *httptest.ResponseRecorder {
	var tokens access.Tokens
	tokens.Add("ann", apptest.TokenOf("ann"))
	tokens.Add("bob", apptest.TokenOf("bob"))
	s := web.New(web.Options{
		Store: session.NewMemory(nil), Tokens: tokens, RequestsPerUser: 2, Log: slog.New(slog.DiscardHandler),
	})
	route := func(path string, status int) web.Route {
		refuse := func(http.ResponseWriter, *http.Request, access.Caller) error {
			return problem.New(status, "refused", "Not now.")
		}
		return web.Route{Method: http.MethodPost, Path: path, Serve: refuse}
	}
	work := route("/work", http.StatusTooManyRequests)
	work.Admit = func(r *http.Request) (context.Context, string, error) { return r.Context(), "ann", nil }
	s.Mount(route("/refused", http.StatusTooManyRequests), route("/full", http.StatusServiceUnavailable),
		route("/wrong", http.StatusConflict), work)
	return func(ctx context.Context, user, path string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost"+path, strings.NewReader("{}"))
		r.Header.Set("Authorization", "Bearer "+apptest.TokenOf(user))
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
}

// until returns how long n requests took, one after the other, each of which has to be answered with
// this status.
func until(t *testing.T, n, status int, do func() *httptest.ResponseRecorder) time.Duration {
	t.Helper()
	begun := time.Now()
	for range n {
		assert.Equal(t, status, do().Code)
	}
	return time.Since(begun)
}

func TestRefusalsAreHeldBackFromUsersWhoDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		do := refuser()
		to := func(user, path string) func() *httptest.ResponseRecorder {
			return func() *httptest.ResponseRecorder { return do(t.Context(), user, path) }
		}
		const refused = http.StatusTooManyRequests
		assert.Zero(t, until(t, 30, refused, to("ann", "/refused")), "a refusal now and then leaves at once")
		w := do(t.Context(), "ann", "/refused")
		assert.Equal(t, "2", w.Header().Get("Retry-After"))
		assert.Empty(t, w.Header().Get("Connection"))
		took := until(t, 10, http.StatusServiceUnavailable, to("ann", "/full"))
		assert.InDelta(t, 5, took.Seconds(), 1.1, "every other one leaves at once, since a second has passed")
		assert.Zero(t, until(t, 30, refused, to("bob", "/refused")), "another user has not been refused")
		assert.Zero(t, until(t, 30, refused, to("", "/work")), "nor have the user's workers")
		assert.NotZero(t, until(t, 1, refused, to("", "/work")), "workers are held back, too")
		assert.Zero(t, until(t, 100, http.StatusConflict, to("ann", "/wrong")), "what is wrong is said at once")
		assert.Zero(t, until(t, 100, http.StatusUnauthorized, to("eve", "/refused")), "strangers hold nothing")
		for range 100 {
			time.Sleep(time.Second) // as Retry-After says, or nearly so
			assert.Zero(t, until(t, 1, refused, to("ann", "/refused")))
		}
	})
}

func TestABoundedNumberOfRefusalsIsHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		do := refuser()
		for range 30 {
			do(t.Context(), "ann", "/refused")
		}
		begun := time.Now()
		gone, leave := context.WithCancel(t.Context())
		var held sync.WaitGroup
		for _, ctx := range []context.Context{t.Context(), gone} {
			held.Go(func() { do(ctx, "ann", "/refused") })
		}
		synctest.Wait()
		w := do(t.Context(), "ann", "/refused")
		assert.Equal(t, "close", w.Header().Get("Connection"), "one more is hung up on")
		assert.Equal(t, "2", w.Header().Get("Retry-After"))
		assert.Zero(t, time.Since(begun))
		leave()
		synctest.Wait()
		w = do(t.Context(), "ann", "/refused")
		assert.Empty(t, w.Header().Get("Connection"), "a client that has gone makes room")
		assert.Equal(t, time.Second, time.Since(begun))
		held.Wait()
	})
}
