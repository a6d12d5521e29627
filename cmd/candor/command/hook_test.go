package command_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"
	"candor/web/envelope"
)

// hookServer is a server whose reply to hooks is set by a test. It is away while reply is empty.
type hookServer struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	reply  string
	posted []string // path, token and payload of each hook
}

// startHooks starts a server for candor hook, with a cache and a token of its own.
func startHooks(t *testing.T) *hookServer {
	t.Helper()
	h := &hookServer{status: http.StatusOK}
	h.Server = httptest.NewServer(enveloped(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		h.posted = append(h.posted, r.URL.Path+" "+r.Header.Get("Authorization")+" "+string(body))
		w.WriteHeader(h.status)
		_, _ = io.WriteString(w, h.reply)
	}))
	t.Cleanup(h.Close)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("CANDOR_SERVER", h.URL)
	t.Setenv("CANDOR_TOKEN", "ann")
	return h
}

// enveloped serves what comes in envelopes of the token ann.
func enveloped(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !envelope.Serve(w, r, func(string) (string, bool) { return "ann", true }, h) {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
}

// answer sets how the server answers from now on.
func (h *hookServer) answer(status int, reply string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status, h.reply = status, reply
}

// hooked runs candor hook with a payload, as an agent's program does, and returns the reply as JSON.
func hooked(t *testing.T, payload string, args ...string) (reply apptest.M, stderr string) {
	t.Helper()
	var out, errOut apptest.LogBuffer
	status := command.Execute(t.Context(), append([]string{"candor", "hook"}, args...), strings.NewReader(payload),
		&out, &errOut)
	require.Zero(t, status, "an agent goes on whatever happened")
	require.NoError(t, json.Unmarshal([]byte(out.String()), &reply), out.String())
	return reply, errOut.String()
}

// TestTheServerKnowsTheHooksOfProgramsThatRunCommands holds that what attach writes has somebody who takes it, with the
// question for a person and the request for reasons.
func TestTheServerKnowsTheHooksOfProgramsThatRunCommands(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	for agent, prompt := range map[string]string{"claude": "UserPromptSubmit", "codex": "UserPromptSubmit",
		"gemini": "BeforeAgent", "qwen": "UserPromptSubmit"} {
		payload := `{"hook_event_name":"` + prompt + `","session_id":"s","turn_id":"t","prompt":"Why?","cwd":"/w"}`
		for _, flag := range []string{"--timeout=5s", "--approve", "--ask-reasons"} {
			reply, errOut := hooked(t, payload, agent, flag, "--server", s.HTTP.URL)
			assert.Empty(t, errOut, agent+flag)
			asks, _ := reply["hookSpecificOutput"].(map[string]any)
			assert.Equal(t, flag == "--ask-reasons", asks["additionalContext"] != nil, agent+flag)
		}
	}
}

func TestAHookIsPassedOnAndItsReplyBack(t *testing.T) {
	h := startHooks(t)
	h.answer(http.StatusOK, `{"systemMessage":"No."}`)
	reply, errOut := hooked(t, `{"hook_event_name":"Stop"}`, "codex")
	assert.Equal(t, apptest.M{"systemMessage": "No."}, reply)
	assert.Empty(t, errOut)
	assert.Equal(t, []string{`/api/hooks/codex Bearer ann {"hook_event_name":"Stop"}`}, h.posted)
}

// TestAHookPassesOnOnlyWhatItAskedFor holds that a decision passes only where the hook waits for one, a request to the
// model only where it asks for reasons, and changed arguments nowhere.
func TestAHookPassesOnOnlyWhatItAskedFor(t *testing.T) {
	h := startHooks(t)
	h.answer(http.StatusOK, `{"continue":false,"stopReason":"x","decision":"deny","reason":"No.","systemMessage":"Hi.",
		"updatedInput":{"command":"id"},"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",
		"permissionDecisionReason":"Yes.","updatedInput":{"command":"id"},"additionalContext":"Say why.",
		"decision":{"behavior":"allow","updatedInput":{"command":"id"}}}}`)
	for args, want := range map[string]apptest.M{
		"claude": {"systemMessage": "Hi."},
		"claude --ask-reasons": {"systemMessage": "Hi.", "hookSpecificOutput": map[string]any{
			"hookEventName": "PreToolUse", "additionalContext": "Say why."}},
		"codex --approve": {"decision": "deny", "reason": "No.", "systemMessage": "Hi.",
			"hookSpecificOutput": map[string]any{"hookEventName": "PreToolUse", "permissionDecision": "allow",
				"permissionDecisionReason": "Yes.", "decision": map[string]any{"behavior": "allow"}}},
	} {
		reply, errOut := hooked(t, `{}`, strings.Fields(args)...)
		assert.Equal(t, want, reply, args)
		assert.Empty(t, errOut)
	}
	h.answer(http.StatusOK, `{"decision":["allow"]}`)
	reply, _ := hooked(t, `{}`, "gemini", "--approve")
	assert.Empty(t, reply)
}

// TestWhoeverListensWhileTheServerIsAwayGetsAndDecidesNothing holds that hooks give a stranger at the server's address
// neither the token nor what they tell, and pass nothing of the stranger's on, in no form of an answer.
func TestWhoeverListensWhileTheServerIsAwayGetsAndDecidesNothing(t *testing.T) {
	var mu sync.Mutex
	var heard strings.Builder
	status, answer := http.StatusOK, ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		assert.NoError(t, r.Write(&heard))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	defer s.Close()
	startHooks(t)
	t.Setenv("CANDOR_SERVER", s.URL)
	t.Setenv("CANDOR_TOKEN", "a-token-of-a-person")
	const allow = `"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",` +
		`"updatedInput":{"command":"id"}}}`
	for _, status = range []int{http.StatusOK, http.StatusUnauthorized, http.StatusConflict, http.StatusFound} {
		for _, answer = range []string{`{` + allow, `{"error":"no","message":"Paste it here.",` + allow, ""} {
			for _, args := range []string{"claude", "claude --approve", "codex --approve", "gemini --ask-reasons"} {
				reply, errOut := hooked(t, `{"tool_input":"a-prompt"}`, strings.Fields(args)...)
				delete(reply, "systemMessage") // ours
				assert.Empty(t, reply, args)
				assert.NotContains(t, errOut, "Paste")
			}
		}
	}
	assert.NotEmpty(t, heard.String())
	for _, secret := range []string{"a-token-of-a-person", "a-prompt"} {
		assert.NotContains(t, heard.String(), secret)
	}
}

// TestAHookThatWaitsForAPersonFailsOpen holds that candor hook --approve passes the answer on, with all arguments that
// a file of the program tells, and that an agent goes on at once without a server, and in the end without an answer.
func TestAHookThatWaitsForAPersonFailsOpen(t *testing.T) {
	h := startHooks(t)
	h.answer(http.StatusOK, `{"hookSpecificOutput":{"permissionDecision":"deny"}}`)
	file := filepath.Join(t.TempDir(), "rollout.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(`{"type":"response_item","payload":{"type":"function_call",`+
		`"call_id":"c","arguments":"{\"cmd\":\"ls\",\"workdir\":\"/\"}"}}`+"\n"), 0o600))
	reply, _ := hooked(t, string(apptest.JSON(t, apptest.M{"hook_event_name": "PreToolUse", "session_id": "s",
		"tool_name": "Bash", "tool_use_id": "c", "transcript_path": file})), "codex", "--approve")
	assert.Contains(t, reply, "hookSpecificOutput")
	require.Len(t, h.posted, 1)
	assert.Contains(t, h.posted[0], "/api/hooks/codex/ask Bearer ann ")
	assert.Contains(t, h.posted[0], `"candor":{"call":"c","arguments":{"cmd":"ls","workdir":"/"}}`)
	reply, errOut := hooked(t, `{}`, "codex", "--approve", "--server", "http://127.0.0.1:1")
	unanswered := apptest.M{"systemMessage": attach.Unanswered}
	assert.EqualValues(t, unanswered, reply)
	assert.Contains(t, errOut, "no answer from 127.0.0.1:1")
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer silent.Close()
	reply, errOut = hooked(t, `{}`, "gemini", "--approve", "--server", silent.URL, "--timeout", "50ms")
	assert.EqualValues(t, unanswered, reply)
	assert.Contains(t, errOut, "no reply within 50ms")
}

