package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func withoutAuth(r *http.Request) { r.Header.Del("Authorization") }

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// Each of these is answered with a clear 4xx in the one shape that errors have,
// and starts nothing.
func TestBadInput(t *testing.T) {
	s := startServer(t, settings{sends: 10_000}, nil)
	thread, _ := s.begin("ann")
	bobs, _ := s.begin("bob")
	const send, history, events = "/api/chat/send", "/api/chat/history", "/api/chat/events"
	hello := func(thread string) string { return fmt.Sprintf(`{"content":"hi","thread_id":%q}`, thread) }
	before := s.events("ann")

	for _, tt := range []struct {
		name, method, path, body string
		edit                     []func(*http.Request)
		status                   int
		code                     string
	}{
		{"no body", "POST", send, "", nil, 400, "empty_body"},
		{"not JSON", "POST", send, "content=hi", nil, 400, "invalid_json"},
		{"JSON that breaks off", "POST", send, `{"content":"hi"`, nil, 400, "invalid_json"},
		{"two JSON values", "POST", send, `{"content":"hi"}{"content":"ho"}`, nil, 400, "invalid_json"},
		{"an array", "POST", send, `[]`, nil, 400, "invalid_json"},
		{"content of the wrong type", "POST", send, `{"content":7}`, nil, 400, "invalid_json"},
		{"another content type", "POST", send, hello(thread), []func(*http.Request){header("Content-Type", "text/plain")}, 415, "not_json"},
		{"no content type", "POST", send, hello(thread), []func(*http.Request){func(r *http.Request) { r.Header.Del("Content-Type") }}, 415, "not_json"},
		{"2 MiB", "POST", send, `{"content":"` + strings.Repeat("a", 2<<20) + `"}`, nil, 413, "body_too_large"},
		{"2 MiB in chunks", "POST", send, `{"content":"` + strings.Repeat("a", 2<<20) + `"}`, []func(*http.Request){func(r *http.Request) { r.ContentLength = -1 }}, 413, "body_too_large"},
		{"empty content", "POST", send, `{"content":""}`, nil, 400, "empty_content"},
		{"blank content", "POST", send, `{"content":" \n\t"}`, nil, 400, "empty_content"},
		{"no content", "POST", send, `{}`, nil, 400, "empty_content"},
		{"null", "POST", send, `null`, nil, 400, "empty_content"},
		{"invalid UTF-8", "POST", send, "{\"content\":\"a\xff\"}", nil, 400, "invalid_utf8"},
		{"unknown thread", "POST", send, hello("7c9e6679-7425-40de-944b-e07fc1f90ae7"), nil, 404, "no_thread"},
		{"someone else's thread", "POST", send, hello(bobs), nil, 404, "no_thread"},
		{"a token in the query of a POST", "POST", send + "?token=" + tokenOf("ann"), hello(thread), nil, 400, "token_in_query"},
		{"only a token in the query of a POST", "POST", send + "?token=" + tokenOf("ann"), hello(thread), []func(*http.Request){withoutAuth}, 400, "token_in_query"},
		{"a token in the query of a GET that is no stream", "GET", history + "?token=" + tokenOf("ann"), "", []func(*http.Request){withoutAuth}, 400, "token_in_query"},
		{"no token", "POST", send, hello(thread), []func(*http.Request){withoutAuth}, 401, "unauthorized"},
		{"a wrong token", "POST", send, hello(thread), []func(*http.Request){header("Authorization", "Bearer nonsense")}, 401, "unauthorized"},
		{"another scheme", "POST", send, hello(thread), []func(*http.Request){header("Authorization", "Basic "+tokenOf("ann"))}, 401, "unauthorized"},
		{"a stream without a token", "GET", events, "", []func(*http.Request){withoutAuth}, 401, "unauthorized"},
		{"a stream with a wrong token", "GET", events + "?token=nonsense", "", []func(*http.Request){withoutAuth}, 401, "unauthorized"},
		{"bad limit", "GET", history + "?limit=many", "", nil, 400, "bad_limit"},
		{"a limit of nothing", "GET", history + "?limit=0", "", nil, 400, "bad_limit"},
		{"a limit over the most", "GET", history + "?limit=201", "", nil, 400, "bad_limit"},
		{"bad cursor", "GET", history + "?before=yesterday", "", nil, 400, "bad_cursor"},
		{"history of an unknown thread", "GET", history + "?thread_id=x", "", nil, 404, "no_thread"},
		{"history of someone else's thread", "GET", history + "?thread_id=" + bobs, "", nil, 404, "no_thread"},
		{"bad cursor of a stream", "GET", events + "?last_event_id=x", "", nil, 400, "bad_cursor"},
		{"a stream of someone else's thread", "GET", events + "?thread_id=" + bobs, "", nil, 404, "no_thread"},
		{"an interrupt of nothing", "POST", "/api/chat/interrupt", fmt.Sprintf(`{"thread_id":%q}`, thread), nil, 409, "not_running"},
		{"an interrupt in someone else's thread", "POST", "/api/chat/interrupt", fmt.Sprintf(`{"thread_id":%q}`, bobs), nil, 404, "no_thread"},
		{"an approval of nothing", "POST", "/api/chat/approval", `{"request_id":"x","action":"approve"}`, nil, 404, "no_approval"},
		{"an approval without an action", "POST", "/api/chat/approval", `{"request_id":"x"}`, nil, 400, "bad_action"},
		{"an answer that only the server gives", "POST", "/api/chat/approval", `{"request_id":"x","action":"expired"}`, nil, 400, "bad_action"},
		{"a path that is not there", "GET", "/api/nothing", "", nil, 404, "no_route"},
		{"a path that is nowhere", "GET", "/nothing", "", nil, 404, "no_route"},
		{"a method that is not taken", "PUT", send, "", nil, 405, "method_not_allowed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := s.do("ann", tt.method, tt.path, tt.body, tt.edit...)
			require.Equal(t, tt.status, r.status, r.body)
			got := r.json(t)
			assert.Equal(t, tt.code, got["error"])
			assert.NotEmpty(t, got["message"])
			assert.IsType(t, map[string]any{}, got["details"])
			assert.Len(t, got, 3)
		})
	}
	assert.Equal(t, before, s.events("ann"), "nothing was started, nothing was lost")
	assert.Equal(t, 1, s.events("bob"))
}

