//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/client"
)

// scripted is a file with a case's script, its fixtures filled in.
func scripted(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(file, fill(t, filepath.Join(dir, "script.json")), 0o600))
	return file
}

// TestTheTerminalShowsEveryCase plays each case in a real terminal, with the agent in
// process and with a running server, and compares both with one golden.
func TestTheTerminalShowsEveryCase(t *testing.T) {
	folders, err := filepath.Glob("../../testdata/turns/*/case.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(folders), 13)
	t.Setenv("CANDOR_TOKEN", testToken)
	for _, f := range folders {
		dir := filepath.Dir(f)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			script := scripted(t, dir)
			inProcess := playConsole(t, dir, "--provider", "script", "--script", script)
			compare(t, filepath.Join(dir, "terminal.txt"), inProcess)

			r := runServe(t, "--provider", "script", "--script", script)
			assert.Equal(t, inProcess, playConsole(t, dir, "--server", r.url), "a server's screen is the same")
			r.signal()
			require.NoError(t, <-r.exit)
		})
	}
}

// playConsole says the case's message, answers what is asked, and looks the turn up.
func playConsole(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	var c goldenCase
	require.NoError(t, json.Unmarshal(fill(t, filepath.Join(dir, "case.json")), &c))
	con := openConsole(t, 80, []string{"CANDOR_TOKEN=" + testToken}, append([]string{"chat"}, flags...)...)
	con.prompt("Ctrl-D leaves.")
	con.say(c.Message)
	if c.InterruptAfterMS > 0 {
		con.until("working, ") // a second has passed
		con.interrupt()
	}
	ended, detail, calls := marks(t, dir)
	if len(c.Approvals) > 0 {
		answerQuestions(con, c.Approvals, calls)
	}
	con.prompt(ended)
	con.say("/reasoning 1")
	con.prompt(detail)
	typed, shown, _ := strings.Cut(con.leave(), "\n\n")
	assertNoFixture(t, shown)
	for name, value := range fixtures() {
		typed = strings.ReplaceAll(typed, value, "{{"+name+"}}") // what they type is theirs
	}
	return typed + "\n\n" + shown
}

// marks are what the screen has once the case's turn has ended, and once it has been
// looked up; and how many calls the turn has.
func marks(t *testing.T, dir string) (ended, detail string, calls int) {
	t.Helper()
	var h client.Page
	require.NoError(t, json.Unmarshal(fill(t, filepath.Join(dir, "history.json")), &h))
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
		eventually(con.t, "calls have ended", func() bool { return strings.Count(con.screen(), "\n  ● ") == n })
	}
	for n := range len(actions) {
		con.until(strings.TrimSuffix("/deny "+number(n+1), " 1"))
	}
	for n, call := range slices.Sorted(maps.Keys(actions)) {
		ended(calls - len(actions) + n)
		con.say("/" + actions[call] + " " + number(n+1))
		con.until(map[string]string{"approve": "┄ Approved.", "deny": "┄ Denied."}[actions[call]])
	}
}

func number(n int) string { return strconv.Itoa(n) }
