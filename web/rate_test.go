package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/cmd/candor/apptest"
	"candor/session"
	"candor/web"
	"candor/web/access"
)

// writer returns a function that makes requests to a server on which users may write ten
// times a second.
func writer() func(user, method, path, body string) *httptest.ResponseRecorder {
	return writerOf(web.Options{WritesPerSecond: 10})
}

// writerOf is writer with these options.
func writerOf(o web.Options) func(user, method, path, body string) *httptest.ResponseRecorder {
	var tokens access.Tokens
	tokens.Add("ann", apptest.TokenOf("ann"))
	tokens.Add("bob", apptest.TokenOf("bob"))
	o.Store, o.Tokens, o.Log = session.NewMemory(nil), tokens, slog.New(slog.DiscardHandler)
	s := web.New(o)
	serve := func(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	worker := func(r *http.Request) (context.Context, string, error) { return r.Context(), "ann", nil }
	s.Mount(
		web.Route{Method: http.MethodGet, Path: "/mounted", Serve: serve},
		web.Route{Method: http.MethodPost, Path: "/mounted", Serve: serve},
		web.Route{Method: http.MethodDelete, Path: "/mounted", Serve: serve},
		web.Route{Method: http.MethodPost, Path: "/interrupt", Serve: serve},
		web.Route{Method: http.MethodPost, Path: "/work", Serve: serve, Admit: worker},
	)
	return func(user, method, path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+apptest.TokenOf(user))
		r.Header.Set("Content-Type", "application/json")
		r.Host = "127.0.0.1"
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
}

// accepted counts how many of n equal writes are not refused as too fast.
func accepted(n int, write func() *httptest.ResponseRecorder) (count int) {
	for range n {
		if w := write(); w.Code != http.StatusTooManyRequests {
			count++
		}
	}
	return count
}

func TestWritesThatAreTooFastAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		do := writer()
		write := func() *httptest.ResponseRecorder { return do("ann", http.MethodPost, "/mounted", "{}") }
		assert.Equal(t, 40, accepted(50, write), "four seconds' writes at once")
		w := write()
		assert.Equal(t, http.StatusTooManyRequests, w.Code)
		assert.Contains(t, w.Body.String(), `"error":"too_fast"`)
		assert.Equal(t, "1", w.Header().Get("Retry-After"))
		assert.Equal(t, http.StatusNoContent, do("ann", http.MethodGet, "/mounted", "").Code, "reading is free")
		assert.Equal(t, 40, accepted(50, func() *httptest.ResponseRecorder {
			return do("bob", http.MethodPost, "/mounted", "{}")
		}), "every user for themselves")
		assert.Equal(t, 40, accepted(50, func() *httptest.ResponseRecorder {
			return do("ann", http.MethodPost, "/work", "{}")
		}), "a user's workers do not keep the user from the page")
		time.Sleep(time.Second)
		assert.Equal(t, 10, accepted(20, write))
	})
}

func TestALargeBodyCountsAsManyWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		do := writer()
		large := strings.Repeat("x", 35<<10) // nine writes
		assert.Equal(t, 4, accepted(10, func() *httptest.ResponseRecorder {
			return do("ann", http.MethodPost, "/mounted", large)
		}))
		w := do("ann", http.MethodPost, "/mounted", large)
		assert.Equal(t, "1", w.Header().Get("Retry-After"))
		time.Sleep(4 * time.Second)
		huge := strings.Repeat("x", 1<<20) // more than the most that can be saved up
		assert.Equal(t, http.StatusNoContent, do("ann", http.MethodPost, "/mounted", huge).Code)
		w = do("ann", http.MethodPost, "/mounted", huge)
		assert.Equal(t, "4", w.Header().Get("Retry-After"))
	})
}

func TestWhatIsNotValidCountsAsAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, route := range []string{
			"POST /api/chat/interrupt", "POST /api/chat/approval", "POST /api/chat/send", "POST /api/chat/thread/new",
		} {
			do := writer()
			method, path, _ := strings.Cut(route, " ")
			for range 60 {
				do("ann", method, path, "no JSON")
			}
			w := do("ann", http.MethodPost, "/mounted", "{}")
			assert.Equal(t, http.StatusTooManyRequests, w.Code, route)
		}
	})
}

func TestTooManyLoginCodesAMinuteAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		do := writer()
		code := func(user string) func() *httptest.ResponseRecorder {
			return func() *httptest.ResponseRecorder { return do(user, http.MethodPost, "/api/login/code", "{}") }
		}
		assert.Equal(t, 20, accepted(25, code("ann")))
		w := code("ann")()
		assert.Contains(t, w.Body.String(), "Too many login codes in a minute.")
		assert.NotEmpty(t, w.Header().Get("Retry-After"))
		assert.Equal(t, http.StatusCreated, code("bob")().Code, "every user for themselves")
	})
}
