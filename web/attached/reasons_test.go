package attached_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

func TestAHookOfAPromptAsksTheModelForReasons(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	for agent, payload := range map[string]string{
		"claude": hookOf("UserPromptSubmit", "", ""),
		"codex":  `{"hook_event_name":"UserPromptSubmit","session_id":"s1","turn_id":"t1","prompt":"go on"}`,
		"gemini": `{"hook_event_name":"BeforeAgent","session_id":"s1","cwd":"/work"}`,
	} {
		r := s.Post("ann", "/api/hooks/"+agent+"/reasons", payload)
		require.Equal(t, http.StatusOK, r.Status, r.Body)
		reply := r.JSON()["hookSpecificOutput"].(apptest.M)
		assert.Contains(t, payload, fmt.Sprintf("%q", reply["hookEventName"]))
		assert.Contains(t, reply["additionalContext"], `"Reason for <tool name>: <one sentence>"`)
	}
	assert.Empty(t, s.Post("ann", "/api/hooks/claude/reasons", hookOf("Stop", "", "")).JSON(), "too late to ask")
	assert.Equal(t, http.StatusNotFound, s.Post("ann", "/api/hooks/opencode/reasons", "{}").Status)
	assert.Equal(t, http.StatusBadRequest, s.Post("ann", "/api/hooks/claude/reasons", "{}").Status)
	assert.Len(t, s.Session("ann").Threads(), 3, "what hooks posted is recorded")
}

// TestAReasonStandsBesideTheQuestionOfItsCall holds that the reason which a model gave in its text is known when the
// call waits for a person, with a secret masked.
func TestAReasonStandsBesideTheQuestionOfItsCall(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	planted := apptest.Plant()[0]
	for _, payload := range []string{
		hookOf("UserPromptSubmit", "", ""),
		fmt.Sprintf(`{"hook_event_name":"MessageDisplay","session_id":"s1","prompt_id":"p1","message_id":"m1",
			"index":0,"delta":%q}`, "I try.\nReason for Bash: the token "+planted.Text+" may be old\nSo."),
	} {
		require.Equal(t, http.StatusOK, s.Post("ann", "/api/hooks/claude", payload).Status)
	}
	hook := asks(t, s, "toolu_1", "make test")
	q := open(t, s, 1)[0]
	assert.Equal(t, "model", q["rationale_source"])
	assert.Contains(t, q["rationale"], "may be old")
	apptest.AssertAbsent(t, planted.Secret, "the question", fmt.Sprint(q))
	_, history := watched(t, s, "ann")
	turn := history["turns"].([]any)[0].(apptest.M)
	assert.Equal(t, "I try.\nSo.", turn["reasoning"].(apptest.M)["narrative"])
	hook.leave()
	hook.get(t)
}