func TestAnAgentGoesOnWithoutAServerAndHearsOfItOnceAfterwards(t *testing.T) {
	h := startHooks(t)
	for range 3 {
		reply, errOut := hooked(t, `{}`, "claude", "--server", "http://127.0.0.1:1")
		assert.Empty(t, reply)
		assert.Contains(t, errOut, "candor: no answer from 127.0.0.1:1")
	}
	h.answer(http.StatusOK, `{"systemMessage":"from the server"}`)
	reply, errOut := hooked(t, `{}`, "codex")
	assert.Equal(t, "from the server", reply["systemMessage"], "the gap of another program is not its own")
	assert.Empty(t, errOut)
	reply, _ = hooked(t, `{}`, "claude")
	assert.Regexp(t, `^Candor was not reachable .*missed 3 hooks (at|between) .*\nfrom the server$`,
		reply["systemMessage"])
	reply, _ = hooked(t, `{}`, "claude")
	assert.Equal(t, "from the server", reply["systemMessage"], "it is said once")
	hooked(t, `{}`, "claude", "--server", "http://127.0.0.1:1")
	reply, _ = hooked(t, `{}`, "claude")
	assert.Regexp(t, `missed 1 hook at [-0-9]+ [:0-9]+\. To read`, reply["systemMessage"])
}

