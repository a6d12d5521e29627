package attached_test

import (
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
)

// makesAt writes the payload of a hook of Gemini CLI before a call that began so many seconds after the prompt.
func makesAt(seconds int) string {
	return fmt.Sprintf(`{"hook_event_name":"BeforeTool","session_id":"s1","timestamp":%q,
		"tool_name":"run_shell_command","tool_input":{"command":"make"},
		"candor":{"turn":"p1","prompt":"go on","time":%q}}`,
		at(seconds).Format(time.RFC3339Nano), at(0).Format(time.RFC3339Nano))
}

// fileOfGemini returns what a session file of Gemini CLI tells of calls that equal those of makesAt and have ended. The
// answer that asked for them came at 5 s. It has the time of the end only of a call that is alone.
func fileOfGemini(ids ...string) (all []attach.Sighting) {
	for i, id := range ids {
		one := attach.Sighting{Agent: "gemini", Session: "s1", Channel: attach.File, Turn: "p1", Group: "g1", Index: i,
			At: at(5), Call: id}
		end := one
		one.Called = &attach.Called{Tool: "run_shell_command", Params: []byte(`{"command":"make"}`)}
		end.Index, end.At, end.Returned = 0, time.Time{}, &attach.Returned{Result: []byte(`"ok"`)}
		if len(ids) == 1 {
			end.At = at(7)
		}
		all = append(all, one, end)
	}
	return all
}

const unanswered = `{"systemMessage":"` + attach.Unanswered + `"}`

// TestACallIsAskedAboutThoughAnEqualOneHasEnded holds that a call that runs is not taken for an earlier one of the file
// whose hook was missed.
func TestACallIsAskedAboutThoughAnEqualOneHasEnded(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	tell(t, s, fileOfGemini("f0")...)
	h := asksAs(t, s, "gemini", makesAt(20))
	require.Equal(t, http.StatusAccepted, answerTo(t, s, open(t, s, 1)[0], "deny", ""))
	assert.Contains(t, h.get(t), `"decision":"deny"`)
}

// TestNobodyIsKeptInTheDarkAboutACallThatCannotBeToldFromOthers holds that the person in front of the program is told
// where the file has equal calls, and nobody knows whether the one that runs is among them.
func TestNobodyIsKeptInTheDarkAboutACallThatCannotBeToldFromOthers(t *testing.T) {
	for name, earlier := range map[string][]int{"which of several": nil, "one that has ended": {6}} {
		t.Run(name, func(t *testing.T) {
			s := apptest.Start(t, app.Settings{}, nil)
			for _, at := range earlier {
				s.Post("ann", "/api/hooks/gemini", makesAt(at))
			}
			tell(t, s, fileOfGemini("f0", "f1")...)
			assert.JSONEq(t, unanswered, asksAs(t, s, "gemini", makesAt(20)).get(t))
		})
	}
}

// TestACallOfATurnWithTooManyIsToldToTheProgramsUser holds that a model cannot go past the person who is to approve its
// calls by making very many of them, nor a hook that names no turn.
func TestACallOfATurnWithTooManyIsToldToTheProgramsUser(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	none := strings.Replace(makesAt(20), `"turn":"p1"`, `"turn":""`, 1)
	assert.JSONEq(t, unanswered, asksAs(t, s, "gemini", none).get(t))
	var many []attach.Sighting
	for i := range 1000 {
		many = append(many, attach.Sighting{Agent: "gemini", Session: "s1", Channel: attach.Hooks, Turn: "p1",
			At: at(1), Call: fmt.Sprint("echo ", i), Unnamed: true, Called: &attach.Called{Tool: "run_shell_command"}})
	}
	tell(t, s, many...)
	assert.JSONEq(t, unanswered, asksAs(t, s, "gemini", makesAt(20)).get(t))
}
