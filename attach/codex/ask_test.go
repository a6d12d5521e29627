package codex_test

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/codex"
)

// rollout is a file that is opened as a hook's rollout.
type rollout struct{ *bytes.Reader }

func (rollout) Close() error { return nil }

// opening returns what opens a rollout with a text, and nothing else.
func opening(text string) func(string) (io.ReadSeekCloser, error) {
	return func(path string) (io.ReadSeekCloser, error) {
		if path != "/r.jsonl" {
			return nil, fs.ErrNotExist
		}
		return rollout{bytes.NewReader([]byte(text))}, nil
	}
}

// calling returns the row of a rollout in which the model asks for a call.
func calling(id, arguments string) string {
	return item(`"type":"function_call","name":"exec_command","arguments":` + string(quoted(arguments)) +
		`,"call_id":"` + id + `"`)
}

// quoted returns a text as JSON has it.
func quoted(text string) []byte {
	raw, _ := json.Marshal(text)
	return raw
}

// TestACommandIsAskedAboutWithTheArgumentsOfItsRollout holds that a question has what hooks leave out, and none if that
// is not known to be all.
func TestACommandIsAskedAboutWithTheArgumentsOfItsRollout(t *testing.T) {
	const elsewhere = `{"cmd":"ls","workdir":"/tmp"}`
	for name, c := range map[string]struct{ file, rollout, want string }{
		"a folder":         {"/r.jsonl", calling("c0", `{"cmd":"pwd"}`) + calling("c", elsewhere), elsewhere},
		"the id again":     {"/r.jsonl", calling("c", `{"cmd":"pwd"}`) + calling("c", elsewhere), elsewhere},
		"an older tool":    {"/r.jsonl", calling("c", `{"command":["sh","-c","ls"]}`), `{"command":["sh","-c","ls"]}`},
		"another command":  {"/r.jsonl", calling("c", `{"cmd":"rm -r /"}`), ""},
		"another call":     {"/r.jsonl", calling("c0", elsewhere), ""},
		"no JSON":          {"/r.jsonl", calling("c", `{"cmd":`), ""},
		"half a row":       {"/r.jsonl", calling("c", elsewhere)[:90], ""},
		"no such rollout":  {"/s.jsonl", calling("c", elsewhere), ""},
		"no rollout":       {"", calling("c", elsewhere), ""},
		"nothing":          {"/r.jsonl", "", ""},
		"only its mention": {"/r.jsonl", item(`"type":"message","role":"user","call_id":"c","arguments":"{}"`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			payload := codex.WithArguments([]byte(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash",
				"tool_use_id":"c","tool_input":{"command":"ls"},"transcript_path":"`+c.file+`"}`), opening(c.rollout))
			q, ok := codex.Question(payload)
			require.True(t, ok)
			assert.Equal(t, attach.Question{Call: "c", Tool: "Bash", Arguments: q.Arguments}, q)
			assert.Equal(t, c.want, string(q.Arguments))
		})
	}
}

// TestACommandThatAsksToLeaveTheSandboxIsFoundInItsRollout holds that the call which a hook does not name is one that
// has not ended and asked for just that, and that it is none where two calls may be meant.
func TestACommandThatAsksToLeaveTheSandboxIsFoundInItsRollout(t *testing.T) {
	const asks = `{"cmd":"ls","justification":"May I?","sandbox_permissions":"require_escalated"}`
	ended := item(`"type":"function_call_output","call_id":"c","output":"x"`)
	for name, c := range map[string]struct{ rollout, want string }{
		"one":                  {calling("c0", `{"cmd":"pwd"}`) + calling("c", asks), "c"},
		"an equal one before":  {calling("c", asks) + ended + calling("c1", asks), "c1"},
		"two":                  {calling("c", asks) + calling("c1", asks), ""},
		"one that ended":       {calling("c", asks) + ended, ""},
		"another reason":       {calling("c", strings.Replace(asks, "May I", "I may", 1)), ""},
		"one that did not ask": {calling("c", `{"cmd":"ls"}`), ""},
		"one with a reason":    {calling("c", `{"cmd":"ls","justification":"May I?"}`), ""},
		"one that stays in it": {calling("c", strings.Replace(asks, "require_escalated", "use_default", 1)), ""},
		"one that may do more": {calling("c", strings.Replace(asks, "require_escalated",
			"with_additional_permissions", 1)), ""},
		"another command": {calling("c", strings.Replace(asks, "ls", "rm", 1)), ""},
		"nothing":         {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			payload := codex.WithArguments([]byte(`{"hook_event_name":"PermissionRequest","session_id":"s",
				"tool_name":"Bash","tool_input":{"command":"ls","description":"May I?"},"transcript_path":"/r.jsonl"}`),
				opening(c.rollout))
			q, ok := codex.Escalation(payload)
			assert.Equal(t, c.want != "", ok)
			assert.Equal(t, c.want, q.Call)
			_, ok = codex.Question(payload)
			assert.False(t, ok, "a person was asked before")
		})
	}
	raw, err := json.Marshal(codex.AllowEscalation)
	require.NoError(t, err)
	assert.JSONEq(t, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`,
		string(raw))
}

// TestAPromptAboutTheNetworkIsNoEscalation holds that a model cannot have a network prompt, of which hooks tell as of a
// command with a description of the program's, approved by writing that description itself.
func TestAPromptAboutTheNetworkIsNoEscalation(t *testing.T) {
	const payload = `{"hook_event_name":"PermissionRequest","session_id":"s","tool_name":"Bash",
		"tool_input":{"command":"curl example.com","description":"WHY"},"candor":{"call":"c",
		"arguments":{"cmd":"curl example.com","justification":"WHY","sandbox_permissions":"require_escalated"}}}`
	for why, want := range map[string]bool{
		"network-access example.com": false, "May I have network-access to example.com?": true,
	} {
		_, ok := codex.Escalation([]byte(strings.ReplaceAll(payload, "WHY", why)))
		assert.Equal(t, want, ok, why)
	}
}

func TestOnlyACallThatIsAboutToRunIsAskedAbout(t *testing.T) {
	const call = `"session_id":"s","tool_name":"apply_patch","tool_use_id":"c","tool_input":{"command":"x"}}`
	q, ok := codex.Question([]byte(`{"hook_event_name":"PreToolUse",` + call))
	require.True(t, ok)
	assert.JSONEq(t, `{"command":"x"}`, string(q.Arguments), "of other tools hooks tell all")
	for name, payload := range map[string]string{
		"another hook": `{"hook_event_name":"PostToolUse",` + call,
		"no id":        `{"hook_event_name":"PreToolUse","tool_name":"Bash"}`,
		"no tool":      `{"hook_event_name":"PreToolUse","tool_use_id":"c"}`,
		"no JSON":      `{`,
	} {
		_, ok := codex.Question([]byte(payload))
		assert.False(t, ok, name)
		assert.Equal(t, payload, string(codex.WithArguments([]byte(payload), opening(""))), name)
	}
}

func TestAVerdictIsWhatTheProgramReads(t *testing.T) {
	for want, reply := range map[string]any{
		`{}`: codex.Reply(attach.Allow, "unsaid"),
		`{"systemMessage":"` + attach.Unanswered + `"}`: codex.Reply(attach.Ask, "unsaid"),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",
			"permissionDecisionReason":"Not now."}}`: codex.Reply(attach.Deny, "Not now."),
	} {
		raw, err := json.Marshal(reply)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(raw))
	}
}
