package claude_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/claude"
)

func TestOnlyACallThatIsAboutToRunIsAskedAbout(t *testing.T) {
	const call = `"tool_name":"Bash","tool_use_id":"toolu_1","tool_input":{"command":"ls"}}`
	q, ok := claude.Question([]byte(`{"hook_event_name":"PreToolUse",` + call))
	require.True(t, ok)
	assert.Equal(t, attach.Question{Call: "toolu_1", Tool: "Bash", Arguments: json.RawMessage(`{"command":"ls"}`)}, q)
	for name, payload := range map[string]string{
		"another hook": `{"hook_event_name":"PostToolUse",` + call,
		"no id":        `{"hook_event_name":"PreToolUse","tool_name":"Bash"}`,
		"no tool":      `{"hook_event_name":"PreToolUse","tool_use_id":"toolu_1"}`,
		"no JSON":      `{`,
	} {
		_, ok := claude.Question([]byte(payload))
		assert.False(t, ok, name)
	}
}

func TestAVerdictIsWhatTheProgramReads(t *testing.T) {
	for want, reply := range map[string]any{
		`{}`: claude.Reply("", "unsaid"),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`: claude.Reply(
			attach.Allow, ""),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",
			"permissionDecisionReason":"Not now."}}`: claude.Reply(attach.Deny, "Not now."),
	} {
		raw, err := json.Marshal(reply)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(raw))
	}
}
