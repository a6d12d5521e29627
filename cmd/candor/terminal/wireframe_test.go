//go:build unix

package terminal_test

import (
	"strconv"
	"strings"
	"testing"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
	"candor/cmd/candor/command"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the specification's sections 7.1, 7.2, 10.2 and 14.4 show, to the character. Of
// 7.2 the thread is filled in.
const (
	wireframeAfterATurn = `› search for recent project updates

  ○ Thinking...
  ○ memory_search
  ● memory_search
    ▸ Found 3 documents matching "project updates"
  ○ shell
  ● shell
    ▸ Exit 0 — stdout: 142 chars

The latest updates include: [response text]

  ┄ Reasoning (turn 4)
  ┄ memory_search  "searched memory for 'recent project updates'"
    params: { "query": "recent project updates", "limit": 5 }
    → 3 documents found
  ┄ shell  "ran git log to check recent commits"
    params: { "command": "git log --oneline -10" }
    → success (142 chars)

›`

	wireframeOfAThread = `  ┄ Reasoning — thread <uuid>, turn 2
  Narrative: "I'll first search memory for context, then read the relevant file."

  ┄ memory_search
    rationale: "searched memory for 'authentication design'"
    params:    { "query": "authentication design", "limit": 3 }
    outcome:   2 documents found

  ┄ file_read
    rationale: "reading the auth module to understand current implementation"
    params:    { "path": "src/safety/sanitizer.rs" }
    outcome:   success (4,321 bytes)
`

	wireframeOfABatch = `  ┄ [parallel batch 0]
  ┄   ↳ memory_search  "searching memory for auth design"
       params: { "query": "auth design" }
       → 2 documents
  ┄   ↳ file_read  "reading sanitizer source"
       params: { "path": "src/safety/sanitizer.rs" }
       → success (4,321 bytes)
`

	wireframeAtThePrompt = `› /reasoning 2

  ┄ Reasoning — turn 2
  Narrative: "Searching memory, then reading the file."

  ┄ memory_search
    rationale: "looked up prior context"
    params:    { "query": "authentication", "limit": 5 }
    outcome:   success

  ┄ file_read
    rationale: "read sanitizer implementation"
    params:    { "path": "src/safety/sanitizer.rs" }
    outcome:   success (4,321 bytes)

›`
)

// converse says the same thing until the thread has so many turns.
func converse(c *console, message string, turns int) {
	c.prompt("leaves.")
	for n := range turns {
		c.say(message)
		c.prompt("Reasoning (turn " + strconv.Itoa(n+1) + ")")
	}
}

func TestTheSpecificationsWireframesComeOut(t *testing.T) {
	for _, tt := range []struct {
		name, dir, message string
		turns              int
		then, want         string
	}{
		{"7.1 after a turn", "wireframe-block", "search for recent project updates", 4, "", wireframeAfterATurn},
		{"10.2 a parallel batch", "wireframe-parallel", "how is the input cleaned?", 1, "", wireframeOfABatch},
		{"14.4 at the prompt", "wireframe-console", "how does it authenticate?", 2, "/reasoning 2",
			wireframeAtThePrompt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := openConsole(t, 80, nil, "chat", "--provider", "script", "--script",
				apptest.Script(t, apptest.TurnsDir(t, tt.dir)))
			converse(c, tt.message, tt.turns)
			if tt.then != "" {
				c.say(tt.then)
				c.prompt("Reasoning — turn")
			}
			assert.Contains(t, c.screen(), tt.want)
		})
	}
}

// 7.2 names the thread: it is what candor reasoning shows, to who sees no conversation.
func TestTheWireframeThatNamesItsThreadComesOut(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := program.Serve(t, "--provider", "script", "--script", apptest.Script(t,
		apptest.TurnsDir(t, "wireframe-detail")))
	c := openConsole(t, 80, []string{"CANDOR_TOKEN=" + apptest.Token}, "chat", "--server", r.URL)
	converse(c, "how does authentication work?", 2)
	c.leave()
	var out apptest.LogBuffer
	require.NoError(t, command.Run(t.Context(), []string{"candor", "reasoning", "--server", r.URL, "last", "2"},
		strings.NewReader(""), &out, &out))
	thread := r.ActiveThread()
	assert.Equal(t, strings.ReplaceAll(wireframeOfAThread, "<uuid>", thread), out.String())
	r.Stop()
}

func TestReplReasoningCommandRouting(t *testing.T) {
	c := openConsole(t, 80, nil, "chat", "--provider", "script", "--script",
		apptest.Script(t, apptest.TurnsDir(t, "single")))
	converse(c, "what time is it?", 3)
	c.say("/reasoning 3")
	c.prompt("┄ Reasoning — turn 3")
	assert.Equal(t, 1, strings.Count(c.screen(), "┄ Reasoning — turn"), "it is the third and no other")
	c.say("/reasoning")
	c.until("/reasoning\n\n  ┄ Reasoning — turn 3")
	c.say("/reasoning all")
	c.until("/reasoning all\n\n  ┄ Reasoning — turn 1")
	c.prompt("┄ Reasoning — turn 2")
	c.say("/reasoning search clock current")
	c.prompt("  turn 1  clock             \"to read the current UTC time\" {}")
	c.say("/threads")
	c.prompt("3 turns, now") // none of this was said to the agent
	c.leave()
}

func TestReasoningOutOfRangeSaysSo(t *testing.T) {
	c := openConsole(t, 80, nil, "chat", "--provider", "script", "--script",
		apptest.Script(t, apptest.TurnsDir(t, "no-tools")))
	c.prompt("leaves.")
	c.say("/reasoning 1")
	c.until("\n  ✗ No reasoning data for turn 1 in this thread.\n")
	c.say("/reasoning")
	c.until("✗ Nothing has been said in this thread yet.")
	c.say("thanks")
	c.prompt("You're welcome!")
	for _, line := range []struct{ typed, want string }{
		{"/reasoning 1", "  ─ Turn 1 had no tool calls."},
		{"/reasoning 7", "  ✗ No reasoning data for turn 7 in this thread."},
		{"/reasoning 0", "  ✗ No reasoning data for turn 0 in this thread."},
		{"/reasoning 99999999999999999999", "  ✗ /reasoning takes the number of a turn, all, last, or search WORDS."},
		{"/reasoning -1", "  ✗ /reasoning takes the number of a turn"},
		{"/reasoning 1 2", "  ✗ /reasoning takes the number of a turn"},
		{"/reasoning search", "  ✗ /reasoning search needs words"},
		{"/reasoning search unheard-of", "  ─ Nothing in this thread has all of these words."},
		{"/raesoning 1", "  ✗ There is no command /raesoning. Did you mean /reasoning?"},
		{"/frobnicate", "  ✗ There is no command /frobnicate. /help lists those there are."},
		{"/approve", "  ✗ No call waits for an answer."},
		{"/deny 3", "  ✗ No call waits for an answer."},
		{"/switch", "  ✗ /switch takes the number of a thread in /threads, or its id."},
		{"/switch 9", "  ✗ There is no such thread. /threads lists yours."},
		{"/delete 9", "  ✗ There is no such thread. /threads lists yours."},
		{"/delete 1 2", "  ✗ /delete takes the number of a thread in /threads, or its id"},
		{"/threads now", "  ✗ /threads takes no argument."},
		{"/export exe a b", "  ✗ /export takes a format (md, jsonl or html) and a file to write."},
		{"/quit now", "  ✗ /quit takes no argument."},
	} {
		c.say(line.typed)
		c.until("› " + line.typed + "\n")
		c.until(line.want)
	}
	c.leave()
}