// events is how many events a user's log has.
func (s *server) events(user string) int {
	s.t.Helper()
	own, err := s.app.store.Open(s.t.Context(), user)
	require.NoError(s.t, err)
	return int(own.Head())
}

func TestAnotherUsersThreadAnswersLikeOneThatDoesNotExist(t *testing.T) {
	s := startServer(t, settings{}, nil)
	bobs, _ := s.begin("bob")
	s.begin("ann")
	const nobodys = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	for _, path := range []string{"/api/chat/history?thread_id=", "/api/chat/events?thread_id="} {
		a, b := s.do("ann", "GET", path+bobs, ""), s.do("ann", "GET", path+nobodys, "")
		assert.Equal(t, a.status, b.status)
		assert.Equal(t, a.body, b.body)
	}
}

func TestAUserWithoutAnyThreadIsToldSo(t *testing.T) {
	s := startServer(t, settings{}, nil)
	assert.Equal(t, 404, s.do("ann", "GET", "/api/chat/history", "").status)
	assert.JSONEq(t, `{"threads":[],"active_thread":null}`, s.do("ann", "GET", "/api/chat/threads", "").body)
}

func TestTooManyMessagesAMinuteAreRefused(t *testing.T) {
	s := startServer(t, settings{sends: 3}, map[string]any{"steps": []any{map[string]any{"text": "ok"}}})
	thread, _ := s.begin("ann")
	s.send("ann", thread, "one")
	s.send("ann", thread, "two")
	r := s.do("ann", "POST", "/api/chat/send", `{"content":"three"}`)
	assert.Equal(t, 429, r.status)
	assert.Equal(t, "rate_limited", r.json(t)["error"])
	assert.NotEmpty(t, r.header.Get("Retry-After"))
	s.send("bob", "", "another user has a limit of their own")
}

func TestTheEleventhWaitingMessageIsRefused(t *testing.T) {
	s := startServer(t, settings{sends: 100}, map[string]any{
		"steps": []any{map[string]any{"tool_calls": []any{map[string]any{"id": "a", "name": "slow", "arguments": map[string]any{}}}}, map[string]any{"text": "ok"}},
		"tools": map[string]any{"slow": map[string]any{"delay_ms": 600_000, "result": "x"}},
	})
	thread, _ := s.begin("ann")
	assert.Equal(t, "processing", s.send("ann", thread, "go")["state"])
	for range 10 {
		assert.Equal(t, "queued", s.send("ann", thread, "more")["state"])
	}
	r := s.do("ann", "POST", "/api/chat/send", `{"content":"too many"}`)
	assert.Equal(t, 429, r.status)
	assert.Equal(t, "thread_busy", r.json(t)["error"])
	assert.Equal(t, float64(10), r.json(t)["details"].(map[string]any)["max_waiting"])

	r = s.do("ann", "POST", "/api/chat/interrupt", "{}")
	assert.Equal(t, 202, r.status)
	eventually(t, "the turn and what waited are interrupted", func() bool {
		return strings.Count(s.do("ann", "GET", "/api/chat/history", "").body, `"interrupted"`) == 11
	})
}

