//go:build unix

package terminal_test

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
	"candor/cmd/candor/command"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// Ctrl-C in a running tool gives the prompt back long before the tool would have ended;
// the turn is interrupted, and its reasons are kept and shown.
func TestCtrlCReturnsToThePromptAndKeepsTheReasons(t *testing.T) {
	c := openConsole(t, 80, nil, "chat", "--provider", "script", "--script",
		apptest.ScriptFile(t, apptest.Waiting(600_000)))
	c.prompt("leaves.")
	c.interrupt()
	c.until("─ Nothing runs. Ctrl-D or /quit leaves.")
	c.say("wait for me")
	c.until("○ wait")
	c.interrupt() // the tool would take ten minutes
	c.prompt("─ Interrupted.\n\n  ┄ Reasoning (turn 1)\n  ┄ wait  \"to wait\"\n")
	c.say("/reasoning 1")
	c.prompt("    outcome:   cancelled")
	c.leave()
}

// The terminal is given back as it was, however the conversation ends.
func TestTheTerminalIsGivenBack(t *testing.T) {
	for name, end := range map[string]func(*console){
		"Ctrl-D":  func(c *console) { c.key("\x04") },
		"/quit":   func(c *console) { c.say("/quit") },
		"SIGTERM": func(c *console) { c.signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			c := openProcess(t, 80, nil, "chat", "--provider", "script", "--script",
				apptest.ScriptFile(t, apptest.Waiting(600_000)))
			c.prompt("leaves.")
			c.say("wait for me")
			c.until("○ wait")
			end(c)
			c.exited(0)
			assert.True(t, strings.HasSuffix(c.out.String(), "\x1b[?2004l"), "%q",
				c.out.String()[len(c.out.String())-40:])
		})
	}
}

func TestLinesAreEditedByCharactersAsTheyAreSeen(t *testing.T) {
	const left, right, up, home = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[H"
	for _, tt := range []struct{ name, keys, want string }{
		{"a wide character is one", "日本語\x7f" + left + "x", "日x本"},
		{"an emoji is one", "a👩‍👩‍👧b" + left + "\x7f", "ab"},
		{"a mark belongs to its letter", "e\u0301x" + left + left + "y", "ye\u0301x"},
		{"words, and the ends of the line", "one two three\x17" + home + ">\x05<", ">one two <"},
		{"delete takes what is under the cursor", "日本" + home + "\x1b[3~", "本"},
		{"Ctrl-D in a line does too", "ab" + home + "\x04", "b"},
		{"right goes over a whole character", "日本" + home + right + "x", "日x本"},
		{"Ctrl-C empties the line", "nonsense\x03yes", "yes"},
		{"the last line comes back", "first\r" + up + "!", "first!"},
		{"a line break is typed with Ctrl-J", "one\ntwo", "one\ntwo"},
		{"and with Alt-Enter", "one\x1b\rtwo", "one\ntwo"},
		{"and with a backslash at the end", "one\\\rtwo", "one\ntwo"},
		{"what is pasted sends nothing", "\x1b[200~one\rtwo\n\x1b[201~!", "one\ntwo!"},
		{"what is pasted is made safe", "\x1b[200~a\x1b[31m\x00\tb\x1b[201~", "a  b"},
		{"keys that mean nothing are nothing", "a\x1b[15~\x1b[Z\x07\x18\x19b", "ab"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := editorServer(t)
			c := openConsole(t, 80, []string{"CANDOR_TOKEN=" + apptest.Token}, "chat", "--server", r.URL)
			c.prompt("leaves.")
			c.key(tt.keys + "\r")
			c.prompt("said")
			apptest.Eventually(t, tt.want, func() bool { return strings.HasSuffix(lastSaid(r), "/"+tt.want) })
			c.leave()
			r.Stop()
		})
	}
}

