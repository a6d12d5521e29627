package web_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/agui"
	"candor/web/jobs"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everyRoute lists the routes of a whole server, protocols included.
func everyRoute() [][2]string {
	s := web.New(web.Options{Store: session.NewMemory(nil), Metrics: http.NotFoundHandler(),
		Page: http.NotFoundHandler(), Discard: func(context.Context, string) {}})
	s.Mount(jobs.New(jobs.Options{}).Routes()...)
	s.Mount(agui.New(agui.Options{}).Routes()...)
	return web.RoutesOf(s)
}

// open are the routes that need no login.
var open = []string{"GET /", "HEAD /", "GET /ui/*", "HEAD /ui/*", "GET /api/health", "GET /api/health/live",
	"GET /api/health/ready", "GET /api", "GET /api/openapi.json", "POST /api/login", "POST /api/logout"}

// Every program that listens on a port of the host is sent the cookie. It gets nothing for it.
func TestACookieWithoutItsPageKeyIsRefusedOnEveryRoute(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	ann, other, bob := logIn(s, "ann"), logIn(s, "ann"), logIn(s, "bob")
	keys := map[string]string{"none": "", "that of another login": other.key, "that of another user": bob.key,
		"the cookie": ann.cookie.Value, "its signature": ann.cookie.Value[strings.LastIndex(ann.cookie.Value, ".")+1:],
		"a part": ann.key[:len(ann.key)-1]}
	routes := everyRoute()
	require.Greater(t, len(routes), 35)
	for _, route := range routes {
		method, path := route[0], strings.NewReplacer(":id", "0", "*", "app.js").Replace(route[1])
		public := false
		for _, o := range open {
			public = public || o == method+" "+route[1]
		}
		if public {
			continue
		}
		for name, key := range keys {
			req := s.Request(t.Context(), "", method, path, "{}", apptest.WithoutToken, func(r *http.Request) {
				r.AddCookie(ann.cookie)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set(access.PageKeyHeader, key)
			})
			resp, err := s.HTTP.Client().Do(req)
			require.NoError(t, err)
			resp.Body.Close() // unread: a stream that is admitted has no end
			assert.Equal(t, http.StatusUnauthorized, resp.StatusCode, "%s %s with the key %s", method, path, name)
		}
	}
	out := s.Post("", "/api/logout", "", apptest.WithoutToken, func(r *http.Request) { r.AddCookie(ann.cookie) })
	assert.Equal(t, http.StatusNoContent, out.Status)
	assert.Equal(t, http.StatusOK, s.Get("", "/api/login", ann.request).Status, "nor can it end the login")
}

// The key is no cookie: alone it is worth nothing, too.
func TestAPageKeyWithoutItsCookieIsRefused(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	ann := logIn(s, "ann")
	status := func(cookie string) int {
		return s.Get("", "/api/login", apptest.WithoutToken, apptest.Header(access.PageKeyHeader, ann.key),
			apptest.Header("Cookie", cookie)).Status
	}
	for _, cookie := range []string{"", "candor=" + ann.key, ann.cookie.Name + "=" + ann.key} {
		assert.Equal(t, http.StatusUnauthorized, status(cookie), cookie)
	}
	assert.Equal(t, http.StatusOK, status(ann.cookie.Name+"="+ann.cookie.Value), "the key itself is good")
}

// A page on another port of this machine may call the API with a token of its own, but not
// send a page key: its browser asks first.
func TestNoOtherOriginMaySendAPageKey(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	asked := s.Do("", http.MethodOptions, "/api/chat/threads", "", apptest.WithoutToken,
		apptest.Header("Origin", "http://127.0.0.1:1"), apptest.Header("Access-Control-Request-Method", "GET"),
		apptest.Header("Access-Control-Request-Headers", "authorization,candor-page-key"))
	allowed := strings.ToLower(asked.Header.Get("Access-Control-Allow-Headers"))
	assert.Contains(t, allowed, "authorization")
	assert.NotContains(t, allowed, "candor-page-key")
	assert.NotContains(t, allowed, "*")
}

