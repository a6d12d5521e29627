package gemini_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/gemini"
)

func TestOnlyACallThatIsAboutToRunIsAskedAbout(t *testing.T) {
	const call = `"session_id":"s","tool_name":"replace","tool_input":{"file_path":"a","old_string":"b"}}`
	q, ok := gemini.Question([]byte(`{"hook_event_name":"BeforeTool",` + call))
	require.True(t, ok)
	assert.Equal(t, "replace", q.Tool)
	assert.JSONEq(t, `{"file_path":"a","old_string":"b"}`, string(q.Arguments))
	for name, payload := range map[string]string{
		"another hook": `{"hook_event_name":"AfterTool",` + call,
		"no tool":      `{"hook_event_name":"BeforeTool","session_id":"s"}`,
		"no JSON":      `{`,
	} {
		_, ok := gemini.Question([]byte(payload))
		assert.False(t, ok, name)
	}
}

func TestAVerdictIsWhatTheProgramReads(t *testing.T) {
	for want, reply := range map[string]any{
		`{}`: gemini.Reply(attach.Allow, "unsaid"),
		`{"systemMessage":"` + attach.Unanswered + `"}`: gemini.Reply(attach.Ask, "unsaid"),
		`{"decision":"deny","reason":"Not now."}`:       gemini.Reply(attach.Deny, "Not now."),
	} {
		raw, err := json.Marshal(reply)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(raw))
	}
}
