//go:build unix

package terminal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/client"
)

// besides is a screen that leaves the terminal to an editor.
type besides struct {
	Screen
	asides int
}

func (b *besides) Aside(run func(in, out *os.File) error) error {
	b.asides++
	return run(nil, nil)
}

// editorThat returns an editor that runs a shell script on its file, $1.
func editorThat(t *testing.T, script string) []string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "edit")
	require.NoError(t, os.WriteFile(name, []byte(script), 0o600))
	return []string{"/bin/sh", name}
}

// The editor of the person gets the parameters, indented and harmless, in a file that is theirs alone and gone
// afterwards. A mistake in it loses nothing.
func TestAnEditorChangesTheParameters(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "kept")
	t.Setenv("KEPT", kept)
	a := newAsked(t)
	screen := &besides{Screen: a.Screen}
	a.Screen = screen
	a.addApproval(client.Approval{RequestID: "q", ToolName: "shell", Editable: true,
		Parameters: []byte("{\"a\":\"x \u009b\u202e😀\"}")})
	run := func(script string) {
		t.Helper()
		a.Editor = editorThat(t, script)
		a.shown.Reset()
		require.NoError(t, a.handleLine(t.Context(), "e"))
	}
	run(`cp "$1" "$KEPT"; ls -l "$1" | cut -c1-10 >> "$KEPT"; echo "$1" >> "$KEPT"`)
	raw, err := os.ReadFile(kept)
	require.NoError(t, err)
	text, rest, _ := strings.Cut(string(raw), "-rw-------\n")
	assert.Equal(t, "{\n  \"a\": \"x \\u009b\\u202e😀\"\n}\n", text)
	assert.NoFileExists(t, strings.TrimSpace(rest))
	assert.Contains(t, a.shown.String(), "Nothing was changed, and the call still waits.")

	run("exit 3")
	assert.Contains(t, a.shown.String(), "the editor /bin/sh failed, so nothing was sent")
	run(`echo '{"a": 2' > "$1"`)
	assert.Contains(t, a.shown.String(), "have to be one JSON object, and they are not from byte 7 on")
	assert.Empty(t, a.answers)
	run(`cat "$1" > "$KEPT"; echo '}' >> "$1"`)
	raw, err = os.ReadFile(kept)
	require.NoError(t, err)
	assert.Equal(t, "{\"a\": 2\n", string(raw), "what was written is there again")
	const sent = `/api/chat/approval/edit {"action":"approve","arguments":{"a":2},"request_id":"q"}`
	assert.Equal(t, []string{sent}, a.answers)
	assert.Empty(t, a.approvals)
	assert.Empty(t, a.drafts)
	assert.Equal(t, 4, screen.asides)
}

// What ran is what the person made of the call, so that stands beside the result, with a word that it is theirs.
func TestACallThatAPersonChangedIsShownAsItRan(t *testing.T) {
	var b board
	asked, answered := callEvent("", "a", "shell", "", -1), callEvent("approval_answered", "a", "", "", -1)
	asked.Type, asked.Object = "tool_started", "ls -la"
	answered.Answer, answered.Object = "approve", "ls *.md"
	answered.Edited = []byte(`{"command":"ls *.md"}`)
	ended := callEvent("tool_completed", "a", "shell", "success", -1)
	ended.Line = "2 lines"
	played(&b, asked, callEvent("approval_needed", "a", "shell", "", -1))
	shown := played(&b, answered, ended)
	assert.Contains(t, shown, "✓ shell         approved, changed by a person\n                  ls *.md → 2 lines")
	assert.NotContains(t, shown, "ls -la")

	played(&b, asked)
	answered.Object = ""
	shown = played(&b, answered, ended)
	assert.Contains(t, shown, `{ "command": "ls *.md" } → 2 lines`, "an older server does not say what it is about")

	d := client.Decision{CallID: "c", ToolName: "shell", Outcome: "success", Rationale: "to see all", Source: "model",
		Parameters: []byte(`{"command":"ls -la"}`), Edited: answered.Edited, EditedBy: "ann"}
	turn := client.Turn{Number: 1, Calls: []client.Call{{ID: "c", Object: "ls *.md", Line: "2 lines"}},
		Reasoning: &client.Reasoning{Decisions: []client.Decision{d}}}
	assert.Contains(t, textOf(Style{}.whole(turn, 0)), "to see all  (approved, changed by a person)\n"+
		"                  ls *.md → 2 lines")
}

// What a person changed is said when it happens and whenever the turn is looked at.
func TestTheTerminalSaysWhatAPersonChanged(t *testing.T) {
	e := client.Event{Type: "approval_answered", Answer: "always"}
	e.Edited = []byte(`{"path":"new\u001b[2J"}`)
	for _, said := range []string{Live{}.Lines(e), (&board{}).lines(Live{}, e, time.Time{})} {
		assert.Equal(t, "  ┄ Approved, also for the rest of the session, with changes: { \"path\": \"new\" }\n", said)
	}
	d := client.Decision{CallID: "c", ToolName: "write", Outcome: "success", Parameters: []byte(`{"path":"old"}`),
		Edited: e.Edited, EditedBy: "ann"}
	turn := client.Turn{Number: 1, Calls: []client.Call{{ID: "c"}},
		Reasoning: &client.Reasoning{Decisions: []client.Decision{d}}}
	for _, text := range []string{Style{}.Block(turn), Style{}.Detail(turn, "")} {
		assert.Regexp(t, `params: +\{ "path": "old" \}\n +changed: +\{ "path": "new" \} by ann\n`, text)
	}
	turn.Reasoning.Decisions[0].EditedBy = ""
	assert.Contains(t, Style{}.Block(turn), "by a person\n")
}
