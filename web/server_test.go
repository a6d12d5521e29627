package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/access"
	"candor/web/problem"
	"candor/web/sse"
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
	r := httptest.NewRequest(http.MethodPost, "http://localhost"+target, body)
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
		{"a token in the URL where nothing is streamed", Route{},
			stream(post("/mounted?token="+full, "", strings.NewReader("1"))), `400 token_in_query`},
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

// deadlineWriter records the deadlines that are set on its connection.
type deadlineWriter struct {
	*httptest.ResponseRecorder
	read, write time.Time
}

func (w *deadlineWriter) SetReadDeadline(at time.Time) error  { w.read = at; return nil }
func (w *deadlineWriter) SetWriteDeadline(at time.Time) error { w.write = at; return nil }

func TestARequestAndItsAnswerHaveHalfAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := New(Options{Store: session.NewMemory(nil), Log: slog.New(slog.DiscardHandler)})
		w := &deadlineWriter{ResponseRecorder: httptest.NewRecorder()}
		srv.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/api/health", nil))
		assert.Equal(t, time.Now().Add(30*time.Second), w.read)
		assert.Equal(t, time.Now().Add(30*time.Second), w.write)
	})
}

// Turns are recorded while others read. Whatever precedes the place at which a reader
// would resume has to be in the page.
func TestAPageOfHistoryHasEverythingBeforeItsEventID(t *testing.T) {
	store := session.NewMemory(nil)
	tokens, err := access.ParseTokens(strings.NewReader("ann:" + strings.Repeat("a", 20)))
	require.NoError(t, err)
	srv := New(Options{Store: store, Tokens: tokens, Log: slog.New(slog.DiscardHandler)})
	own, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	opened, err := own.OpenThread()
	require.NoError(t, err)
	written := make(chan struct{})
	go func() {
		defer close(written)
		for range 20_000 { // turn n is the events 2n and 2n+1
			e, err := own.Accept(opened.Thread, safety.Literal("go on"), nil)
			if err == nil {
				_, _ = own.Append(e.Ref, session.TurnCompleted{Response: safety.Literal("done")})
			}
		}
	}()
	for more := true; more; {
		select {
		case <-written:
			more = false
		default:
		}
		r := httptest.NewRequest(http.MethodGet, "http://localhost/api/chat/history?limit=1", nil)
		r.Header.Set("Authorization", "Bearer "+strings.Repeat("a", 20))
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		var page struct {
			EventID string `json:"event_id"`
			Turns   []struct {
				TurnNumber int           `json:"turn_number"`
				State      session.State `json:"state"`
			} `json:"turns"`
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &page))
		at, ok := sse.ParseCursor(page.EventID)
		require.True(t, ok)
		last := uint64(1)
		if n := len(page.Turns); n > 0 {
			last = 2 * uint64(page.Turns[n-1].TurnNumber)
			if page.Turns[n-1].State == session.Completed {
				last++
			}
		}
		require.Equal(t, last, at.Seq)
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
		{fmt.Errorf("deep down: %w", session.ErrManySightings), 409, "too_many_sightings"},
		{fmt.Errorf("deep down: %w", session.ErrObserved), 409, "observed_thread"},
		{session.ErrClosed, 503, "shutting_down"},
		{session.ErrServerFull, 503, "server_full"},
		{session.ErrFull, 507, "session_full"},
		{session.ErrDropped, 410, "turn_dropped"},
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
			later := map[int]string{429: "2", 503: "10", 507: "10"}
			assert.Equal(t, later[tt.status], w.Header().Get("Retry-After"))
		})
	}
}
