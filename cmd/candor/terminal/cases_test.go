//go:build unix

package terminal_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
	"candor/web/client"
)

// TestTheTerminalShowsEveryCase plays each case of testdata/turns on a terminal, with
// the agent in this process and with a running server. Both have to give one golden. Texts
// are shown whole: how they are cut into sentences is no part of a case.
func TestTheTerminalShowsEveryCase(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	apptest.EachCase(t, func(t *testing.T, c apptest.Case) {
		script := apptest.Script(t, c.Dir)
		inProcess := playOnConsole(t, c, "--stream=false", "--provider", "script", "--script", script)
		apptest.CompareGolden(t, filepath.Join(c.Dir, "terminal.txt"), inProcess)
		if testing.Short() {
			return
		}
		r := program.Serve(t, "--stream=false", "--provider", "script", "--script", script)
		assert.Equal(t, inProcess, playOnConsole(t, c, "--server", r.URL), "a server's screen is the same")
		r.Stop()
	})
}

// playOnConsole sends the case's message, answers the questions, looks the turn up, and
// returns the screen.
func playOnConsole(t *testing.T, c apptest.Case, flags ...string) string {
	t.Helper()
	con := openConsole(t, 80, []string{"CANDOR_TOKEN=" + apptest.Token}, append([]string{"chat"}, flags...)...)
	con.prompt("Ctrl-D leaves.")
	con.say(c.Message)
	if c.InterruptAfterMS > 0 {
		con.eventually("nothing has run for a second", regexp.MustCompile(` · [1-9]\d* s · 1 of 2 calls\n`).MatchString)
		con.interrupt()
	}
	ended, detail, calls := marks(t, c)
	if len(c.Approvals) > 0 {
		answerQuestions(con, c.Approvals, calls)
	}
	con.prompt(ended)
	con.say("/reasoning 1")
	con.prompt(detail)
	typed, shown, _ := strings.Cut(con.leave(), "\n\n")
	apptest.AssertNoFixture(t, shown)
	for name, value := range apptest.Fixtures() {
		typed = strings.ReplaceAll(typed, value, "{{"+name+"}}") // the echo of the user's own keys
	}
	return typed + "\n\n" + shown
}

// marks returns what the screen shows once the case's turn has ended, what it shows
// once the turn has been looked up, and how many calls the turn has.
func marks(t *testing.T, c apptest.Case) (ended, detail string, calls int) {
	t.Helper()
	var h client.Page
	require.NoError(t, json.Unmarshal(apptest.ReadFixture(t, filepath.Join(c.Dir, "history.json")), &h))
	turn := h.Turns[0]
	if turn.Reasoning != nil {
		return "┄ Reasoning (turn 1)", "┄ Reasoning — turn 1", len(turn.Calls)
	}
	return cmp.Or(turn.Response, "✗ "+turn.Error), "─ Turn 1 had no tool calls.", 0
}

// answerQuestions answers the calls that wait, in their order, once all have asked and
// the others have ended.
func answerQuestions(con *console, actions map[string]string, calls int) {
	ended := func(n int) {
		apptest.Eventually(con.t, "calls have ended", func() bool { return strings.Count(con.screen(), "\n  ● ") == n })
	}
	if len(actions) == 1 {
		con.until("n no") // a question that waits alone needs no number
	}
	for n := range len(actions) {
		if len(actions) > 1 {
			con.until("n " + strconv.Itoa(n+1) + " no")
		}
	}
	for n, call := range slices.Sorted(maps.Keys(actions)) {
		ended(calls - len(actions) + n)
		con.say("/" + actions[call] + " " + strconv.Itoa(n+1))
		con.until(map[string]string{"approve": "┄ Approved.", "deny": "┄ Denied."}[actions[call]])
	}
}
