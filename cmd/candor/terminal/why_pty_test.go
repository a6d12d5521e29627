//go:build unix

package terminal_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// longScript is a turn of forty calls, of which the thirtieth fails.
func longScript(t *testing.T) string {
	var calls []any
	for n := range 40 {
		tool := "look"
		if n == 29 {
			tool = "break"
		}
		calls = append(calls, map[string]any{"id": fmt.Sprint(n), "name": fmt.Sprint(tool), "arguments": map[string]any{
			"path": fmt.Sprintf("file-%d.go", n)}, "rationale": fmt.Sprintf("Reason number %d.", n)})
	}
	steps := []any{}
	for n := range calls {
		steps = append(steps, map[string]any{"tool_calls": calls[n : n+1]})
	}
	return apptest.ScriptFile(t, map[string]any{
		"steps": append(steps, map[string]any{"text": "The **answer** stands here."}),
		"tools": map[string]any{"look": map[string]any{"result": "ok"},
			"break": map[string]any{"error": "no such file"}},
	})
}

// readLong opens a conversation with a long turn, and its pager.
func readLong(t *testing.T, open func(*testing.T, int, []string, ...string) *console) *console {
	t.Helper()
	c := open(t, 80, nil, "chat", "--view", "live", "--provider", "script", "--script", longScript(t))
	c.paged = true
	c.prompt("leaves.")
	c.say("look at all of it")
	c.prompt("40 calls · 1 failed")
	c.say("/why 1")
	c.until("\n  lines 1-49 of ")
	return c
}

func TestALongTurnIsReadInAPager(t *testing.T) {
	c := readLong(t, openConsole)
	assert.True(t, strings.HasPrefix(c.screen(), "› look at all of it\n\n  ✓ look          Reason number 0.\n"))
	c.key(" ")
	c.until("\n  lines 38-86 of 86 ")
	c.key("/number 12\r")
	c.until("  ✓ look          Reason number 12.\n")
	assert.NotContains(t, c.screen(), "Reason number 11.")
	c.key("x")
	c.until("\n  failed only · lines 1-")
	assert.Contains(t, c.screen(), "  ✗ break         Reason number 29.\n")
	assert.NotContains(t, c.screen(), "Reason number 28.")
	c.key("xg")
	c.until("› look at all of it")
	c.rows = 20
	c.winsize(60)
	c.until("\n  lines 1-19 of ")
	c.until("  ✓ look  Reason number 0.\n")
	c.key("G")
	c.until("  The answer stands here.\n")
	c.rows = 50
	c.winsize(80)
	c.until("\n  lines 38-86 of 86 ")
	c.key("\x03")
	c.prompt("40 calls · 1 failed")
	assert.NotContains(t, c.screen(), "lines 1-", "the terminal's own screen is back")
	assert.NotContains(t, c.screen(), "Nothing runs", "Ctrl-C was meant for the pager")
	c.say("/why 1.30")
	c.prompt("  ✗ break         Reason number 29.\n                  file-29.go → no such file")
	for line, want := range map[string]string{
		"/why 9":    "✗ There is no turn 9 in this thread. /turns lists those there are.",
		"/why 1.99": "✗ Turn 1 has no step 99 that called a tool. /why 1 shows all of it.",
		"/why one":  "✗ /why takes the number of a turn",
		"/why 1 2":  "✗ /why takes the number of a turn",
		"/turns 1":  "✗ /turns takes no argument.",
		"/diff 1":   "✗ /diff takes the numbers of two turns: /diff 3 4.",
		"/diff 1 x": "✗ /diff takes the numbers of two turns: /diff 3 4.",
		"/diff 1 2": "✗ There is no turn 2 in this thread.",
	} {
		c.say(line)
		c.until("› " + line + "\n  " + want)
	}
	c.leave()
}

// However a pager ends, the terminal is given back as it was found.
func TestThePagerGivesTheTerminalBack(t *testing.T) {
	for name, end := range map[string]func(*console){
		"q":       func(c *console) { c.key("q"); c.prompt("40 calls"); c.say("/quit") },
		"Ctrl-C":  func(c *console) { c.key("\x03"); c.prompt("40 calls"); c.say("/quit") },
		"SIGTERM": func(c *console) { c.signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			c := readLong(t, openProcess)
			end(c)
			c.exited(0)
			raw := c.out.String()
			assert.Less(t, strings.LastIndex(raw, "\x1b[?1049h"), strings.LastIndex(raw, "\x1b[?25h\x1b[?1049l"))
			assert.True(t, strings.HasSuffix(raw, "\x1b[?2004l"), "%q", raw[len(raw)-40:])
		})
	}
}

// Turns are listed and compared where they are short enough for the screen.
func TestTurnsAreListedAndComparedInAConversation(t *testing.T) {
	c := openConsole(t, 80, nil, "chat", "--view", "live", "--provider", "script", "--script", liveScript(t))
	c.prompt("leaves.")
	for _, line := range []string{"/why", "/turns", "/diff 1 2"} {
		c.say(line)
		c.until("› " + line + "\n  ✗ Nothing has been said in this thread yet.")
	}
	c.say("why does it fail?")
	c.prompt("10 calls")
	c.say("why does it still fail?")
	c.eventually("the second turn", func(s string) bool { return strings.Count(s, "10 calls") == 2 })
	c.prompt("10 calls")
	c.say("/turns")
	c.prompt("   1 ✓ why does it fail?")
	c.until("       run_tests ./internal/invoice -run TestInvoiceTotals → FAIL, exit 1, 161 …")
	c.say("/diff 1 2")
	c.prompt("Both made the same calls, for the same reasons.")
	c.until("    + why does it still fail?")
	c.leave()
}

// Without a terminal all of it comes at once, and without a control character.
func TestWhatIsReadAfterwardsIsPlainOnAPipe(t *testing.T) {
	out, status := runPiped(t, "look at all of it\n/why\n/turns\n/diff 1 1\n", "chat", "--provider", "script",
		"--script", longScript(t))
	require.Zero(t, status)
	assert.NotContains(t, out, "\x1b")
	assert.Contains(t, out, "\n  ✗ break         Reason number 29.\n                  file-29.go → no such file")
	assert.Contains(t, out, "\n  The **answer** stands here.\n\n  40 calls · 1 failed")
	assert.Contains(t, out, "\n   1 ✓ look at all of it  ")
	assert.Contains(t, out, "Both made the same calls, for the same reasons.")
	out, status = runPiped(t, "look at all of it\n/why 1\n/turns\n/diff 1 1\n", "chat", "--json",
		"--provider", "script", "--script", longScript(t))
	require.Zero(t, status)
	assert.Equal(t, 5, strings.Count("\n"+out, "\n{"), "the JSON of each turn")
	assert.Equal(t, 5, strings.Count(out, "\n"), "and nothing else")
}
