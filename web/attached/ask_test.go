package attached_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
)

// hookOf writes a payload of Claude Code about a call of the prompt "p1".
func hookOf(event, call, command string) string {
	return fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s1","prompt_id":"p1","tool_name":"Bash","tool_use_id":%q,
		"tool_input":{"command":%q,"description":"Try it"},"prompt":"go on"}`, event, call, command)
}

// waitingHook is a hook that is posted and not answered yet.
type waitingHook struct {
	reply chan string // closed without one if the agent hung up
	leave context.CancelFunc
}

// asks posts a hook of Claude Code that waits for a person. It returns at once.
func asks(t *testing.T, s *apptest.Server, call, command string) waitingHook {
	t.Helper()
	return asksAs(t, s, "claude", hookOf("PreToolUse", call, command))
}

// asksAs posts a hook of an agent's program that waits for a person. It returns at once.
func asksAs(t *testing.T, s *apptest.Server, agent, payload string) waitingHook {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	h := waitingHook{make(chan string, 1), leave}
	go func() {
		defer close(h.reply)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.HTTP.URL+"/api/hooks/"+agent+"/ask",
			strings.NewReader(payload))
		if err != nil {
			return
		}
		r.Header.Set("Authorization", "Bearer "+apptest.TokenOf("ann"))
		r.Header.Set("Content-Type", "application/json")
		resp, err := s.HTTP.Client().Do(r)
		if err != nil {
			return
		}
		defer resp.Body.Close()
		raw, _ := io.ReadAll(resp.Body)
		h.reply <- string(bytes.TrimSpace(raw))
	}()
	return h
}

// get returns the reply, or "" if the agent hung up.
func (h waitingHook) get(t *testing.T) string {
	t.Helper()
	select {
	case reply := <-h.reply:
		return reply
	case <-time.After(time.Minute):
		require.Fail(t, "the hook got no reply")
	}
	return ""
}

// open waits until so many questions of ann's are open, and returns them as the page gets them.
func open(t *testing.T, s *apptest.Server, count int) (all []apptest.M) {
	t.Helper()
	require.Eventually(t, func() bool {
		all = nil
		for _, th := range s.Session("ann").Threads() {
			h := s.Get("ann", "/api/chat/history?thread_id="+th.ID).JSON()
			list, _ := h["pending_approvals"].([]any)
			for _, one := range list {
				all = append(all, one.(apptest.M))
			}
		}
		return len(all) == count
	}, time.Minute, 5*time.Millisecond)
	return all
}

// answerTo answers a question of ann's.
func answerTo(t *testing.T, s *apptest.Server, question apptest.M, action, words string) (status int) {
	t.Helper()
	in := apptest.M{"request_id": question["request_id"], "action": action}
	if words != "" {
		in["value"] = words
	}
	return s.Post("ann", "/api/chat/approval", string(apptest.JSON(t, in))).Status
}

// asked starts a server that has heard of ann's prompt "p1".
func asked(t *testing.T, settings app.Settings) *apptest.Server {
	t.Helper()
	s := apptest.Start(t, settings, nil)
	r := s.Post("ann", "/api/hooks/claude", hookOf("UserPromptSubmit", "", ""))
	require.Equal(t, http.StatusOK, r.Status, r.Body)
	return s
}

// lastCall returns the last call of ann's only conversation.
func lastCall(t *testing.T, s *apptest.Server) session.Call {
	t.Helper()
	own := s.Session("ann")
	turn, err := own.Turn(own.Threads()[0].ID, 1)
	require.NoError(t, err)
	var last session.Call
	for c := range turn.Calls() {
		last = c
	}
	return last
}

func TestACallOfAnAttachedAgentWaitsForAPerson(t *testing.T) {
	s := asked(t, app.Settings{})
	h := asks(t, s, "toolu_1", "rm -r build")
	q := open(t, s, 1)[0]
	assert.Equal(t, "Bash", q["tool_name"])
	assert.Equal(t, "Try it", q["description"], "what the call does, as the model says")
	assert.Equal(t, apptest.M{"command": "rm -r build", "description": "Try it"}, q["parameters"])
	assert.Equal(t, false, q["allow_always"])
	assert.NotEmpty(t, q["expires_at"])
	assert.NotEqual(t, true, q["editable"])
	assert.Equal(t, http.StatusConflict, answerTo(t, s, q, "always", ""), "each call is approved by itself")
	assert.Equal(t, http.StatusNotFound, s.Post("bob", "/api/chat/approval",
		string(apptest.JSON(t, apptest.M{"request_id": q["request_id"], "action": "approve"}))).Status)
	assert.Equal(t, http.StatusAccepted, answerTo(t, s, q, "approve", ""))
	assert.JSONEq(t, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`, h.get(t))
	assert.Equal(t, http.StatusNotFound, answerTo(t, s, q, "deny", ""), "the first answer counts")
	assert.Equal(t, session.Pending, lastCall(t, s).Outcome, "it runs now")

	s.Post("ann", "/api/hooks/claude", hookOf("PostToolUse", "toolu_1", "rm -r build"))
	call := lastCall(t, s)
	assert.Equal(t, session.Success, call.Outcome)
	assert.Equal(t, session.Approve, call.Approval.Answer, "what the agent tells later does not undo the answer")
}

