package attached_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
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

// TestOpenCodeIsTheSameByItsPluginByItsDatabaseAndByBoth posts what the real program's plugin posted, what its database
// held, and both.
func TestOpenCodeIsTheSameByItsPluginByItsDatabaseAndByBoth(t *testing.T) {
	hooks, err := os.ReadFile("../../attach/opencode/testdata/hooks.jsonl")
	require.NoError(t, err)
	file, err := os.ReadFile("../../attach/opencode/testdata/sessions.want")
	require.NoError(t, err)
	byFile := toldByOpenCode(t, nil, file)
	assert.Greater(t, len(byFile), 13)
	assert.Contains(t, strings.Join(byFile, "\n"), "nosuch")
	assert.Equal(t, byFile, toldByOpenCode(t, hooks, nil))
	assert.Equal(t, byFile, toldByOpenCode(t, hooks, file))
}

// openCodeCall writes what the plugin of OpenCode posts about a call in a state, with more members.
func openCodeCall(state, more string) string {
	return `{"session":{"id":"s1","time":{"created":1}},"root":"s1","turn":"u1","message":{"id":"a1","role":"assistant",
		"parentID":"u1","time":{"created":2}},"parts":[null,{"id":"p1","type":"tool","callID":"c1","tool":"bash",
		"state":{"input":{"command":"rm -r build"},"time":{"start":3,"end":4},` + state + `}}]` + more + `}`
}

// TestACallOfOpenCodeWaitsWithTheArgumentsThatRun holds that a person sees these, although another plugin changed what
// the model wrote, and what the plugin reads then, which can only deny.
func TestACallOfOpenCodeWaitsWithTheArgumentsThatRun(t *testing.T) {
	const asks = `,"asked":{"arguments":{"command":"rm -r build/old"}}`
	for name, c := range map[string]struct{ action, words, want, error string }{
		"approved": {"approve", "", `{}`, ""},
		"denied":   {"deny", "", `{"decision":"deny","reason":"A person denied this call in Candor."}`, attach.Denied},
		"denied with words": {"deny", "Keep it.",
			`{"decision":"deny","reason":"A person denied this call in Candor. They said: Keep it."}`, attach.Denied},
	} {
		t.Run(name, func(t *testing.T) {
			s := apptest.Start(t, app.Settings{}, nil)
			h := asksAs(t, s, "opencode", openCodeCall(`"status":"running"`, asks))
			q := open(t, s, 1)[0]
			assert.Equal(t, apptest.M{"command": "rm -r build/old"}, q["parameters"])
			require.Equal(t, http.StatusAccepted, answerTo(t, s, q, c.action, c.words))
			assert.JSONEq(t, c.want, h.get(t))
			ends, want := `"status":"completed","output":"done"`, session.Success
			if c.error != "" {
				ends, want = `"status":"error","error":"`+c.error+`"`, session.Rejected
			}
			r := s.Post("ann", "/api/hooks/opencode", openCodeCall(ends, ""))
			require.Equal(t, http.StatusOK, r.Status, r.Body)
			assert.Equal(t, want, lastCall(t, s).Outcome)
		})
	}
}

// TestWithoutAnAnswerOpenCodeGoesOn holds that the person in front of the program reads of it, and that nobody is asked
// about what cannot be shown as it runs, or is only told.
func TestWithoutAnAnswerOpenCodeGoesOn(t *testing.T) {
	long := `,"asked":{"arguments":{"command":"` + strings.Repeat("x", 70_000) + `"}}`
	for name, c := range map[string]struct {
		more         string
		asked, tells bool
	}{
		"in time":            {`,"asked":{"arguments":{}}`, true, true},
		"too long":           {`,"asked":{}`, false, true},
		"too long to show":   {long, false, true},
		"what is only told":  {"", false, false},
		"asked with nothing": {`,"asked":null`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := apptest.Start(t, app.Settings{ApprovalTimeout: 20 * time.Millisecond}, nil)
			reply := asksAs(t, s, "opencode", openCodeCall(`"status":"running"`, c.more)).get(t)
			assert.Equal(t, c.tells, strings.Contains(reply, attach.Unanswered), reply)
			assert.NotContains(t, reply, "deny")
			assert.Equal(t, c.asked, lastCall(t, s).Approval != nil)
			assert.Equal(t, session.Pending, lastCall(t, s).Outcome)
		})
	}
}

// toldByOpenCode returns the decisions of all turns, once both have been posted.
func toldByOpenCode(t *testing.T, hooks, file []byte) []string {
	t.Helper()
	s := apptest.Start(t, app.Settings{}, nil)
	for payload := range bytes.Lines(hooks) {
		posting(t, s, "/api/hooks/opencode", string(payload))()
	}
	// The parent first, as the reader has it.
	var facts []attach.Sighting
	for line := range bytes.Lines(file) {
		var one attach.Sighting
		require.NoError(t, json.Unmarshal(line, &one))
		facts = append(facts, one)
	}
	if len(facts) > 0 {
		posting(t, s, "/api/attached", body(t, facts))()
	}
	return decisions(t, s)
}
