package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// badRequest is a request of ann's, and the problem that answers it.
type badRequest struct {
	name, method, path, body string
	edit                     []func(*http.Request)
	status                   int
	code                     string
}

// The routes that bad requests are sent to.
const (
	sendPath    = "/api/chat/send"
	historyPath = "/api/chat/history"
	eventsPath  = "/api/chat/events"
)

// helloTo is the body of a valid message to a thread.
func helloTo(thread string) string { return fmt.Sprintf(`{"content":"hi","thread_id":%q}`, thread) }

// badMessages lists messages with an invalid body or thread. bobs is a thread of another user.
func badMessages(thread, bobs string) []badRequest {
	return []badRequest{
		{"no body", "POST", sendPath, "", nil, 400, "empty_body"},
		{"not JSON", "POST", sendPath, "content=hi", nil, 400, "invalid_json"},
		{"incomplete JSON", "POST", sendPath, `{"content":"hi"`, nil, 400, "invalid_json"},
		{"two JSON values", "POST", sendPath, `{"content":"hi"}{"content":"ho"}`, nil, 400, "invalid_json"},
		{"an array", "POST", sendPath, `[]`, nil, 400, "invalid_json"},
		{"content of the wrong type", "POST", sendPath, `{"content":7}`, nil, 400, "invalid_json"},
		{"a content type other than JSON", "POST", sendPath, helloTo(thread),
			[]func(*http.Request){apptest.Header("Content-Type", "text/plain")}, 415, "not_json"},
		{"no content type", "POST", sendPath, helloTo(thread),
			[]func(*http.Request){func(r *http.Request) { r.Header.Del("Content-Type") }}, 415, "not_json"},
		{"a body of 2 MiB", "POST", sendPath, `{"content":"` + strings.Repeat("a", 2<<20) + `"}`, nil, 413,
			"body_too_large"},
		{"a body of 2 MiB in chunks", "POST", sendPath, `{"content":"` + strings.Repeat("a", 2<<20) + `"}`,
			[]func(*http.Request){func(r *http.Request) { r.ContentLength = -1 }}, 413, "body_too_large"},
		{"empty content", "POST", sendPath, `{"content":""}`, nil, 400, "empty_content"},
		{"blank content", "POST", sendPath, `{"content":" \n\t"}`, nil, 400, "empty_content"},
		{"no content", "POST", sendPath, `{}`, nil, 400, "empty_content"},
		{"the JSON value null", "POST", sendPath, `null`, nil, 400, "empty_content"},
		{"invalid UTF-8", "POST", sendPath, "{\"content\":\"a\xff\"}", nil, 400, "invalid_utf8"},
		{"unknown thread", "POST", sendPath, helloTo("7c9e6679-7425-40de-944b-e07fc1f90ae7"), nil, 404, "no_thread"},
		{"someone else's thread", "POST", sendPath, helloTo(bobs), nil, 404, "no_thread"},
	}
}

// badCredentials lists requests whose token is missing, wrong or in the wrong place.
func badCredentials(thread string) []badRequest {
	return []badRequest{
		{"a token in the query of a POST", "POST", sendPath + "?token=" + apptest.TokenOf("ann"), helloTo(thread),
			nil, 400, "token_in_query"},
		{"only a token in the query of a POST", "POST", sendPath + "?token=" + apptest.TokenOf("ann"), helloTo(thread),
			[]func(*http.Request){apptest.WithoutToken}, 400, "token_in_query"},
		{"a token in the query of a GET other than a stream", "GET",
			historyPath + "?token=" + apptest.TokenOf("ann"), "",
			[]func(*http.Request){apptest.WithoutToken}, 400, "token_in_query"},
		{"no token", "POST", sendPath, helloTo(thread), []func(*http.Request){apptest.WithoutToken}, 401,
			"unauthorized"},
		{"a wrong token", "POST", sendPath, helloTo(thread), []func(*http.Request){apptest.Header("Authorization",
			"Bearer nonsense")}, 401, "unauthorized"},
		{"an authorization scheme other than Bearer", "POST", sendPath, helloTo(thread),
			[]func(*http.Request){apptest.Header("Authorization",
				"Basic "+apptest.TokenOf("ann"))}, 401, "unauthorized"},
		{"a stream without a token", "GET", eventsPath, "", []func(*http.Request){apptest.WithoutToken}, 401,
			"unauthorized"},
		{"a stream with a wrong token", "GET", eventsPath + "?token=nonsense", "",
			[]func(*http.Request){apptest.WithoutToken}, 401, "unauthorized"},
	}
}

