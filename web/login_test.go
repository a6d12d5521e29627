package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// page is a browser's page that a user is logged in to.
type page struct {
	request func(*http.Request) // makes a request come from it
	cookie  *http.Cookie
	key     string
}

// logIn exchanges a user's token for a login.
func logIn(s *apptest.Server, user string) page {
	s.T.Helper()
	var p page
	p.request, p.cookie, p.key = s.LogIn(user)
	return p
}

func TestALoginIsAcceptedOnEveryRoute(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	ann := logIn(s, "ann")
	assert.True(t, ann.cookie.HttpOnly)
	assert.Equal(t, http.SameSiteStrictMode, ann.cookie.SameSite)
	who := s.Do("", http.MethodGet, "/api/login", "", ann.request)
	assert.Equal(t, "ann", who.JSON()["user"])
	assert.NotEmpty(t, who.JSON()["expires_at"])

	sent := s.Do("", http.MethodPost, "/api/chat/send", `{"content":"what time is it"}`, ann.request)
	require.Equal(t, http.StatusAccepted, sent.Status, sent.Body)
	thread := sent.JSON()["thread_id"].(string)
	for _, at := range []string{"/api/chat/threads", "/api/chat/history?thread_id=" + thread, "/api/gateway/status",
		"/api/jobs"} {
		assert.Equal(t, http.StatusOK, s.Do("", http.MethodGet, at, "", ann.request).Status, at)
	}
	bob := logIn(s, "bob")
	for _, at := range []string{"/api/chat/history?thread_id=" + thread, "/api/chat/events?thread_id=" + thread} {
		assert.Equal(t, http.StatusNotFound, s.Do("", http.MethodGet, at, "", bob.request).Status, "another user's")
	}
	both := s.Do("bob", http.MethodGet, "/api/login", "", func(r *http.Request) { r.AddCookie(ann.cookie) })
	assert.Equal(t, "bob", both.JSON()["user"], "the header wins")
	wrong := s.Do("nobody", http.MethodGet, "/api/login", "", func(r *http.Request) { r.AddCookie(ann.cookie) })
	assert.Equal(t, http.StatusUnauthorized, wrong.Status, "even if its token is wrong")
}

func TestALogoutEndsTheLogin(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	ann, other := logIn(s, "ann"), logIn(s, "ann")
	out := s.Do("", http.MethodPost, "/api/logout", "", ann.request)
	require.Equal(t, http.StatusNoContent, out.Status)
	assert.Contains(t, out.Header.Get("Set-Cookie"), "Max-Age=0", "the browser drops it")
	assert.Equal(t, http.StatusUnauthorized, s.Do("", http.MethodGet, "/api/login", "", ann.request).Status,
		"a copy of the cookie and its key is invalid")
	assert.Equal(t, http.StatusOK, s.Do("", http.MethodGet, "/api/login", "", other.request).Status,
		"another browser stays in")
}

func TestAPageOfAnotherOriginCannotUseALogin(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	ann := logIn(s, "ann")
	foreign := map[string]func(*http.Request){
		"a cross-site page":            func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"a page on another port":       func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"an old browser, by origin":    func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"a sandboxed frame's document": func(r *http.Request) { r.Header.Set("Origin", "null") },
	}
	for name, edit := range foreign {
		for _, at := range []string{"/api/chat/send", "/api/chat/thread/new", "/api/jobs", "/api/login",
			"/api/logout"} {
			r := s.Do("", http.MethodPost, at, `{"content":"hi"}`, ann.request, edit)
			assert.Equal(t, http.StatusForbidden, r.Status, "%s: %s: %s", name, at, r.Body)
		}
		assert.Equal(t, http.StatusCreated, s.Do("ann", http.MethodPost, "/api/chat/thread/new", "", edit).Status,
			"a token that a page has is its own to use")
	}
	own := func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") }
	assert.Equal(t, http.StatusCreated, s.Do("", http.MethodPost, "/api/chat/thread/new", "", ann.request,
		own).Status)
	form := func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }
	assert.Equal(t, http.StatusUnsupportedMediaType,
		s.Do("", http.MethodPost, "/api/chat/thread/new", "", ann.request, own, form).Status)
	read := s.Do("", http.MethodGet, "/api/chat/threads", "", ann.request,
		func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") })
	assert.Empty(t, read.Header.Get("Access-Control-Allow-Credentials"), "so no other origin can read with it")
	assert.Equal(t, "same-origin", read.Header.Get("Cross-Origin-Resource-Policy"))
}

