package attach_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
)

func TestReasonsOfATextAreCounted(t *testing.T) {
	for text, want := range map[string]int{
		"":                                       0,
		"Let me look at the reason for the test": 0,
		"Reason for Bash:":                       0, // and nothing behind it
		"The reason for Bash: it is there":       0, // in the middle of a sentence
		"Reason for Bash: see whether it builds": 1,
		"First this.\n\nReason for Bash: see whether it builds\nReason for Read: find the rate": 2,
		"- **Reason for `mcp.notes/add`:** keep it for later":                                   1,
		"reason for Bash : see it": 1,
		"1. Reason for Bash (`ls`): see it\n2) Reason for mcp__ev__echo \u2014 hear it": 2,
		"\u2022 Reason for \"Bash\": see it\nReason for Read - see it":                  2,
		"> Reason for Bash: what a file says":                                           0,
	} {
		assert.Equal(t, want, attach.CountReasons(text), text)
	}
}

func TestOnlyTheEventsNamedAskForReasons(t *testing.T) {
	remind := attach.Reminder("UserPromptSubmit", "SubagentStart")
	for payload, event := range map[string]string{
		`{"hook_event_name":"UserPromptSubmit"}`: "UserPromptSubmit",
		`{"hook_event_name":"SubagentStart"}`:    "SubagentStart",
		`{"hook_event_name":"PreToolUse"}`:       "",
		`{}`:                                     "",
		`no object`:                              "",
	} {
		raw, err := json.Marshal(remind([]byte(payload)))
		require.NoError(t, err)
		var reply struct {
			Specific map[string]string `json:"hookSpecificOutput"`
		}
		require.NoError(t, json.Unmarshal(raw, &reply))
		assert.Equal(t, event, reply.Specific["hookEventName"], payload)
		assert.Equal(t, event != "", reply.Specific["additionalContext"] != "", payload)
	}
}

// A model that does as it is asked is counted.
func TestTheFormThatIsAskedForIsCounted(t *testing.T) {
	raw, err := json.Marshal(attach.Reminder("SubagentStart")([]byte(`{"hook_event_name":"SubagentStart"}`)))
	require.NoError(t, err)
	var reply struct {
		Specific map[string]string `json:"hookSpecificOutput"`
	}
	require.NoError(t, json.Unmarshal(raw, &reply))
	form := regexp.MustCompile(`"(Reason for [^"]*)"`).FindStringSubmatch(reply.Specific["additionalContext"])
	require.NotNil(t, form)
	line := strings.NewReplacer("<tool name>", "Bash", "<one sentence>", "See whether it builds.").Replace(form[1])
	assert.NotContains(t, line, "<")
	assert.Equal(t, 1, attach.CountReasons(line), line)
}