// newCode asks for a login code with a user's token.
func newCode(s *apptest.Server, user string) string {
	s.T.Helper()
	r := s.Post(user, "/api/login/code", "{}")
	require.Equal(s.T, http.StatusCreated, r.Status, r.Body)
	return r.JSON()["code"].(string)
}

func TestACodeLogsInOnce(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	code := newCode(s, "bob")
	assert.GreaterOrEqual(t, len(code), 26, "128 bits")
	in := s.Post("", "/api/login", `{"code":"`+code+`"}`, apptest.WithoutToken)
	require.Equal(t, http.StatusOK, in.Status, in.Body)
	assert.Equal(t, "bob", in.JSON()["user"])
	asBob := func(r *http.Request) {
		r.Header.Del("Authorization")
		r.Header.Set("Cookie", strings.Split(in.Header.Get("Set-Cookie"), ";")[0])
		r.Header.Set(access.PageKeyHeader, in.JSON()["page_key"].(string))
	}
	assert.Equal(t, "bob", s.Get("", "/api/login", asBob).JSON()["user"])
	require.Equal(t, http.StatusNoContent, s.Post("", "/api/logout", "", asBob).Status)
	assert.Equal(t, http.StatusUnauthorized, s.Get("", "/api/login", asBob).Status, "a logout ends it")

	again := s.Post("", "/api/login", `{"code":"`+code+`"}`, apptest.WithoutToken)
	unknown := s.Post("", "/api/login", `{"code":"ABCDEFGHIJKLMNOPQRSTUVWXYZ"}`, apptest.WithoutToken)
	assert.Equal(t, http.StatusUnauthorized, again.Status)
	assert.Equal(t, unknown.Body, again.Body, "a used code is answered as one that never was")
	assert.Contains(t, again.Body, "candor login")
	assert.Empty(t, again.Header.Get("Set-Cookie"))
	assert.NotContains(t, s.Logs.String(), code)
}

func TestACodeExpiresAfterTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := apptest.NewPlay(t, apptest.JSON(t, apptest.Answering("Done.")))
		defer p.Close()
		good := p.Post("/api/login/code", "{}")["code"].(string)
		old := p.Post("/api/login/code", "{}")["code"].(string)
		time.Sleep(10*time.Minute - time.Second) // of the bubble's time
		p.Post("/api/login", `{"code":"`+good+`"}`)
		time.Sleep(time.Second)
		status, body := p.TryPost("/api/login", `{"code":"`+old+`"}`)
		assert.Equal(t, http.StatusUnauthorized, status)
		_, unknown := p.TryPost("/api/login", `{"code":"ABCDEFGHIJKLMNOPQRSTUVWXYZ"}`)
		assert.Equal(t, unknown, body)
	})
}

// A code begins a whole login, so only a whole token gets one.
func TestOnlyAUsersOwnTokenGetsACode(t *testing.T) {
	tokens, err := access.ParseTokens(strings.NewReader(fmt.Sprintf("ann:%s\nann:%s reasoning=summary\n",
		apptest.TokenOf("ann"), apptest.TokenOf("limited"))))
	require.NoError(t, err)
	s := apptest.StartFor(t, app.Settings{Model: app.ModelSettings{Provider: "offline"}}, tokens)
	throwaway := s.Post("ann", "/api/session/throwaway", "{}").JSON()["token"].(string)
	ann := logIn(s, "ann")
	for name, tt := range map[string]struct {
		edit   func(*http.Request)
		status int
	}{
		"no token":               {apptest.WithoutToken, http.StatusUnauthorized},
		"a wrong token":          {apptest.WithToken("guess"), http.StatusUnauthorized},
		"a limited token":        {apptest.WithToken(apptest.TokenOf("limited")), http.StatusForbidden},
		"a throwaway's token":    {apptest.WithToken(throwaway), http.StatusUnauthorized},
		"a login without token":  {ann.request, http.StatusUnauthorized},
		"the user's whole token": {apptest.WithToken(apptest.TokenOf("ann")), http.StatusCreated},
	} {
		r := s.Post("", "/api/login/code", "{}", tt.edit)
		assert.Equal(t, tt.status, r.Status, "%s: %s", name, r.Body)
	}
}
