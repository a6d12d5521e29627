package apptest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/web/access"
)

// Server is an app behind a real socket on this machine, and a client of it.
type Server struct {
	T    testing.TB
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
	srv := &Server{T: t, Logs: &LogBuffer{}}
	a, err := app.New(s, tokens, nil, slog.New(slog.NewTextHandler(srv.Logs,
		&slog.HandlerOptions{Level: slog.LevelDebug})))
	require.NoError(t, err)
	srv.App, srv.HTTP = a, httptest.NewServer(a)
	t.Cleanup(func() {
		stopped, stop := context.WithCancel(context.Background())
		stop()
		a.Close(stopped)
		srv.HTTP.Close()
	})
	return srv
}

// Reply is an answer of the API, its body read and closed. Any status is a reply; the
// test asserts the one it expects.
type Reply struct {
	T      testing.TB
	Status int
	Header http.Header
	Body   string
}

// JSON returns the body, which has to be a JSON object.
func (r Reply) JSON() M {
	r.T.Helper()
	return Decode(r.T, []byte(r.Body))
}

// Do sends one request with the user's token and returns the answer; edit changes the
// request first. A POST is JSON.
func (s *Server) Do(user, method, path, body string, edit ...func(*http.Request)) Reply {
	s.T.Helper()
	resp, err := s.HTTP.Client().Do(s.Request(s.T.Context(), user, method, path, body, edit...))
	require.NoError(s.T, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(s.T, err)
	return Reply{s.T, resp.StatusCode, resp.Header, string(raw)}
}

// Get is Do with GET.
func (s *Server) Get(user, path string, edit ...func(*http.Request)) Reply {
	s.T.Helper()
	return s.Do(user, http.MethodGet, path, "", edit...)
}

// Post is Do with POST.
func (s *Server) Post(user, path, body string, edit ...func(*http.Request)) Reply {
	s.T.Helper()
	return s.Do(user, http.MethodPost, path, body, edit...)
}

// Request makes a request of the user's without sending it.
func (s *Server) Request(
	ctx context.Context, user, method, path, body string, edit ...func(*http.Request),
) *http.Request {
	s.T.Helper()
	req, err := http.NewRequestWithContext(ctx, method, s.HTTP.URL+path, strings.NewReader(body))
	require.NoError(s.T, err)
	req.Header.Set("Authorization", "Bearer "+TokenOf(user))
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, e := range edit {
		e(req)
	}
	return req
}

// Header sets a header of a request.
func Header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// WithToken replaces the token of a request.
func WithToken(token string) func(*http.Request) { return Header("Authorization", "Bearer "+token) }

// WithoutToken removes the token from a request.
func WithoutToken(r *http.Request) { r.Header.Del("Authorization") }

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