// badParameters lists requests with an invalid query or path, and ones that the state of
// the thread does not allow.
func badParameters(thread, bobs string) []badRequest {
	return []badRequest{
		{"a limit that is not a number", "GET", historyPath + "?limit=many", "", nil, 400, "bad_limit"},
		{"a limit of zero", "GET", historyPath + "?limit=0", "", nil, 400, "bad_limit"},
		{"a limit above the maximum", "GET", historyPath + "?limit=201", "", nil, 400, "bad_limit"},
		{"a cursor that is not a time", "GET", historyPath + "?before=yesterday", "", nil, 400, "bad_cursor"},
		{"history of an unknown thread", "GET", historyPath + "?thread_id=x", "", nil, 404, "no_thread"},
		{"history of someone else's thread", "GET", historyPath + "?thread_id=" + bobs, "", nil, 404, "no_thread"},
		{"an invalid cursor of a stream", "GET", eventsPath + "?last_event_id=x", "", nil, 400, "bad_cursor"},
		{"another server's name of a cursor", "GET", eventsPath + "?since=x", "", nil, 400, "bad_cursor"},
		{"an event that would be too short", "GET", eventsPath + "?max_event_bytes=9", "", nil, 400, "bad_cursor"},
		{"a stream of someone else's thread", "GET", eventsPath + "?thread_id=" + bobs, "", nil, 404, "no_thread"},
		{"an interrupt while no turn runs", "POST", "/api/chat/interrupt", fmt.Sprintf(`{"thread_id":%q}`, thread),
			nil, 409, "not_running"},
		{"an interrupt in someone else's thread", "POST", "/api/chat/interrupt", fmt.Sprintf(`{"thread_id":%q}`, bobs),
			nil, 404, "no_thread"},
		{"an approval that is not open", "POST", "/api/chat/approval", `{"request_id":"x","action":"approve"}`, nil,
			404, "no_approval"},
		{"an approval without an action", "POST", "/api/chat/approval", `{"request_id":"x"}`, nil, 400, "bad_action"},
		{"an answer reserved for the server", "POST", "/api/chat/approval", `{"request_id":"x","action":"expired"}`,
			nil, 400, "bad_action"},
		{"an unknown path below /api", "GET", "/api/nothing", "", nil, 404, "no_route"},
		{"an unknown path", "GET", "/nothing", "", nil, 404, "no_route"},
		{"an unsupported method", "PUT", sendPath, "", nil, 405, "method_not_allowed"},
	}
}

// Every bad request gets a 4xx in the shape that all errors have, and starts nothing.
func TestBadRequestsAreRefusedAndStartNothing(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 10_000}, nil)
	thread, _ := s.Begin("ann")
	bobs, _ := s.Begin("bob")
	before := eventCount(s, "ann")
	for _, tt := range slices.Concat(badMessages(thread, bobs), badCredentials(thread), badParameters(thread, bobs)) {
		t.Run(tt.name, func(t *testing.T) {
			r := s.Do("ann", tt.method, tt.path, tt.body, tt.edit...)
			require.Equal(t, tt.status, r.Status, r.Body)
			got := r.JSON()
			assert.Equal(t, tt.code, got["error"])
			assert.NotEmpty(t, got["message"])
			assert.IsType(t, map[string]any{}, got["details"])
			assert.Len(t, got, 3)
		})
	}
	assert.Equal(t, before, eventCount(s, "ann"), "no event was added or lost")
	assert.Equal(t, 1, eventCount(s, "bob"))
}

// eventCount returns the number of events in a user's log.
func eventCount(s *apptest.Server, user string) int {
	s.T.Helper()
	own := s.Session(user)
	return int(own.Head())
}

func TestAnotherUsersThreadAnswersLikeOneThatDoesNotExist(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	bobs, _ := s.Begin("bob")
	s.Begin("ann")
	const nobodys = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	for _, path := range []string{"/api/chat/history?thread_id=", "/api/chat/events?thread_id="} {
		a, b := s.Do("ann", "GET", path+bobs, ""), s.Do("ann", "GET", path+nobodys, "")
		assert.Equal(t, a.Status, b.Status)
		assert.Equal(t, a.Body, b.Body)
	}
}

