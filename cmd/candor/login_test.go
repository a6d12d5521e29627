package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asBrowser is a request with a cookie and no token.
func asBrowser(cookie *http.Cookie) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Del("Authorization")
		r.AddCookie(cookie)
	}
}

// logIn is the cookie that a user's token is changed into.
func (s *server) logIn(user string) *http.Cookie {
	s.t.Helper()
	r := s.do("", http.MethodPost, "/api/login", `{"token":"`+tokenOf(user)+`"}`, func(r *http.Request) { r.Header.Del("Authorization") })
	require.Equal(s.t, http.StatusNoContent, r.status, r.body)
	cookies := (&http.Response{Header: r.header}).Cookies()
	require.Len(s.t, cookies, 1)
	return cookies[0]
}

func TestATokenIsChangedIntoACookieThatOpensEveryRoute(t *testing.T) {
	s := startServer(t, settings{}, nil)
	ann := s.logIn("ann")
	assert.True(t, ann.HttpOnly)
	assert.Equal(t, http.SameSiteStrictMode, ann.SameSite)
	who := s.do("", http.MethodGet, "/api/login", "", asBrowser(ann))
	assert.Equal(t, "ann", who.json(t)["user"])
	assert.NotEmpty(t, who.json(t)["expires_at"])

	sent := s.do("", http.MethodPost, "/api/chat/send", `{"content":"what time is it"}`, asBrowser(ann))
	require.Equal(t, http.StatusAccepted, sent.status, sent.body)
	thread := sent.json(t)["thread_id"].(string)
	for _, at := range []string{"/api/chat/threads", "/api/chat/history?thread_id=" + thread, "/api/gateway/status", "/api/jobs"} {
		assert.Equal(t, http.StatusOK, s.do("", http.MethodGet, at, "", asBrowser(ann)).status, at)
	}
	bob := s.logIn("bob")
	for _, at := range []string{"/api/chat/history?thread_id=" + thread, "/api/chat/events?thread_id=" + thread} {
		assert.Equal(t, http.StatusNotFound, s.do("", http.MethodGet, at, "", asBrowser(bob)).status, "another user's")
	}
	both := s.do("bob", http.MethodGet, "/api/login", "", func(r *http.Request) { r.AddCookie(ann) })
	assert.Equal(t, "bob", both.json(t)["user"], "the header wins")
	wrong := s.do("nobody", http.MethodGet, "/api/login", "", func(r *http.Request) { r.AddCookie(ann) })
	assert.Equal(t, http.StatusUnauthorized, wrong.status, "also where it is wrong")
}

func TestALogoutEndsTheLogin(t *testing.T) {
	s := startServer(t, settings{}, nil)
	ann, other := s.logIn("ann"), s.logIn("ann")
	out := s.do("", http.MethodPost, "/api/logout", "", asBrowser(ann))
	require.Equal(t, http.StatusNoContent, out.status)
	assert.Contains(t, out.header.Get("Set-Cookie"), "Max-Age=0", "the browser drops it")
	assert.Equal(t, http.StatusUnauthorized, s.do("", http.MethodGet, "/api/login", "", asBrowser(ann)).status, "a copy of it is worth nothing")
	assert.Equal(t, http.StatusOK, s.do("", http.MethodGet, "/api/login", "", asBrowser(other)).status, "another browser stays in")
}

func TestAPageOfAnotherOriginCannotUseALogin(t *testing.T) {
	s := startServer(t, settings{}, nil)
	ann := s.logIn("ann")
	foreign := map[string]func(*http.Request){
		"a cross-site page":            func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"a page on another port":       func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"an old browser, by origin":    func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"a sandboxed frame's document": func(r *http.Request) { r.Header.Set("Origin", "null") },
	}
	for name, edit := range foreign {
		for _, at := range []string{"/api/chat/send", "/api/chat/thread/new", "/api/jobs", "/api/login", "/api/logout"} {
			r := s.do("", http.MethodPost, at, `{"content":"hi"}`, asBrowser(ann), edit)
			assert.Equal(t, http.StatusForbidden, r.status, "%s: %s: %s", name, at, r.body)
		}
		assert.Equal(t, http.StatusCreated, s.do("ann", http.MethodPost, "/api/chat/thread/new", "", edit).status,
			"a token that a page has is its own to use")
	}
	own := func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") }
	assert.Equal(t, http.StatusCreated, s.do("", http.MethodPost, "/api/chat/thread/new", "", asBrowser(ann), own).status)
	form := func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }
	assert.Equal(t, http.StatusUnsupportedMediaType,
		s.do("", http.MethodPost, "/api/chat/thread/new", "", asBrowser(ann), own, form).status)
	read := s.do("", http.MethodGet, "/api/chat/threads", "", asBrowser(ann), func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") })
	assert.Empty(t, read.header.Get("Access-Control-Allow-Credentials"), "so no other origin can read with it")
	assert.Equal(t, "same-origin", read.header.Get("Cross-Origin-Resource-Policy"))
}

func TestABadLoginSaysWhatToDoAndEchoesNothing(t *testing.T) {
	s := startServer(t, settings{}, nil)
	for body, status := range map[string]int{
		`{"token":"a-guess-that-is-wrong"}`: http.StatusUnauthorized, `{"token":""}`: http.StatusUnauthorized,
		`{}`: http.StatusUnauthorized, `{"token":7}`: http.StatusBadRequest, `token=x`: http.StatusBadRequest, "": http.StatusBadRequest,
	} {
		r := s.do("", http.MethodPost, "/api/login", body)
		assert.Equal(t, status, r.status, body)
		assert.NotContains(t, r.body, "a-guess")
		assert.Empty(t, r.header.Get("Set-Cookie"), body)
	}
	limited := false
	for range 40 {
		limited = limited || s.do("", http.MethodPost, "/api/login", `{"token":"guess"}`).status == http.StatusTooManyRequests
	}
	assert.True(t, limited, "guesses are limited")
	assert.NotContains(t, s.logs.String(), "a-guess")
}

func TestThePageIsOpenAndTheAPIBesideItIsNot(t *testing.T) {
	s := startServer(t, settings{}, nil)
	stranger := func(r *http.Request) { r.Header.Del("Authorization") }
	page := s.do("", http.MethodGet, "/", "", stranger)
	assert.Equal(t, http.StatusOK, page.status)
	assert.Contains(t, page.header.Get("Content-Security-Policy"), "script-src 'self'")
	assert.Equal(t, "no-cache", page.header.Get("Cache-Control"))
	assert.Equal(t, http.StatusOK, s.do("", http.MethodHead, "/ui/app.js", "", stranger).status)
	assert.Equal(t, http.StatusNotFound, s.do("", http.MethodGet, "/ui/none.js", "", stranger).status)
	assert.Equal(t, http.StatusUnauthorized, s.do("", http.MethodGet, "/api/login", "", stranger).status)
}

// A cookie is not tied to the process that made it.
func TestALoginOutlivesTheServer(t *testing.T) {
	one := startServer(t, settings{}, nil)
	ann := one.logIn("ann")
	two := startServer(t, settings{}, nil)
	at := httptest.NewRequest(http.MethodGet, "/api/login", strings.NewReader(""))
	at.Host = strings.TrimPrefix(one.http.URL, "http://") // as after a restart on the same port
	at.AddCookie(ann)
	w := httptest.NewRecorder()
	two.app.web.ServeHTTP(w, at)
	assert.Equal(t, http.StatusOK, w.Code, w.Body)
}
