package attached_test

import (
	"encoding/json"
	"fmt"
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

// codexHook writes a payload of Codex about a call of the turn "t1", as candor hook posts it: with the arguments that
// the rollout has, or without.
func codexHook(event, call, arguments, more string) string {
	return fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s1","turn_id":"t1","prompt":"go on","tool_name":"Bash",
		"tool_use_id":%q,"tool_input":{"command":"rm -r build"}%s%s}`, event, call, arguments, more)
}

// inRollout are the arguments of the call in the rollout.
const inRollout = `,"candor":{"arguments":{"cmd":"rm -r build","workdir":"/home/ann"}}`

// askedCodex starts a server that has heard of ann's prompt to Codex.
func askedCodex(t *testing.T, settings app.Settings) *apptest.Server {
	t.Helper()
	s := apptest.Start(t, settings, nil)
	r := s.Post("ann", "/api/hooks/codex", codexHook("UserPromptSubmit", "", "", ""))
	require.Equal(t, http.StatusOK, r.Status, r.Body)
	return s
}

// TestACallOfCodexWaitsWithAllOfItsArguments holds that a person sees what hooks leave out, and what the program reads
// then, whose hooks can only deny.
func TestACallOfCodexWaitsWithAllOfItsArguments(t *testing.T) {
	for name, c := range map[string]struct{ more, action, words, want string }{
		"approved":             {"", "approve", "", `{}`},
		"of a sub-agent":       {`,"agent_id":"a1"`, "approve", "", `{}`},
		"denied":               {"", "deny", "", `deny`},
		"denied with a reason": {"", "deny", "Keep it.", `They said: Keep it.`},
	} {
		t.Run(name, func(t *testing.T) {
			s := askedCodex(t, app.Settings{})
			if c.more != "" {
				s.Post("ann", "/api/hooks/codex", codexHook("SubagentStart", "", "", c.more))
			}
			h := asksAs(t, s, "codex", codexHook("PreToolUse", "c1", inRollout, c.more))
			q := open(t, s, 1)[0]
			assert.Equal(t, apptest.M{"cmd": "rm -r build", "workdir": "/home/ann"}, q["parameters"])
			require.Equal(t, http.StatusAccepted, answerTo(t, s, q, c.action, c.words))
			assert.Contains(t, h.get(t), c.want)
		})
	}
}

// TestASubAgentIsAskedAboutThoughTheServerBeganAfterItsTurn holds that a call waits whose hook names no turn, if the
// log has turns, and that the program's user is told if it has none.
func TestASubAgentIsAskedAboutThoughTheServerBeganAfterItsTurn(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	hook := codexHook("PreToolUse", "c1", inRollout, `,"agent_id":"a1"`)
	other := strings.Replace(hook, `"s1"`, `"s2"`, 1)
	assert.Contains(t, asksAs(t, s, "codex", other).get(t), "this program's own settings")
	for turn := range 2 { // nobody has heard the hooks of these turns
		tell(t, s, attach.Sighting{Agent: "codex", Session: "s1", Channel: attach.File, At: at(turn),
			Turn: fmt.Sprint("t", turn), Prompted: &attach.Prompted{Text: "go on"}})
	}
	h := asksAs(t, s, "codex", hook)
	q := open(t, s, 1)[0]
	require.Equal(t, http.StatusAccepted, answerTo(t, s, q, "deny", ""))
	assert.Contains(t, h.get(t), `"deny"`)
	s.Post("ann", "/api/hooks/codex", strings.Replace(codexHook("UserPromptSubmit", "", "", ""), `"t1"`, `"t2"`, 1))
	s.Post("ann", "/api/hooks/codex", codexHook("PostToolUse", "c1", "", `,"agent_id":"a1","tool_response":"x"`))
	thread, err := s.Session("ann").Thread(s.Session("ann").Threads()[0].ID)
	require.NoError(t, err)
	require.Equal(t, 3, thread.Turns)
	turn, err := s.Session("ann").Turn(thread.ID, 2)
	require.NoError(t, err)
	for c := range turn.Calls() {
		assert.Equal(t, session.Success, c.Outcome, "it stays in the turn in which it began")
	}
	assert.Len(t, turn.Steps, 1)
}

// TestWithoutAnAnswerCodexGoesOn holds that the person in front of the program reads of it, and that nobody is asked
// about what cannot be shown as it runs.
func TestWithoutAnAnswerCodexGoesOn(t *testing.T) {
	const long = `,"candor":{"arguments":{"cmd":"rm -r build","workdir":"xxx"}}`
	for name, arguments := range map[string]string{
		"in time":            inRollout,
		"no rollout":         "",
		"another command":    `,"candor":{"arguments":{"cmd":"ls"}}`,
		"too long arguments": strings.Replace(long, "xxx", strings.Repeat("x", 70_000), 1),
	} {
		t.Run(name, func(t *testing.T) {
			s := askedCodex(t, app.Settings{ApprovalTimeout: 20 * time.Millisecond})
			reply := asksAs(t, s, "codex", codexHook("PreToolUse", "c1", arguments, "")).get(t)
			var read apptest.M
			require.NoError(t, json.Unmarshal([]byte(reply), &read))
			assert.Len(t, read, 1, reply)
			assert.Contains(t, read["systemMessage"], "goes ahead under this program's own settings")
			assert.Equal(t, name == "in time", lastCall(t, s).Approval != nil)
			assert.Equal(t, session.Pending, lastCall(t, s).Outcome)
		})
	}
}

// TestAnApprovedCallMayLeaveTheSandbox holds that Codex, which asks again where a command is to leave the sandbox, has
// the answer of the person who saw that the command asks for it, and no answer in any other case.
func TestAnApprovedCallMayLeaveTheSandbox(t *testing.T) {
	const (
		asked   = `"arguments":{"cmd":"rm -r build","justification":"May I?","sandbox_permissions":"`
		seen    = `"call":"c1",` + asked + `require_escalated"}`
		others  = `"call":"c1",` + asked + `with_additional_permissions"}`
		nothing = `{}`
		leave   = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`
	)
	again := func(added string) string {
		return `{"hook_event_name":"PermissionRequest","session_id":"s1","turn_id":"t1","tool_name":"Bash",
			"tool_input":{"command":"rm -r build","description":"May I?"},"candor":{` + added + `}}`
	}
	for name, c := range map[string]struct{ action, payload, want string }{
		"approved":             {"approve", again(seen), leave},
		"denied":               {"deny", again(seen), nothing},
		"with other arguments": {"approve", again(others), nothing},
		"another call":         {"approve", strings.Replace(again(seen), `"c1"`, `"c2"`, 1), nothing},
		"an unknown call":      {"approve", strings.Replace(again(seen), `"c1"`, `""`, 1), nothing},
		"another session":      {"approve", strings.Replace(again(seen), `"s1"`, `"s2"`, 1), nothing},
		"another reason":       {"approve", strings.Replace(again(seen), "May", "Will", 1), nothing},
	} {
		t.Run(name, func(t *testing.T) {
			s := askedCodex(t, app.Settings{})
			assert.Equal(t, nothing, asksAs(t, s, "codex", c.payload).get(t), "nobody was asked, yet")
			h := asksAs(t, s, "codex", codexHook("PreToolUse", "c1", `,"candor":{`+seen+`}`, ""))
			q := open(t, s, 1)[0]
			assert.Equal(t, "require_escalated", q["parameters"].(apptest.M)["sandbox_permissions"])
			require.Equal(t, http.StatusAccepted, answerTo(t, s, q, c.action, ""))
			h.get(t)
			assert.JSONEq(t, c.want, asksAs(t, s, "codex", c.payload).get(t))
			s.Post("ann", "/api/hooks/codex", codexHook("PostToolUse", "c1", "", `,"tool_response":"x"`))
			assert.Equal(t, nothing, asksAs(t, s, "codex", c.payload).get(t), "it has run")
		})
	}
}

// geminiHook writes a payload of Gemini CLI about a call, of which no hook tells the id, as candor hook posts it.
func geminiHook(at string) string {
	return `{"hook_event_name":"BeforeTool","session_id":"s1","timestamp":"2026-11-23T10:00:0` + at + `Z",
		"tool_name":"run_shell_command","tool_input":{"command":"rm -r build"},
		"candor":{"turn":"p1","prompt":"go on","time":"2026-11-23T10:00:00.000Z"}}`
}

// TestCallsWithoutIDsWaitForAnswersOfTheirOwn holds that a question is about the call that its hook tells of, also if
// an equal call waits, and if the hook that reports comes before or after.
func TestCallsWithoutIDsWaitForAnswersOfTheirOwn(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	s.Post("ann", "/api/hooks/gemini", geminiHook("1.000"))
	first := asksAs(t, s, "gemini", geminiHook("1.000"))
	q := open(t, s, 1)[0]
	assert.Equal(t, apptest.M{"command": "rm -r build"}, q["parameters"])
	second := asksAs(t, s, "gemini", geminiHook("1.003"))
	all := open(t, s, 2)
	s.Post("ann", "/api/hooks/gemini", geminiHook("1.003"))
	require.Equal(t, http.StatusAccepted, answerTo(t, s, q, "deny", "Once."))
	assert.Contains(t, first.get(t), `"reason":"A person denied this call in Candor. They said: Once."`)
	for _, other := range all {
		if other["request_id"] != q["request_id"] {
			require.Equal(t, http.StatusAccepted, answerTo(t, s, other, "approve", ""))
		}
	}
	assert.JSONEq(t, `{}`, second.get(t))
	assert.Empty(t, open(t, s, 0))
}

// TestEqualCallsOfOneMomentShareAQuestion holds that a denial stops each of several calls that nobody can tell apart,
// and not only the one whose hook came first.
func TestEqualCallsOfOneMomentShareAQuestion(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	var waiting []waitingHook
	for range 3 {
		waiting = append(waiting, asksAs(t, s, "gemini", geminiHook("1.000")))
	}
	require.Equal(t, http.StatusAccepted, answerTo(t, s, open(t, s, 1)[0], "deny", ""))
	for _, h := range append(waiting, asksAs(t, s, "gemini", geminiHook("1.000"))) {
		assert.Contains(t, h.get(t), `"decision":"deny"`)
	}
}