func TestALongPasteIsShownBySizeAndSentWhole(t *testing.T) {
	r := editorServer(t)
	c := openConsole(t, 80, []string{"CANDOR_TOKEN=" + apptest.Token}, "chat", "--server", r.URL)
	c.prompt("leaves.")
	text := strings.TrimSuffix(strings.Repeat("a pasted line\n", 2000), "\n")
	c.key("look: \x1b[200~" + text + "\x1b[201~ there")
	c.until("› look: [pasted: 2,000 lines, 27,999 bytes] there")
	c.key("\r")
	c.prompt("said")
	assert.True(t, strings.HasSuffix(lastSaid(r), "/look: "+text+" there"))
	c.leave()
	r.Stop()
}

func TestCommandsAreCompleted(t *testing.T) {
	c := openConsole(t, 80, nil, "chat", "--provider", "offline")
	c.prompt("leaves.")
	c.key("/rea\t")
	c.until("› /reasoning")
	c.key(" s\t")
	c.until("› /reasoning search")
	c.key("\x03/\t\t")
	c.until("  /reasoning   /why   /turns   /diff   /view   /rate   /threads")
	c.key("\x03")
	c.leave()
}

// The wide golden cases: forty and a hundred and twenty columns, with a wide script.
func TestScreensOfAnyWidthAreAligned(t *testing.T) {
	screens := filepath.Join(apptest.Root(t), "testdata", "screens")
	for _, cols := range []int{24, 40, 80, 120} {
		t.Run(strconv.Itoa(cols), func(t *testing.T) {
			c := openConsole(t, cols, nil, "chat", "--stream=false", "--provider", "script", "--script",
				apptest.Script(t, screens))
			c.prompt("leaves.")
			c.say("为什么登录很慢？")
			c.prompt("Reasoning (turn 1)")
			c.say("/reasoning 1")
			c.prompt("Reasoning — turn 1")
			c.say("/help")
			c.prompt("Inspection")
			shown := c.leave()
			apptest.CompareGolden(t, filepath.Join(screens, strconv.Itoa(cols)+".txt"), shown)
		})
	}
}

// Where there is no terminal there is no control character, and a line waits for the
// turn before it.
func TestWithoutATerminalTextIsPlain(t *testing.T) {
	script := apptest.Script(t, apptest.TurnsDir(t, "parallel"))
	out, status := runPiped(t, "how did the deploy go?\n/reasoning 1\nhow \\\nis it?\n",
		"chat", "--provider", "script", "--script", script)
	require.Zero(t, status)
	assert.NotContains(t, out, "\x1b")
	assert.Contains(t, out, "  ┄   ↳ clock  \"Tool selected to satisfy the current subtask.\"  (no reason given)\n")
	first, second := strings.Index(out, "Reasoning — turn 1"), strings.Index(out, "Reasoning (turn 2)")
	assert.True(t, 0 < first && first < second, "in order")
	assert.NotContains(t, out, "\n\n\n")
}

func TestAPipedConversationSaysWhetherAllOfItWorked(t *testing.T) {
	for _, tt := range []struct {
		name, dir, lines string
		args             []string
		status           int
		want             string
	}{
		{"done", "single", "what time is it?\n", nil, 0, "It's 12:00 UTC."},
		{"words are said", "single", "", []string{"what", "time is it?"}, 0, "It's 12:00 UTC."},
		{"a turn that failed", "provider-failure", "summarise\n", nil, 1, "✗ the model provider failed"},
		{"a command that is none", "single", "/frob\n", nil, 1, "✗ There is no command /frob."},
		{"a question that nobody is left to answer is denied", "approval", "free some space\n", nil, 0,
			"─ Nobody is left to answer"},
		{"a question that a line answers", "approval", "free some space\n/approve 1\n/deny 2\n", nil, 0, "┄ Approved."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"chat", "--provider", "script", "--script",
				apptest.Script(t, apptest.TurnsDir(t, tt.dir))}, tt.args...)
			out, status := runPiped(t, tt.lines, args...)
			assert.Equal(t, tt.status, status)
			assert.Contains(t, out, tt.want)
			assert.NotContains(t, out, "\x1b")
		})
	}
}

func TestAConversationAsJSONIsATurnALine(t *testing.T) {
	out, status := runPiped(t, "", "chat", "--json", "--provider", "script", "--script",
		apptest.Script(t, apptest.TurnsDir(t, "single")), "what time is it?")
	require.Zero(t, status)
	assert.Equal(t, 1, strings.Count(out, "\n"))
	assert.Contains(t, out, `"rationale_source":"model"`)
	assert.Contains(t, out, `"result":{`)
}

