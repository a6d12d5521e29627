package web

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/access"
	"candor/web/problem"
)

// mounted serves one route of another package to ann, whose other token is limited.
func mounted(t *testing.T, route Route) func(r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	tokens, err := access.ParseTokens(strings.NewReader(
		"ann:" + strings.Repeat("a", 20) + "\nann:" + strings.Repeat("b", 20) + " reasoning=summary\n"))
	require.NoError(t, err)
	srv := New(Options{Store: session.NewMemory(nil), Tokens: tokens, Log: slog.New(slog.DiscardHandler)})
	route.Method, route.Path = http.MethodPost, "/mounted"
	if route.Serve == nil {
		route.Serve = func(w http.ResponseWriter, r *http.Request, who access.Caller) error {
			body, err := problem.ReadBody(r)
			if err != nil {
				return err
			}
			return problem.WriteJSON(w, r, http.StatusOK, fmt.Sprint(who.User, who.Reasoning, len(body)))
		}
	}
	srv.Mount(route)
	return func(r *http.Request) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		return w
	}
}

func post(target, token string, body io.Reader) *http.Request {
	r := httptest.NewRequest(http.MethodPost, target, body)
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

func TestAMountedRouteAcceptsTheCredentialsThatItNames(t *testing.T) {
	full, limited := strings.Repeat("a", 20), strings.Repeat("b", 20)
	stream := func(r *http.Request) *http.Request { r.Header.Set("Accept", "text/event-stream"); return r }
	for _, tt := range []struct {
		name    string
		route   Route
		request *http.Request
		want    string
	}{
		{"a full token", Route{}, post("/mounted", full, strings.NewReader("1")), `200 "ann1"`},
		{"an unknown token", Route{}, post("/mounted", full+"x", strings.NewReader("1")), `401 unauthorized`},
		{"a limited token where all is shown", Route{}, post("/mounted", limited, strings.NewReader("1")),
			`403 limited_token`},
		{"a limited token where the level is applied", Route{Limited: true},
			post("/mounted", limited, strings.NewReader("1")), `200 "annsummary1"`},
		{"a token in the URL", Route{}, post("/mounted?token="+full, "", strings.NewReader("1")), `400 token_in_query`},
		{"a token in the URL of a stream", Route{Streams: true},
			stream(post("/mounted?token="+full, "", strings.NewReader("1"))), `200 "ann1"`},
		{"a token in the URL of a route that could stream", Route{Streams: true},
			post("/mounted?token="+full, "", strings.NewReader("1")), `400 token_in_query`},
		{"a header that wins over the URL", Route{Streams: true},
			stream(post("/mounted?token="+full, "wrong", strings.NewReader("1"))), `401 unauthorized`},
		{"no credentials", Route{}, post("/mounted", "", strings.NewReader("1")), `401 unauthorized`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := mounted(t, tt.route)(tt.request)
			status, text, _ := strings.Cut(tt.want, " ")
			assert.Equal(t, status, fmt.Sprint(w.Code))
			assert.Contains(t, w.Body.String(), text)
		})
	}
}

func TestABodyIsLimitedByTheRouteOrElseToOneMebibyte(t *testing.T) {
	token := strings.Repeat("a", 20)
	body := func(n int) string { return `"` + strings.Repeat("x", n-2) + `"` }
	for _, tt := range []struct {
		name   string
		route  Route
		bytes  int
		status int
		max    string
	}{
		{"as large as allowed", Route{}, maxBody, 200, ""},
		{"one byte too large", Route{}, maxBody + 1, 413, `"max_bytes":1048576`},
		{"a larger limit of the route", Route{MaxBody: 2 * maxBody}, maxBody + 1, 200, ""},
		{"a smaller limit of the route", Route{MaxBody: 10}, 11, 413, `"max_bytes":10`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			send := mounted(t, tt.route)
			known := post("/mounted", token, strings.NewReader(body(tt.bytes)))
			unknown := post("/mounted", token, io.MultiReader(strings.NewReader(body(tt.bytes))))
			unknown.ContentLength = -1
			for _, r := range []*http.Request{known, unknown} {
				w := send(r)
				assert.Equal(t, tt.status, w.Code, "length %d", r.ContentLength)
				assert.Contains(t, w.Body.String(), tt.max)
			}
		})
	}
}

func TestAnErrorOfAHandlerBecomesTheAnswer(t *testing.T) {
	for _, tt := range []struct {
		err    error
		status int
		code   string
	}{
		{session.ErrNoThread, 404, "no_thread"},
		{fmt.Errorf("deep down: %w", session.ErrBusy), 429, "thread_busy"},
		{session.ErrClosed, 503, "shutting_down"},
		{problem.New(418, "teapot", "Short and stout."), 418, "teapot"},
		{echo.ErrNotFound, 404, "no_route"},
		{echo.ErrMethodNotAllowed, 405, "method_not_allowed"},
		{echo.NewHTTPError(http.StatusTeapot), 418, "http_I'm a teapot"},
		{errors.New("disk /dev/sda1 is on fire"), 500, "internal"},
	} {
		t.Run(tt.code, func(t *testing.T) {
			w := mounted(t, Route{Serve: func(http.ResponseWriter, *http.Request,
				access.Caller) error {
				return tt.err
			}})(
				post("/mounted", strings.Repeat("a", 20), strings.NewReader("1")))
			assert.Equal(t, tt.status, w.Code)
			assert.Contains(t, w.Body.String(), `"error":"`+tt.code+`"`)
			assert.NotContains(t, w.Body.String(), "/dev/sda1", "internal errors stay in the log")
			assert.Equal(t, tt.status == 429, w.Header().Get("Retry-After") != "")
		})
	}
}

func TestStreamsAreCountedPerUser(t *testing.T) {
	c := connections{perUser: 2}
	leave, err := c.enter("ann")
	require.NoError(t, err)
	_, err = c.enter("ann")
	require.NoError(t, err)
	_, err = c.enter("ann")
	p, ok := errors.AsType[*problem.Problem](err)
	require.True(t, ok)
	assert.Equal(t, "too_many_streams", p.Code)
	_, err = c.enter("bob")
	require.NoError(t, err)
	own, all := c.count("ann")
	assert.Equal(t, []int{2, 3}, []int{own, all})
	leave()
	_, err = c.enter("ann")
	require.NoError(t, err, "a stream that ended makes room")
}
