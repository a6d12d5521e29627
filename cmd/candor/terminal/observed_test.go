package terminal

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/web/client"
)

func TestAnObservedTurnBeginsWithWhoAskedAndWhy(t *testing.T) {
	for _, tt := range []struct {
		name, input string
		asked       *client.Asked
		want        string
	}{
		{"by a call", "Is it safe?", &client.Asked{By: "planner", Reason: "a second opinion", ReasonSource: "model"},
			"› planner asked: Is it safe?\n  why: \"a second opinion\" (the reason of its call)\n"},
		{"by a message after a thought", "Is it?", &client.Asked{By: "planner", Reason: "hm", ReasonSource: "thought"},
			"› planner asked: Is it?\n  why: \"hm\" (the thought before it)\n"},
		{"without a reason", "Is it?", &client.Asked{By: "ann"}, "› ann asked: Is it?\n"},
		{"unseen", "", &client.Asked{StartUnseen: true}, "› The beginning of this reasoning was not seen.\n"},
		{"unseen, with a message", "on", &client.Asked{StartUnseen: true},
			"› The beginning of this reasoning was not seen.\n  on\n"},
		{"by nobody", "", nil, "› It began by itself.\n"},
		{"a turn of our own agent", "hello", nil, "› hello\n"},
		{"by a hostile name", "x", &client.Asked{By: "a\x1b[2J\nb"}, "› a b asked: x\n"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, Style{}.asked(tt.input, tt.asked)) })
	}
}

func TestTheFramesOfAnObservedTurnAreShown(t *testing.T) {
	for _, tt := range []struct {
		name  string
		event client.Event
		want  string
	}{
		{"its start",
			client.Event{Type: "thinking", MessageID: "m", UserInput: "why?", Asked: &client.Asked{By: "ann"}},
			"› ann asked: why?\n  ○ Thinking...\n"},
		{"who asked, known later", client.Event{Type: "thinking", UserInput: "why?", Asked: &client.Asked{By: "ann"}},
			"› ann asked: why?\n"},
		{"a note", client.Event{Type: "note", From: "ann", Kind: "chat", Text: "hurry"}, "  ┄ ann said: hurry\n"},
		{"a note to somebody", client.Event{Type: "note", From: "ann", To: "bob", Kind: "chat", Text: "hurry"},
			"  ┄ ann said to bob: hurry\n"},
		{"somebody's thought", client.Event{Type: "note", From: "bob", Kind: "thought", Text: "hm", Late: true},
			"  ┄ bob thought after the end: hm\n"},
		{"a request to stop", client.Event{Type: "note", From: "ann", Kind: "cancel", Text: "enough"},
			"  ┄ ann asked to stop: enough\n"},
		{"anything else", client.Event{Type: "note", From: "ann", Kind: "x\x1b[2J", Text: "a\nb"},
			"  ┄ ann sent: a b\n"},
		{"a conclusion", client.Event{Type: "conclusion", Text: "no"}, "  ┄ Conclusion: no\n"},
		{"an end without an answer", client.Event{Type: "status", State: "completed"},
			"  ─ It ended; no answer was seen.\n"},
		{"a call of a tool that another runs", client.Event{Type: "tool_started", Name: "run", To: "tester"},
			"  ○ run → tester\n"},
		{"a call whose result was not seen", client.Event{Type: "tool_completed", Name: "run",
			Decision: client.Decision{Outcome: "unknown"}}, "  ● run\n    ▸ no result seen\n"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, Live{}.Lines(tt.event)) })
	}
}

// observedTurn has something in every member that only observed turns have.
func observedTurn() client.Turn {
	turn := turnWith(client.Decision{ToolName: "run", To: "tester", Rationale: "I need to know", Source: "thought",
		Outcome: "unknown", Step: 1}, client.Call{})
	turn.Reasoning.Narrative = "After all."
	turn.Reasoning.Narratives = []client.StepNarrative{{Step: 1, Narrative: "Look."}, {Step: 2, Narrative: "Hm."}}
	turn.UserInput, turn.Asked = "Is it safe?", &client.Asked{By: "planner", Reason: "a second opinion"}
	turn.LateSteps, turn.Conclusion = []int{2}, "It is not."
	turn.Notes = []client.Note{{From: "ann", Kind: "chat", Text: "hurry"},
		{From: "bob", Kind: "thought", Text: "too late", Late: true}}
	return turn
}

func TestTheDetailOfAnObservedTurnHasAllOfIt(t *testing.T) {
	assert.Equal(t, `  ┄ Reasoning — turn 2
› planner asked: Is it safe?
  why: "a second opinion" (the reason of its call)
  Narrative: "After all."
  Step 1: "Look."
  Step 2, after the end: "Hm."

  ┄ run → tester
    rationale: "I need to know"  (the thought before it)
    params:    {}
    outcome:   no result seen

  ┄ ann said: hurry
  ┄ Conclusion: It is not.

  ┄ bob thought after the end: too late
`, Style{}.Detail(observedTurn(), ""))
	quiet := observedTurn()
	quiet.Reasoning, quiet.Calls = nil, nil
	assert.Contains(t, Style{}.Detail(quiet, ""), "no tool calls.\n› planner asked: Is it safe?\n")
}

func TestASearchInAThreadFindsWhoAskedAndWhatWasNoted(t *testing.T) {
	for word, want := range map[string]string{
		"second": "asked by planner", "planner": "asked by planner", "hurry": "ann", "not.": "conclusion",
		"tester": "run → tester",
	} {
		found := hits(observedTurn(), []string{word})
		assert.Len(t, found, 1, word)
		assert.Equal(t, want, found[0].where, word)
	}
}

func TestTheListOfThreadsNamesParticipants(t *testing.T) {
	shown := Style{}.Threads([]client.Thread{
		{ID: "1", Title: "Is it safe?", Origin: &client.Origin{Space: "lab", Participant: "scout\x1b[2J"}},
		{ID: "2", Title: "mine"},
	}, "2", time.Now())
	assert.Contains(t, shown, "  lab · scout ")
	assert.Contains(t, shown, "  mine ")
	assert.NotContains(t, shown, "\x1b")
}