func TestADenialReachesAnAttachedAgentWithThePersonsWords(t *testing.T) {
	s := asked(t, app.Settings{})
	h := asks(t, s, "toolu_1", "rm -r build")
	secret := apptest.Fixtures()["github_token"]
	require.NotEmpty(t, secret)
	require.Equal(t, http.StatusAccepted, answerTo(t, s, open(t, s, 1)[0], "deny", "Keep it, "+secret+" needs it."))
	reply := h.get(t)
	assert.Contains(t, reply, `"permissionDecision":"deny"`)
	assert.Contains(t, reply, "They said: Keep it, ")
	assert.NotContains(t, reply, secret)
	call := lastCall(t, s)
	assert.Equal(t, session.Rejected, call.Outcome, "no hook tells that it did not run")
	s.Post("ann", "/api/hooks/claude", hookOf("UserPromptSubmit", "", ""))
	s.Post("ann", "/api/hooks/claude", `{"hook_event_name":"Stop","session_id":"s1","prompt_id":"p1"}`)
	assert.Equal(t, session.Rejected, lastCall(t, s).Outcome, "nor does the end of the turn")
}

func TestWithoutAnAnswerInTimeTheAgentAsksItsOwnUser(t *testing.T) {
	s := asked(t, app.Settings{ApprovalTimeout: 20 * time.Millisecond})
	reply := asks(t, s, "toolu_1", "ls").get(t)
	assert.Contains(t, reply, `"permissionDecision":"ask"`)
	assert.Contains(t, reply, "Nobody answered in Candor in time")
	assert.Equal(t, session.Expired, lastCall(t, s).Approval.Answer)
	assert.Equal(t, session.Pending, lastCall(t, s).Outcome, "its own user may still allow it")
	reply = asks(t, s, "toolu_1", "ls").get(t)
	assert.Equal(t, "{}", reply, "a call is asked about once")
}

func TestAnAgentThatHangsUpWaitsNoLonger(t *testing.T) {
	s := asked(t, app.Settings{})
	h := asks(t, s, "toolu_1", "ls")
	q := open(t, s, 1)[0]
	h.leave()
	open(t, s, 0)
	assert.Equal(t, session.Withdrawn, lastCall(t, s).Approval.Answer)
	assert.Equal(t, http.StatusNotFound, answerTo(t, s, q, "approve", ""))
}

func TestAServerThatStopsLetsWaitingAgentsGoOn(t *testing.T) {
	s := asked(t, app.Settings{})
	h := asks(t, s, "toolu_1", "ls")
	open(t, s, 1)
	s.App.Close(t.Context())
	assert.Equal(t, "{}", h.get(t))
}

// TestAnAgentThatWaitsAfterItsTurnsEndIsNotForgotten holds that a conversation is not deleted while a hook waits for a
// person, though the agent's file says that its turn is over.
func TestAnAgentThatWaitsAfterItsTurnsEndIsNotForgotten(t *testing.T) {
	s := asked(t, app.Settings{})
	h := asks(t, s, "toolu_1", "rm -r build")
	q := open(t, s, 1)[0]
	tell(t, s, fact(9, func(s *attach.Sighting) { s.Ended = &attach.Ended{Answer: "done"} }))
	path := "/api/chat/threads/" + s.Session("ann").Threads()[0].ID
	assert.Equal(t, http.StatusConflict, s.Do("ann", http.MethodDelete, path, "").Status)
	require.Equal(t, http.StatusAccepted, answerTo(t, s, q, "deny", ""))
	assert.Contains(t, h.get(t), `"deny"`)
	assert.Equal(t, http.StatusNoContent, s.Do("ann", http.MethodDelete, path, "").Status)
}

func TestWhatCannotBeAskedIsTheAgentsOwnAffair(t *testing.T) {
	s := asked(t, app.Settings{})
	reply := asks(t, s, "toolu_1", strings.Repeat("x", 70_000)).get(t)
	assert.Contains(t, reply, `"permissionDecision":"ask"`)
	assert.Contains(t, reply, "Candor cannot show this call as it would run, so you are asked here: it is longer than")
	post := func(payload string) string {
		r := s.Post("ann", "/api/hooks/claude/ask", payload)
		require.Equal(t, http.StatusOK, r.Status, r.Body)
		return strings.TrimSpace(r.Body)
	}
	assert.Equal(t, "{}", post(hookOf("PostToolUse", "toolu_2", "ls")), "what has run is not asked about")
	assert.Equal(t, "{}", post(hookOf("PreToolUse", "toolu_2", "ls")), "nor what ended already")
	assert.Contains(t, post(`{"hook_event_name":"PreToolUse","session_id":"s2","tool_name":"Bash",
		"tool_use_id":"toolu_3"}`), `"permissionDecision":"ask"`, "what belongs to no prompt may run now")
	assert.Equal(t, http.StatusNotFound, s.Post("ann", "/api/hooks/cursor/ask", "{}").Status)
	assert.Equal(t, http.StatusBadRequest, s.Post("ann", "/api/hooks/claude/ask", "{}").Status)
}

func TestABoundedNumberOfAgentsWaits(t *testing.T) {
	s := asked(t, app.Settings{})
	var waiting []waitingHook
	for i := range 16 {
		waiting = append(waiting, asks(t, s, fmt.Sprintf("toolu_%d", i), "ls"))
	}
	all := open(t, s, 16)
	more := asks(t, s, "toolu_more", "ls").get(t)
	assert.Contains(t, more, `"permissionDecision":"ask"`)
	assert.Contains(t, more, "16 other calls wait", "the agent asks its own user, and says why")
	assert.Contains(t, asksAs(t, s, "codex", codexHook("PreToolUse", "c1", inRollout, "")).get(t), "Nobody answered")
	for _, q := range all {
		assert.Equal(t, http.StatusAccepted, answerTo(t, s, q, "approve", ""))
	}
	for _, h := range waiting {
		assert.Contains(t, h.get(t), `"allow"`)
	}
	h := asks(t, s, "toolu_then", "ls")
	require.Equal(t, http.StatusAccepted, answerTo(t, s, open(t, s, 1)[0], "approve", ""))
	assert.Contains(t, h.get(t), `"allow"`, "there is room again")
}