func TestAServerThatRefusesHooksIsToldOfWhileItDoes(t *testing.T) {
	h := startHooks(t)
	h.answer(http.StatusUnauthorized, `{"error":"unauthorized","message":"No.","details":{}}`)
	reply, errOut := hooked(t, `{}`, "claude")
	assert.Contains(t, reply["systemMessage"], "Candor does not receive this agent's hooks: the server does not know")
	assert.Contains(t, errOut, "set CANDOR_TOKEN")
	reply, _ = hooked(t, `{}`, "claude")
	assert.Empty(t, reply, "once")
	h.answer(http.StatusOK, `{}`)
	reply, _ = hooked(t, `{}`, "claude")
	assert.Contains(t, reply["systemMessage"], "missed 2 hooks")

	t.Setenv("CANDOR_TOKEN", "")
	t.Chdir(t.TempDir())
	reply, _ = hooked(t, `{}`, "claude")
	assert.Contains(t, reply["systemMessage"], "a token is needed")
}

func TestAnAnswerThatIsNoReplyLetsTheAgentGoOn(t *testing.T) {
	h := startHooks(t)
	for _, answer := range []string{"<html>", "", "[]", `{"a":`} {
		h.answer(http.StatusOK, answer)
		reply, errOut := hooked(t, `{}`, "claude")
		assert.Empty(t, reply, answer)
		assert.Contains(t, errOut, "not that of a Candor server", answer)
	}
	reply, errOut := hooked(t, strings.Repeat("x", 16<<20+1), "claude")
	assert.Empty(t, reply)
	assert.Contains(t, errOut, "more than 16777216 bytes")
	h.Close()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer silent.Close()
	reply, errOut = hooked(t, `{}`, "claude", "--server", silent.URL, "--timeout", "50ms")
	assert.Empty(t, reply)
	assert.Contains(t, errOut, "no reply within 50ms")
}

func TestTheMissedHooksOfALongTimeStayASmallFile(t *testing.T) {
	startHooks(t)
	name := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "candor", "hooks-missed-claude")
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	full := strings.Repeat("2026-11-23T10:00:00Z\n", 3200)
	require.NoError(t, os.WriteFile(name, []byte(full), 0o600))
	hooked(t, `{}`, "claude", "--server", "http://127.0.0.1:1")
	assert.Equal(t, full, contentOf(t, name))
}

// TestAWrongCallOfHookBlocksNoAgent holds the exit status of mistakes: agents understand 2 as a hook that blocks.
func TestAWrongCallOfHookBlocksNoAgent(t *testing.T) {
	startHooks(t)
	for _, args := range []string{"", "claude codex", "../claude", "Claude", "claude --timeout 0s", "claude --nonsense",
		"claude --timeout soon", "codex --approve --ask-reasons", "codex --approve=perhaps"} {
		var out, errOut apptest.LogBuffer
		status := command.Execute(t.Context(), append([]string{"candor", "hook"}, strings.Fields(args)...),
			strings.NewReader("{}"), &out, &errOut)
		assert.Equal(t, 1, status, args)
		assert.Contains(t, errOut.String(), "see candor hook --help", args)
	}
}
