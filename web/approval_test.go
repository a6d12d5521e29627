package web

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/access"
)

// answers is a loop that notes what it was told.
type answers struct {
	Chat
	told []string
}

// Answer implements Chat. It has no request but those that begin with "open".
func (a *answers) Answer(
	_ context.Context, user, request string, answer session.Answer, value json.RawMessage,
) (session.Ref, error) {
	a.told = append(a.told, fmt.Sprint(user, " ", request, " ", answer, " ", string(value)))
	if !strings.HasPrefix(request, "open") {
		return session.Ref{}, session.ErrNoApproval
	}
	return session.Ref{Thread: "t", Turn: 1}, nil
}

// asking returns a store in which ann is asked about a decision and about an ordinary call.
func asking(t *testing.T) session.Store {
	t.Helper()
	store := session.NewMemory(nil)
	own, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	thread, err := own.OpenThread()
	require.NoError(t, err)
	begun, err := own.Accept(thread.Thread, safety.Literal("go"), nil)
	require.NoError(t, err)
	for request, decides := range map[string]bool{"open decision": true, "open call": false} {
		for _, b := range []session.Body{
			session.ToolCalled{Step: 1, Call: request, Tool: safety.Literal("x"), Decides: decides},
			session.ApprovalAsked{Request: request, Call: request, LowConfidence: true},
		} {
			_, err := own.Append(begun.Ref, b)
			require.NoError(t, err)
		}
	}
	return store
}

func TestAValueGoesWithTheApprovalOfADecisionOnly(t *testing.T) {
	of := func(request, action, value string) string {
		return fmt.Sprintf(`{"request_id":%q,"action":%q,"value":%s}`, request, action, value)
	}
	long := `"` + strings.Repeat("a", maxValue-2) + `"`
	for name, c := range map[string]struct {
		body, told, code string
	}{
		"another decision": {of("open decision", "approve", `{"hold":1}`), `ann open decision approve {"hold":1}`, ""},
		"no value":         {`{"request_id":"open decision","action":"approve"}`, "ann open decision approve ", ""},
		"null is none":     {of("open call", "deny", "null"), "ann open call deny ", ""},
		"false is one":     {of("open decision", "approve", "false"), "ann open decision approve false", ""},
		"the longest":      {of("open decision", "approve", long), "ann open decision approve " + long, ""},
		"too long":         {of("open decision", "approve", `[1,`+long+`]`), "", "bad_value"},
		"why it is denied": {of("open call", "deny", `"no"`), `ann open call deny "no"`, ""},
		"denied by a list": {of("open call", "deny", `["no"]`), "", "bad_value"},
		"denied at length": {of("open call", "deny", `"x`+long[1:]), "", "bad_value"},
		"beside always":    {of("open decision", "always", `"x"`), "", "bad_value"},
		"an ordinary call": {of("open call", "approve", `"x"`), "", "bad_value"},
		"what is not open": {of("gone", "approve", `"x"`), `ann gone approve "x"`, "no_approval"},
		"no JSON":          {of("open decision", "approve", "x"), "", "invalid_json"},
	} {
		t.Run(name, func(t *testing.T) {
			loop := &answers{}
			var tokens access.Tokens
			tokens.Add("ann", strings.Repeat("a", access.MinToken))
			srv := New(Options{Chat: loop, Store: asking(t), Tokens: tokens, Log: slog.New(slog.DiscardHandler)})
			r := httptest.NewRequest(http.MethodPost, "http://localhost/api/chat/approval", strings.NewReader(c.body))
			r.Header.Set("Authorization", "Bearer "+strings.Repeat("a", access.MinToken))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			srv.ServeHTTP(w, r)
			var got struct{ Error string }
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
			assert.Equal(t, c.code, got.Error, w.Body)
			assert.Equal(t, c.told, strings.Join(loop.told, "\n"))
			if c.code == "" {
				assert.Equal(t, http.StatusAccepted, w.Code)
			}
		})
	}
}

// A change has a route of its own, and its errors say whether to write something else.
func TestAChangeOfArgumentsIsTakenOrRefused(t *testing.T) {
	none := &session.EditError{Reason: safety.Literal("none")}
	of := func(arguments string) string {
		return `{"request_id":"r","action":"approve","arguments":` + arguments + `}`
	}
	for name, c := range map[string]struct {
		body   string
		err    error
		status int
		want   string // the code, or what was passed on
	}{
		"taken": {`{"request_id":"r","action":"always","arguments":{"n": 12345678901234567890}}`, nil, 202,
			`ann r always {"n": 12345678901234567890}`},
		"denied":          {`{"request_id":"r","action":"deny","arguments":{}}`, nil, 400, "bad_action"},
		"without any":     {`{"request_id":"r","action":"approve"}`, none, 422, "bad_arguments"},
		"by the schema":   {of("[]"), none, 422, "bad_arguments"},
		"by the policy":   {of("{}"), &session.EditError{Denied: true}, 422, "denied_arguments"},
		"not of this one": {of("{}"), session.ErrNoEdit, 409, "no_edit"},
		"not open":        {of("{}"), session.ErrNoApproval, 404, "no_approval"},
	} {
		t.Run(name, func(t *testing.T) {
			var told string
			edit := func(
				_ context.Context, user, request string, answer session.Answer, args json.RawMessage,
			) (session.Ref, error) {
				told = fmt.Sprint(user, " ", request, " ", answer, " ", string(args))
				return session.Ref{Thread: "t", Turn: 1}, c.err
			}
			status, code, body := postEdit(t, edit, c.body)
			assert.Equal(t, c.status, status, body)
			if c.status == 202 {
				code = told
			}
			assert.Equal(t, c.want, code, body)
		})
	}
	status, code, _ := postEdit(t, nil, `{}`)
	assert.Equal(t, "404 no_route", fmt.Sprint(status, " ", code), "a server without it takes it for nothing else")
}

// postEdit posts a change to a server that edits so, and returns the answer.
func postEdit(
	t *testing.T, edit func(context.Context, string, string, session.Answer, json.RawMessage) (session.Ref, error),
	body string,
) (status int, code, answer string) {
	t.Helper()
	var tokens access.Tokens
	tokens.Add("ann", strings.Repeat("a", access.MinToken))
	srv := New(Options{Chat: &answers{}, Edit: edit, Store: session.NewMemory(nil), Tokens: tokens,
		Log: slog.New(slog.DiscardHandler)})
	r := httptest.NewRequest(http.MethodPost, "http://localhost/api/chat/approval/edit", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+strings.Repeat("a", access.MinToken))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	srv.ServeHTTP(w, r)
	var got struct{ Error string }
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
	return w.Code, got.Error, w.Body.String()
}