// runPiped runs candor without a terminal and returns its output and exit status.
func runPiped(t *testing.T, stdin string, args ...string) (out string, status int) {
	t.Helper()
	apptest.HideProviders(t)
	var stdout apptest.LogBuffer
	err := command.Run(t.Context(), append([]string{"candor"}, args...), strings.NewReader(stdin), &stdout, io.Discard)
	return stdout.String(), command.ExitStatus(err)
}

// Color is for terminals whose owner did not say no.
func TestColorIsAMatterOfTheEnvironment(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  []string
		args []string
		want bool
	}{
		{"a terminal", nil, nil, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, nil, false},
		{"CLICOLOR=0", []string{"CLICOLOR=0"}, nil, false},
		{"--color never", nil, []string{"--color", "never"}, false},
		{"--color always beats NO_COLOR", []string{"NO_COLOR=1"}, []string{"--color", "always"}, true},
		{"a terminal that can do nothing", []string{"TERM=dumb"}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"chat", "--provider", "script", "--script",
				apptest.Script(t, apptest.TurnsDir(t, "parallel"))}, tt.args...)
			c := openConsole(t, 80, tt.env, args...)
			c.until("›")
			c.say("how did the deploy go?")
			c.until("(no reason given)")
			c.say("/quit")
			c.exited(0)
			raw := c.out.String()
			assert.Equal(t, tt.want, strings.Contains(raw, "\x1b[36mlogs\x1b[0m"), "tool names are cyan")
			assert.Equal(t, tt.want, strings.Contains(raw, "\x1b[2;3m\"Tool selected to satisfy"),
				"what is ours is dim and italic")
			if strings.Contains(tt.name, "nothing") {
				assert.NotContains(t, raw, "\x1b")
			}
		})
	}
}

// editorServer serves a model that says one thing, and keeps what users said to it.
func editorServer(t *testing.T) *program.Running {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	return program.Serve(t, "--provider", "script", "--script", apptest.ScriptFile(t,
		map[string]any{"steps": []any{map[string]any{"text": "said"}}}))
}

// lastSaid is what was said last, behind the number of its turn.
func lastSaid(r *program.Running) string {
	turns := r.Turns()
	if len(turns) == 0 {
		return ""
	}
	last := turns[len(turns)-1]
	return strconv.Itoa(last.Number) + "/" + last.UserInput
}

func TestAWindowThatChangesIsFollowed(t *testing.T) {
	c := openProcess(t, 120, nil, "chat", "--provider", "script", "--script",
		apptest.Script(t, apptest.TurnsDir(t, "parallel")))
	c.prompt("leaves.")
	c.winsize(40)
	c.say("how did the deploy go?")
	c.prompt("  Narrative: \"These three lookups do not\n             depend on each other, so I\n")
	c.leave()
}

// In this process the race detector sees all of a conversation: questions, words typed
// ahead, an interrupt, a window that changes, the end.
func TestAConversationLeavesNoGoroutineBehind(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) }) // after the console's own clean-up
	c := openConsole(t, 80, nil,
		"chat", "--provider", "script", "--script", apptest.Script(t, apptest.TurnsDir(t, "approval")))
	c.prompt("leaves.")
	c.say("free some space")
	c.until("n 2 no")
	c.say("and then again") // is no message while a question waits
	c.until("✗ Not sent: a call waits for your answer.")
	c.winsize(60)
	c.say("y 1")
	c.until("┄ Approved.")
	c.say("n")
	c.prompt("Reasoning (turn 1)")
	c.say("and then again")
	c.until("› and then again")
	c.eventually("two more questions", func(screen string) bool {
		return strings.Count(screen, "? 2 delete_builds") == 2
	})
	c.interrupt()
	c.prompt("Reasoning (turn 2)")
	c.say("/threads")
	c.prompt("2 turns, now")
	c.say("/new")
	c.until("A new conversation begins")
	c.say("/switch 1")
	c.until("2 turns. Last: and then again")
	c.leave()
}