func TestAUserWithoutThreadsGetsAnEmptyList(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	assert.Equal(t, 404, s.Do("ann", "GET", "/api/chat/history", "").Status)
	assert.JSONEq(t, `{"threads":[],"active_thread":null}`, s.Do("ann", "GET", "/api/chat/threads", "").Body)
}

func TestTooManyMessagesAMinuteAreRefused(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 3}, map[string]any{"steps": []any{map[string]any{"text": "ok"}}})
	thread, _ := s.Begin("ann")
	s.Send("ann", thread, "one")
	s.Send("ann", thread, "two")
	r := s.Do("ann", "POST", "/api/chat/send", `{"content":"three"}`)
	assert.Equal(t, 429, r.Status)
	assert.Equal(t, "rate_limited", r.JSON()["error"])
	assert.NotEmpty(t, r.Header.Get("Retry-After"))
	s.Send("bob", "", "another user has a limit of their own")
}

func TestTheEleventhWaitingMessageIsRefused(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 100}, map[string]any{
		"steps": []any{map[string]any{"tool_calls": []any{map[string]any{"id": "a", "name": "slow",
			"arguments": map[string]any{}}}}, map[string]any{"text": "ok"}},
		"tools": map[string]any{"slow": map[string]any{"delay_ms": 600_000, "result": "x"}},
	})
	thread, _ := s.Begin("ann")
	assert.Equal(t, "processing", s.Send("ann", thread, "go")["state"])
	for range 10 {
		assert.Equal(t, "queued", s.Send("ann", thread, "more")["state"])
	}
	r := s.Do("ann", "POST", "/api/chat/send", `{"content":"too many"}`)
	assert.Equal(t, 429, r.Status)
	assert.Equal(t, "thread_busy", r.JSON()["error"])
	assert.Equal(t, float64(10), r.JSON()["details"].(map[string]any)["max_waiting"])

	r = s.Do("ann", "POST", "/api/chat/interrupt", "{}")
	assert.Equal(t, 202, r.Status)
	apptest.Eventually(t, "the turn and what waited are interrupted", func() bool {
		return strings.Count(s.Do("ann", "GET", "/api/chat/history", "").Body, `"interrupted"`) == 11
	})
}

// An approval request can be answered by its user only, and only once. History lists it
// while it is open.
func TestAnApprovalIsAnsweredOnceAndByItsUserOnly(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, map[string]any{
		"steps": []any{map[string]any{"tool_calls": []any{map[string]any{"id": "a", "name": "format",
			"arguments": map[string]any{"disk": "b"}, "rationale": "b is full"}}}, map[string]any{"text": "ok"}},
		"tools": map[string]any{"format": map[string]any{"approval": "always", "result": "done"}},
	})
	thread, origin := s.Begin("ann")
	c, err := s.Subscribe(t.Context(), "ann", origin, "")
	require.NoError(t, err)
	defer c.Body.Close()
	s.Send("ann", thread, "go")
	c.Until(t, "approval_needed")
	open := s.Do("ann", "GET", "/api/chat/history", "").JSON()["pending_approvals"].([]any)
	require.Len(t, open, 1)
	q := open[0].(map[string]any)
	assert.Equal(t, "b is full", q["rationale"])
	assert.Equal(t, map[string]any{"disk": "b"}, q["parameters"])
	answer := func(user, action string) apptest.Reply {
		return s.Do(user, "POST", "/api/chat/approval", fmt.Sprintf(`{"request_id":%q,"action":%q}`, q["request_id"],
			action))
	}
	assert.Equal(t, 404, answer("bob", "approve").Status, "not bob's to answer")
	assert.Equal(t, "not_always", answer("ann", "always").JSON()["error"])
	assert.Equal(t, 202, answer("ann", "deny").Status)
	assert.Equal(t, 404, answer("ann", "approve").Status, "the first answer stands")
	frames := c.Until(t, "response")
	assert.Equal(t, "approval_answered", frames[0].Event)
	history := s.Do("ann", "GET", "/api/chat/history", "").Body
	assert.Contains(t, history, `"outcome":"rejected"`)
	assert.Contains(t, history, `"approval":"deny"`)
	assert.NotContains(t, history, "pending_approvals")
	status := s.Do("ann", "GET", "/api/gateway/status", "").JSON()
	metrics := s.Do("ann", "GET", "/metrics", "").Body
	assert.Contains(t, metrics, `candor_rationale_coverage{model="script",tool="format"} 1`)
	assert.Contains(t, metrics, `candor_tool_calls_total{model="script",source="model",tool="format"} 1`)
	assert.Equal(t, 401, s.Do("ann", "GET", "/metrics", "", apptest.WithoutToken).Status)
	assert.Equal(t, []any{map[string]any{"model": "script", "tool": "format", "calls": 1.0, "with_reason": 1.0}},
		status["rationale_coverage"])
}

