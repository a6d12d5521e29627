package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/problem"
	"candor/web/ui"
)

// unsure is a server whose log a test fills: an agent that is not sure, and a person who decides.
// As the server's loop it records what the person answers.
type unsure struct {
	web.Chat
	*server
	own    *session.Session
	thread string
}

func startUnsure(t *testing.T) *unsure {
	t.Helper()
	var tokens access.Tokens
	tokens.Add("ann", tokenOf("ann"))
	store := session.NewMemory(nil)
	u := &unsure{server: &server{t: t}}
	api := web.New(web.Options{
		Chat: u, Store: store, Tokens: tokens, Log: slog.New(slog.DiscardHandler), Page: ui.Handler(),
	})
	for _, list := range []string{"jobs", "mew/spaces"} { // of which there are none
		api.Mount(web.Route{
			Method: http.MethodGet, Path: "/api/" + list,
			Serve: func(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
				none := map[string]any{filepath.Base(list): []string{}}
				return problem.WriteJSON(w, r, http.StatusOK, none)
			},
		})
	}
	srv := httptest.NewServer(api)
	t.Cleanup(func() {
		require.NoError(t, store.Close()) // ends the streams
		srv.Close()
	})
	u.server.url = srv.URL
	var err error
	u.own, err = store.Open(t.Context(), "ann")
	require.NoError(t, err)
	opened, err := u.own.OpenThread()
	require.NoError(t, err)
	u.thread = opened.Thread
	return u
}

// begin begins a turn of a message.
func (u *unsure) begin(message string, w session.Workflow) session.Ref {
	u.t.Helper()
	e, err := u.own.AcceptRun(u.thread, clean(message), nil, w)
	require.NoError(u.t, err)
	return e.Ref
}

// record adds facts to the log.
func (u *unsure) record(ref session.Ref, bodies ...session.Body) {
	u.t.Helper()
	for _, b := range bodies {
		_, err := u.own.Append(ref, b)
		require.NoError(u.t, err)
	}
}

// Answer implements web.Chat.
func (u *unsure) Answer(
	_ context.Context, _, request string, answer session.Answer, value json.RawMessage,
) (session.Ref, error) {
	call, number := strings.TrimPrefix(request, "ask-"), 0
	_, _ = fmt.Sscanf(call, "call_%d", &number)
	ref := session.Ref{Thread: u.thread, Turn: number}
	said, _ := safety.NewLayer().CleanJSON(value)
	done := session.ToolReturned{Call: call, Outcome: session.Success, Result: cleanJSON("so be it")}
	if answer == session.Deny {
		done = session.ToolReturned{Call: call, Outcome: session.Rejected, Error: clean("A person denied the call.")}
	}
	u.record(ref,
		session.ApprovalAnswered{Request: request, Call: call, Answer: answer, Value: said}, done,
		session.StepEnded{Step: 1}, session.TurnCompleted{Response: clean("That is settled.")})
	return ref, nil
}

// asks begins the turn of this number, in which the agent asks about a decision of which it is 40 % sure.
func (u *unsure) asks(turn int, decision, why string) session.Ref {
	u.t.Helper()
	ref := u.begin(fmt.Sprintf("What shall become of release %d?", turn), session.Workflow{})
	require.Equal(u.t, turn, ref.Turn)
	params, call := cleanJSON(map[string]any{"decision": decision}), fmt.Sprintf("call_%d", turn)
	u.record(ref,
		session.ToolCalled{
			Step: 1, Call: call, Tool: clean("decide"), Params: params, Decides: true,
			Rationale:  session.Rationale{Text: clean(why), Source: session.FromModel},
			Confidence: &session.Confidence{Stated: 0.4, Threshold: 0.7},
		},
		session.ApprovalAsked{
			Request: "ask-" + call, Call: call, Description: clean("Records a decision."), Shown: params,
			LowConfidence: true,
		})
	return ref
}

func clean(text string) safety.Text {
	out, _ := safety.NewLayer().Clean(text)
	return out
}

func cleanJSON(v any) safety.JSON {
	raw, err := json.Marshal(v)
	if err != nil {
		return safety.JSON{}
	}
	out, _ := safety.NewLayer().CleanJSON(raw)
	return out
}
