package apptest

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/web/access"
	"candor/web/openapi/openapitest"
)

// Server is an app behind a real socket on this machine, and a client of it.
type Server struct {
	Client
	App  *app.App
	HTTP *httptest.Server
	Logs *LogBuffer // everything the app logged, from debug on
}

// LogBuffer collects the log lines written to it. It is safe for concurrent use.
type LogBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (l *LogBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// String returns what was written so far.
func (l *LogBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// TokenOf returns the API token of a user of Start's servers.
func TokenOf(user string) string { return "token-of-" + user + "-for-tests" }

// Start serves a script, or the offline model if script is nil, to the users ann and
// bob until the test ends. The settings' provider and workspace are overwritten. When the
// test ends, turns that still run are interrupted, the app is closed, and then the
// listener; what a test starts on top of it has to end before.
func Start(t testing.TB, s app.Settings, script any) *Server {
	t.Helper()
	s.Model.Provider = "offline"
	if script != nil {
		s.Model.Provider, s.Model.Script = "script", ScriptFile(t, script)
	}
	return StartModel(t, s)
}

// StartModel is Start with the model of the settings.
func StartModel(t testing.TB, s app.Settings) *Server {
	t.Helper()
	var tokens access.Tokens
	tokens.Add("ann", TokenOf("ann"))
	tokens.Add("bob", TokenOf("bob"))
	return StartFor(t, s, tokens)
}

// StartFor is StartModel for the users that tokens let in.
func StartFor(t testing.TB, s app.Settings, tokens access.Tokens) *Server {
	t.Helper()
	s.Tools.Workspace = Root(t)
	srv := &Server{Logs: &LogBuffer{}}
	a, err := app.New(s, tokens, nil, slog.New(slog.NewTextHandler(srv.Logs,
		&slog.HandlerOptions{Level: slog.LevelDebug})))
	require.NoError(t, err)
	srv.App, srv.HTTP = a, httptest.NewServer(watched(t, a))
	srv.Client = Client{T: t, URL: srv.HTTP.URL, Caller: srv.HTTP.Client()}
	t.Cleanup(func() {
		stopped, stop := context.WithCancel(context.Background())
		stop()
		a.Close(stopped)
		srv.HTTP.Close()
	})
	return srv
}

// watched returns the app for a test, which fails for each answer that differs from the app's OpenAPI
// document. A benchmark gets the app as it is.
func watched(t testing.TB, a *app.App) http.Handler {
	if _, ok := t.(*testing.B); ok {
		return a
	}
	return openapitest.Watch(t, a)
}

// LogIn logs a browser in with the user's token and returns what makes a request come from
// its page: the cookie and the page's key, and no token. Without the key the cookie is what
// every other port of the host gets.
func (s *Server) LogIn(user string) (asPage func(*http.Request), cookie *http.Cookie, key string) {
	s.T.Helper()
	r := s.Post("", "/api/login", `{"token":"`+TokenOf(user)+`"}`, WithoutToken)
	require.Equal(s.T, http.StatusOK, r.Status, r.Body)
	cookies := (&http.Response{Header: r.Header}).Cookies()
	require.Len(s.T, cookies, 1)
	cookie, key = cookies[0], r.JSON()["page_key"].(string)
	return func(r *http.Request) {
		r.Header.Del("Authorization")
		r.AddCookie(cookie)
		r.Header.Set(access.PageKeyHeader, key)
	}, cookie, key
}
