//go:build unix

package terminal_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
)

// times are what differs between two recordings of one turn, and the spaces that make up for it.
var times = regexp.MustCompile(` +(under )?\d+(\.\d)? m?s\b`)

// liveScript is a turn of four steps: a failure, a call without a reason, a fold, a secret.
func liveScript(t *testing.T) string {
	return apptest.Script(t, filepath.Join("testdata", "live"))
}

// The recording of a turn: what is left on the screen, at every width from narrow to wide.
func TestALiveTurnIsSaidOnceAtAnyWidth(t *testing.T) {
	for _, cols := range []int{50, 60, 80, 100, 200} {
		t.Run(strconv.Itoa(cols), func(t *testing.T) {
			c := openConsole(t, cols, nil, "chat", "--view", "live", "--provider", "script", "--script", liveScript(t))
			c.prompt("leaves.")
			c.say("why does it fail?")
			c.prompt("10 calls")
			shown := c.leave()
			apptest.AssertNoFixture(t, shown)
			for _, once := range []string{"The request names", "FAIL, exit 1", "I want to see", "A line knows"} {
				assert.LessOrEqual(t, strings.Count(strings.Join(strings.Fields(shown), " "), once), 1, once)
			}
			apptest.CompareGolden(t, filepath.Join("testdata", "live", strconv.Itoa(cols)+".txt"),
				times.ReplaceAllString(shown, "  <time>"))
		})
	}
}

// Each reason is on the screen before its tool has ended, in both views.
func TestAReasonIsOnTheScreenBeforeItsToolHasEnded(t *testing.T) {
	for view, ended := range map[string]string{"live": "✓", "full": "●"} {
		t.Run(view, func(t *testing.T) {
			c := openConsole(t, 80, nil, "chat", "--view", view, "--provider", "script", "--script", liveScript(t))
			c.prompt("leaves.")
			c.say("why does it fail?")
			c.prompt(map[string]string{"live": "10 calls", "full": "Reasoning (turn 1)"}[view])
			raw := withoutColor(c.out.String())
			for tool, reason := range map[string]string{
				"git_log": "It broke on Tuesday", "a_tool_with": "Nothing references it",
				"http_get": "The rates service",
			} {
				said, done := strings.Index(raw, reason), strings.Index(raw, ended+" "+tool)
				assert.True(t, 0 <= said && said < done, "%s is said at %d, and ends at %d", tool, said, done)
			}
			c.leave()
		})
	}
	// The tool would take ten minutes: what is on the screen now is there while it runs.
	c := openConsole(t, 80, nil, "chat", "--provider", "script", "--script",
		apptest.ScriptFile(t, apptest.Waiting(600_000)))
	c.prompt("leaves.")
	c.say("wait for me")
	c.until("  ○ wait          to wait\n\n  ⋯ step 1 · wait · ")
	c.interrupt()
	c.prompt("─ Interrupted.")
	assert.NotContains(t, c.screen(), "⋯", "the region is gone with the turn")
	c.leave()
}

// colors are the renditions of a Style.
var colors = regexp.MustCompile("\x1b\\[[0-9;]*m")

// withoutColor is what a terminal got, but for its renditions.
func withoutColor(raw string) string { return colors.ReplaceAllString(raw, "") }

// A line that is typed while a turn runs stays, and what runs stands below it.
func TestALineTypedAboveWhatRunsStays(t *testing.T) {
	c := openConsole(t, 60, nil, "chat", "--view", "live", "--provider", "script", "--script",
		apptest.ScriptFile(t, apptest.Waiting(600_000)))
	c.prompt("leaves.")
	c.say("wait for me")
	c.until("  ○ wait  to wait\n")
	c.key("and a line that is so long that it takes two rows of the window")
	c.until("takes two rows of the w\nindow")
	c.key("\r")
	c.until("  ┄ Turn 2 waits for the one before it.\n")
	c.until("› wait for me\n\n› and a line that is so long that it takes two rows of the w\nindow\n")
	c.until("  ○ wait  to wait\n\n  ⋯ step 1 · wait · ")
	c.interrupt()
	c.prompt("─ Interrupted.\n\n  1 call · ")
	c.leave()
}

// The view can be changed at any time. Without the flag it is the one of the specification.
func TestTheViewIsChosenAndSaid(t *testing.T) {
	c := openConsole(t, 80, nil, "chat", "--provider", "script", "--script",
		apptest.Script(t, apptest.TurnsDir(t, "single")))
	c.prompt("leaves.")
	c.say("/view")
	c.until("┄ The view is full. Why is said once more below each answer.")
	c.say("/view live")
	c.until("┄ The view is live. Each call is shown once, with its reason and its result.")
	c.say("what time is it?")
	c.prompt("1 call ·")
	assert.NotContains(t, c.screen(), "Reasoning (turn 1)")
	c.say("/view narrow")
	c.until("✗ /view takes live or full.")
	c.say("/view full")
	c.say("what time is it?")
	c.prompt("Reasoning (turn 2)")
	c.leave()
	_, status := runPiped(t, "", "chat", "--view", "narrow", "hello")
	assert.Equal(t, 2, status)
}