// What other users let the agent do is not theirs to read.
func TestTheStatusCountsTheCallersOwnCalls(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, map[string]any{
		"steps": []any{map[string]any{"tool_calls": []any{map[string]any{"id": "a", "name": "format",
			"arguments": map[string]any{}, "rationale": "b is full"}}}, map[string]any{"text": "ok"}},
		"tools": map[string]any{"format": map[string]any{"result": "done"}},
	})
	thread, origin := s.Begin("ann")
	c, err := s.Subscribe(t.Context(), "ann", origin, "")
	require.NoError(t, err)
	defer c.Body.Close()
	s.Send("ann", thread, "go")
	c.Until(t, "response")
	assert.Equal(t, []any{map[string]any{"model": "script", "tool": "format", "calls": 1.0, "with_reason": 1.0}},
		s.Get("ann", "/api/gateway/status").JSON()["rationale_coverage"])
	assert.NotContains(t, s.Get("bob", "/api/gateway/status").Body, "rationale_coverage")
}

func TestStreamsOfAUserAreBounded(t *testing.T) {
	s := apptest.Start(t, app.Settings{StreamsPerUser: 2}, nil)
	for range 2 {
		c, err := s.Subscribe(t.Context(), "ann", "", "")
		require.NoError(t, err)
		defer c.Body.Close()
	}
	r := s.Do("ann", "GET", "/api/chat/events", "")
	assert.Equal(t, 429, r.Status)
	assert.Equal(t, "too_many_streams", r.JSON()["error"])
	c, err := s.Subscribe(t.Context(), "bob", "", "")
	require.NoError(t, err, "another user has a limit of their own")
	c.Body.Close()
}

func TestSecurityHeadersAndCORSProtectAnswers(t *testing.T) {
	s := apptest.Start(t, app.Settings{Origins: []string{"https://ui.example.com"}}, nil)
	r := s.Do("ann", "GET", "/api/chat/threads", "", apptest.Header("Origin", "https://ui.example.com"))
	assert.Equal(t, "https://ui.example.com", r.Header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, "nosniff", r.Header.Get("X-Content-Type-Options"))
	assert.Equal(t, "DENY", r.Header.Get("X-Frame-Options"))
	assert.Equal(t, "no-store", r.Header.Get("Cache-Control"))
	assert.Contains(t, r.Header.Get("Content-Security-Policy"), "default-src 'none'")
	for origin, allowed := range map[string]bool{
		"http://localhost:5173": true, "http://127.0.0.1:3000": true, "http://[::1]:3000": true,
		"https://evil.example.com": false, "http://localhost.evil.example.com": false, "null": false, "": false,
	} {
		r := s.Do("ann", "GET", "/api/chat/threads", "", apptest.Header("Origin", origin))
		assert.Equal(t, allowed, r.Header.Get("Access-Control-Allow-Origin") != "", origin)
	}
	preflight := s.Do("ann", "OPTIONS", "/api/chat/events", "", apptest.WithoutToken,
		apptest.Header("Origin", "http://localhost:1"),
		apptest.Header("Access-Control-Request-Method", "GET"), apptest.Header("Access-Control-Request-Headers",
			"authorization,last-event-id"))
	assert.Equal(t, 204, preflight.Status)
	assert.Contains(t, strings.ToLower(preflight.Header.Get("Access-Control-Allow-Headers")), "last-event-id")
}

func TestHealthNeedsNoTokenButStatusDoes(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	assert.JSONEq(t, `{"status":"healthy","channel":"gateway"}`, s.Do("ann", "GET", "/api/health", "",
		apptest.WithoutToken).Body)
	assert.Equal(t, 401, s.Do("ann", "GET", "/api/gateway/status", "", apptest.WithoutToken).Status)
	got := s.Do("ann", "GET", "/api/gateway/status", "").JSON()
	assert.Equal(t, "offline", got["llm_backend"])
	assert.Equal(t, "ann", got["user"])
}
