package terminal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
)

func TestTailShowsWhatOtherAgentsDoAndWhoAskedThem(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	space := s.Observe("ann", "lab")
	_, scout := space.AskScout("Do the tests pass?")
	tail := startTail(t, s.HTTP.URL, "--thread", space.Scout)
	shows := func(words string) {
		t.Helper()
		apptest.Eventually(t, words, func() bool { return strings.Contains(tail.out.String(), words) })
	}
	shows("planner asked")
	space.Add(scout, space.Say(1, "I run them."), space.Call(1, "call_1", "run_tests", "tester", "only a run can tell"),
		space.Note(session.NoteChat, "ann", "Hurry!"),
		session.ToolReturned{Call: "call_1", Outcome: session.Unknown},
		session.TurnCompleted{Conclusion: space.Text("They should.")})
	shows("no answer was seen")
	space.Add(scout, space.Note(session.NoteThought, "bob", "Should?"), space.Say(2, "I look again."),
		session.Answered{Response: space.Text("Yes, all pass.")})
	shows("Yes, all pass.")
	require.NoError(t, tail.end())
	_, shown, _ := strings.Cut(tail.out.String(), ": 1 conversation. Ctrl-C ends it.\n\n")
	shown = times.ReplaceAllString(clockTime.ReplaceAllString(shown, "  <time>  "), "  <time>")
	assert.Equal(t, `  <time>  lab · scout, turn 1
› planner asked: Do the tests pass?
  why: "scout knows the tests" (the reason of its call)

  ⋯ It has not ended.

  I run them.

  ┄ ann said: Hurry!
  ─ run_tests → tester  only a run can tell
                  tests → no result was seen  <time>
  ┄ Conclusion: They should.
  ─ It ended; no answer was seen.

  1 call ·  <time>
  ┄ bob thought after the end: Should?

  I look again.

  Yes, all pass.
`, shown)

	replayed := startTail(t, s.HTTP.URL, "--thread", space.Scout, "--turns", "1")
	apptest.Eventually(t, "the turn", func() bool { return strings.Contains(replayed.out.String(), "Should?") })
	require.NoError(t, replayed.end())
	for _, want := range []string{"› planner asked: Do the tests pass?\n", "  ┄ Conclusion: They should.\n",
		"\n\n  Yes, all pass.\n", "  ┄ ann said: Hurry!\n", "  ┄ bob thought after the end: Should?\n"} {
		assert.Contains(t, replayed.out.String(), want)
	}
}

// What is said to a participant is a turn of the speaker's own thread, so the conversation does
// not wait for it. A narrative after a turn's end does not make the turn run again.
func TestAConversationInAnObservedThreadEndsWithItsTurns(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	space := s.Observe("ann", "lab")
	_, scout := space.AskScout("Do the tests pass?")
	c := openConsole(t, 80, nil, "chat", "--server", s.HTTP.URL, "--thread", space.Scout)
	c.until("Last: Do the tests pass?")
	space.Add(scout, space.Say(1, "I run them."), session.TurnCompleted{Conclusion: space.Text("They should.")})
	c.prompt("Conclusion: They should.")
	space.Add(scout, space.Say(2, "I look again."))
	c.until("I look again.")
	c.interrupt()
	c.until("Nothing runs.")
	space.Add(scout, session.Answered{Response: space.Text("Yes, all pass.")})
	c.prompt("Yes, all pass.")
	c.say("/threads")
	c.prompt("lab · planner")
	assert.Equal(t, 1, strings.Count(c.leave(), "Reasoning (turn 1)"), "once, although the answer came after the end")
}