// A question is put to its user alone, shown in history while it is open, and
// answered once.
func TestAnApprovalOverHTTP(t *testing.T) {
	s := startServer(t, settings{}, map[string]any{
		"steps": []any{map[string]any{"tool_calls": []any{map[string]any{"id": "a", "name": "format", "arguments": map[string]any{"disk": "b"}, "rationale": "b is full"}}}, map[string]any{"text": "ok"}},
		"tools": map[string]any{"format": map[string]any{"approval": "always", "result": "done"}},
	})
	thread, origin := s.begin("ann")
	c, err := s.subscribe(t.Context(), "ann", origin, "")
	require.NoError(t, err)
	defer c.body.Close()
	s.send("ann", thread, "go")
	c.until(t, "approval_needed")
	open := s.do("ann", "GET", "/api/chat/history", "").json(t)["pending_approvals"].([]any)
	require.Len(t, open, 1)
	q := open[0].(map[string]any)
	assert.Equal(t, "b is full", q["rationale"])
	assert.Equal(t, map[string]any{"disk": "b"}, q["parameters"])
	answer := func(user, action string) reply {
		return s.do(user, "POST", "/api/chat/approval", fmt.Sprintf(`{"request_id":%q,"action":%q}`, q["request_id"], action))
	}
	assert.Equal(t, 404, answer("bob", "approve").status, "not bob's to answer")
	assert.Equal(t, "not_always", answer("ann", "always").json(t)["error"])
	assert.Equal(t, 202, answer("ann", "deny").status)
	assert.Equal(t, 404, answer("ann", "approve").status, "the first answer stands")
	frames := c.until(t, "response")
	assert.Equal(t, "approval_answered", frames[0].event)
	history := s.do("ann", "GET", "/api/chat/history", "").body
	assert.Contains(t, history, `"outcome":"rejected"`)
	assert.Contains(t, history, `"approval":"deny"`)
	assert.NotContains(t, history, "pending_approvals")
	status := s.do("ann", "GET", "/api/gateway/status", "").json(t)
	metrics := s.do("ann", "GET", "/metrics", "").body
	assert.Contains(t, metrics, `candor_rationale_coverage{model="script",tool="format"} 1`)
	assert.Contains(t, metrics, `candor_tool_calls_total{model="script",source="model",tool="format"} 1`)
	assert.Equal(t, 401, s.do("ann", "GET", "/metrics", "", withoutAuth).status)
	assert.Equal(t, []any{map[string]any{"model": "script", "tool": "format", "calls": 1.0, "with_reason": 1.0}}, status["rationale_coverage"])
}

func TestStreamsOfAUserAreBounded(t *testing.T) {
	s := startServer(t, settings{streams: 2}, nil)
	for range 2 {
		c, err := s.subscribe(t.Context(), "ann", "", "")
		require.NoError(t, err)
		defer c.body.Close()
	}
	r := s.do("ann", "GET", "/api/chat/events", "")
	assert.Equal(t, 429, r.status)
	assert.Equal(t, "too_many_streams", r.json(t)["error"])
	c, err := s.subscribe(t.Context(), "bob", "", "")
	require.NoError(t, err, "another user has a limit of their own")
	c.body.Close()
}

func TestHeadersKeepAnswersToThemselves(t *testing.T) {
	s := startServer(t, settings{origins: []string{"https://ui.example.com"}}, nil)
	r := s.do("ann", "GET", "/api/chat/threads", "", header("Origin", "https://ui.example.com"))
	assert.Equal(t, "https://ui.example.com", r.header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, "nosniff", r.header.Get("X-Content-Type-Options"))
	assert.Equal(t, "DENY", r.header.Get("X-Frame-Options"))
	assert.Equal(t, "no-store", r.header.Get("Cache-Control"))
	assert.Contains(t, r.header.Get("Content-Security-Policy"), "default-src 'none'")
	for origin, allowed := range map[string]bool{
		"http://localhost:5173": true, "http://127.0.0.1:3000": true, "http://[::1]:3000": true,
		"https://evil.example.com": false, "http://localhost.evil.example.com": false, "null": false, "": false,
	} {
		r := s.do("ann", "GET", "/api/chat/threads", "", header("Origin", origin))
		assert.Equal(t, allowed, r.header.Get("Access-Control-Allow-Origin") != "", origin)
	}
	preflight := s.do("ann", "OPTIONS", "/api/chat/events", "", withoutAuth, header("Origin", "http://localhost:1"),
		header("Access-Control-Request-Method", "GET"), header("Access-Control-Request-Headers", "authorization,last-event-id"))
	assert.Equal(t, 204, preflight.status)
	assert.Contains(t, strings.ToLower(preflight.header.Get("Access-Control-Allow-Headers")), "last-event-id")
}

func TestHealthIsOpenAndStatusIsNot(t *testing.T) {
	s := startServer(t, settings{}, nil)
	assert.JSONEq(t, `{"status":"healthy","channel":"gateway"}`, s.do("ann", "GET", "/api/health", "", withoutAuth).body)
	assert.Equal(t, 401, s.do("ann", "GET", "/api/gateway/status", "", withoutAuth).status)
	got := s.do("ann", "GET", "/api/gateway/status", "").json(t)
	assert.Equal(t, "offline", got["llm_backend"])
	assert.Equal(t, "ann", got["user"])
}