func TestAFailedLoginDoesNotRepeatItsInput(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	for body, status := range map[string]int{
		`{"token":"a-guess-that-is-wrong"}`: http.StatusUnauthorized, `{"token":""}`: http.StatusUnauthorized,
		`{}`: http.StatusUnauthorized, `{"token":7}`: http.StatusBadRequest, `token=x`: http.StatusBadRequest,
		"": http.StatusBadRequest,
	} {
		r := s.Do("", http.MethodPost, "/api/login", body)
		assert.Equal(t, status, r.Status, body)
		assert.NotContains(t, r.Body, "a-guess")
		assert.Empty(t, r.Header.Get("Set-Cookie"), body)
	}
	limited := false
	for range 40 {
		limited = limited || s.Do("", http.MethodPost, "/api/login",
			`{"token":"guess"}`).Status == http.StatusTooManyRequests
	}
	assert.True(t, limited, "guesses are limited")
	assert.NotContains(t, s.Logs.String(), "a-guess")
}

// A page of another site cannot use up the logins of the people at its reader's address.
func TestAttemptsOfOtherOriginsDoNotCount(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	foreign := apptest.Header("Sec-Fetch-Site", "cross-site")
	for range 400 {
		require.Equal(t, http.StatusForbidden, s.Post("", "/api/login", `{"token":"guess"}`, foreign).Status)
	}
	logIn(s, "ann")
}

// Behind a proxy everybody comes from one address.
func TestNobodyIsKeptOutByAnothersWrongTokens(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	limited := false
	for range 40 {
		limited = limited || s.Post("", "/api/login", `{"token":"guess"}`).Status == http.StatusTooManyRequests
	}
	require.True(t, limited, "guesses are limited")
	logIn(s, "ann")
	for range 40 {
		status := s.Post("", "/api/login", `{"token":"`+apptest.TokenOf("ann")+`"}`).Status
		limited = status == http.StatusTooManyRequests
	}
	require.True(t, limited, "a user's own logins are limited")
	logIn(s, "bob")
}

func TestThePageNeedsNoTokenButTheAPIDoes(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	stranger := func(r *http.Request) { r.Header.Del("Authorization") }
	page := s.Do("", http.MethodGet, "/", "", stranger)
	assert.Equal(t, http.StatusOK, page.Status)
	assert.Contains(t, page.Header.Get("Content-Security-Policy"), "script-src 'self'")
	assert.Equal(t, "no-cache", page.Header.Get("Cache-Control"))
	assert.Equal(t, http.StatusOK, s.Do("", http.MethodHead, "/ui/app.js", "", stranger).Status)
	assert.Equal(t, http.StatusNotFound, s.Do("", http.MethodGet, "/ui/none.js", "", stranger).Status)
	assert.Equal(t, http.StatusUnauthorized, s.Do("", http.MethodGet, "/api/login", "", stranger).Status)
}

// A cookie is not tied to the process that made it.
func TestALoginSurvivesARestartOfTheServer(t *testing.T) {
	one := apptest.Start(t, app.Settings{}, nil)
	ann := logIn(one, "ann")
	two := apptest.Start(t, app.Settings{}, nil)
	at := httptest.NewRequest(http.MethodGet, "/api/login", strings.NewReader(""))
	at.Host = strings.TrimPrefix(one.HTTP.URL, "http://") // as after a restart on the same port
	ann.request(at)
	w := httptest.NewRecorder()
	two.App.ServeHTTP(w, at)
	assert.Equal(t, http.StatusOK, w.Code, w.Body)
}
