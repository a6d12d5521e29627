//go:build unix

package terminal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// askedScript is a turn with a call that a person is asked about.
func askedScript(t *testing.T) string {
	return apptest.ScriptFile(t, apptest.M{
		"steps": []apptest.M{
			{"tool_calls": []apptest.M{{"id": "1", "name": "careful",
				"rationale": "The draft is replaced by the new one.",
				"arguments": apptest.M{"path": "notes/draft.md", "body": strings.Repeat("a line of it ", 9)}}}},
			{"text": "That was it."},
		},
		"tools": apptest.M{"careful": apptest.M{"approval": "ask", "result": "ok"}},
	})
}

// The person's editor gets the terminal as it was found, and what it leaves is what runs, at any width. While the
// question waits, the line above the prompt counts and fits.
func TestACallIsChangedInAnEditorAtAnyWidth(t *testing.T) {
	editor := filepath.Join(t.TempDir(), "edit")
	script := "stty -a | grep -q -e '-icanon' && exit 3\necho the editor\nsed -i s/draft.md/final.md/ \"$1\"\n"
	require.NoError(t, os.WriteFile(editor, []byte(script), 0o600))
	counts := regexp.MustCompile(`May it run\?.* (5:00|4:\d\d) left\n`)
	for _, cols := range []int{50, 80, 120, 200} {
		t.Run(fmt.Sprint(cols), func(t *testing.T) {
			c := openConsole(t, cols, []string{"VISUAL=/bin/sh " + editor},
				"chat", "--provider", "script", "--script", askedScript(t))
			c.prompt("leaves.")
			c.say("replace it")
			c.eventually("nothing counts", counts.MatchString)
			for line := range strings.Lines(c.screen()) {
				assert.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), cols, line)
			}
			c.say("e")
			c.until("That was it.")
			c.prompt("final.md")
			shown := c.leave()
			assert.Contains(t, shown, "the editor\n")
			assert.NotRegexp(t, `\d:\d\d left`, shown, "the count is gone with the answer")
			assert.Regexp(t, `(?s)changed: .*by local`, shown)
		})
	}
}
