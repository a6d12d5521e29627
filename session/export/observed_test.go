package export

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/safety"
	"candor/session"
)

func TestATurnOfAnotherAgentTellsWhoAskedWhyAndWhatWasNoted(t *testing.T) {
	d := observedWith("plain")
	turn := &d.Turns[0]
	turn.Asked.By, turn.Asked.Reason = safety.Literal("planner"), safety.Literal("a second opinion")
	turn.Conclusion = safety.Literal("a dead end")
	turn.Notes[0].From, turn.Notes[1].Text = safety.Literal("ann"), safety.Literal("too late")
	turn.Notes[0].To = safety.Literal("bob")
	turn.Steps[0].Late, turn.Steps[0].Calls[0].Outcome = true, session.Unknown
	turn.Steps[0].Calls[0].To, turn.Steps[0].Calls[0].Rationale.Source = safety.Literal("tester"), session.FromThought
	inBoth(t, d, "planner", " in turn 2 of thread t-1", "a second opinion", "the reason of the call", "a dead end",
		"said to", ", 21 February 2026, 10:00:00 UTC", "After the end", "too late", "Step 1, after the end",
		"no result seen", "thought before the call")
	md := markdownOf(t, d)
	assert.Contains(t, md, "The agent is `plain` in the space `plain`.\n")
	assert.Contains(t, md, "**Asked** by `planner` in turn 2 of thread t-1\n\n> plain\n")
	assert.Contains(t, md, "#### 1. `plain` `plain` → `tester`\n")
	assert.Contains(t, md, "**Note:** `ann` said to `bob`, 21 February 2026")
	assert.Less(t, strings.Index(md, "`ann` said"), strings.Index(md, "a dead end"))
	assert.Less(t, strings.Index(md, "**Answer**"), strings.Index(md, "After the end"))
	assert.NotContains(t, md, "**User**")

	d.Omit.Reasoning = true
	for _, gone := range []string{"a second opinion", "a dead end", "too late", "tester"} {
		assert.NotContains(t, markdownOf(t, d)+htmlOf(t, d), gone, "part of the reasoning")
	}
	inBoth(t, d, "planner")
}

func TestATurnForWhichNobodyIsKnownToHaveAskedSaysSo(t *testing.T) {
	of := session.Origin{Protocol: "mew", Space: safety.Literal("lab"), Participant: safety.Literal("scout")}
	turn := session.Turn{Number: 1, State: session.Completed, Response: safety.Literal("hello")}
	inBoth(t, Document{Origin: of, Turns: []session.Turn{turn}}, "scout in lab", "A message that answers nobody.")
	turn = session.Turn{Number: 1, State: session.Completed, Conclusion: safety.Literal("so it is")}
	inBoth(t, Document{Origin: of, Turns: []session.Turn{turn}}, "It began by itself.", "No answer was seen")
	said := session.Turn{Number: 1, State: session.Completed, Response: safety.Literal("hello")}
	assert.Contains(t, markdownOf(t, Document{Origin: of, Turns: []session.Turn{said}}),
		"A message that answers nobody.\n\n**Answer**\n", "what follows is a paragraph of its own")
	turn.Input = safety.Literal("a task")
	inBoth(t, Document{Origin: of, Turns: []session.Turn{turn}}, "It began by itself.", "a task")
	turn.Asked = session.Asked{Unseen: true}
	inBoth(t, Document{Origin: of, Turns: []session.Turn{turn}}, "The beginning of this reasoning was not seen.")
	turn.Asked = session.Asked{By: safety.Literal("ann"), Thread: "t-9", Reason: safety.Literal("so"),
		Source: session.FromThought}
	inBoth(t, Document{Origin: of, Turns: []session.Turn{turn}}, "ann", " in thread t-9", "the thought before the")
	assert.Contains(t, markdownOf(t, Document{Turns: []session.Turn{{}}}), "**User**", "our own agent's turns")
}

// A person types the message of a watched agent's turn, and what it is in is a folder.
func TestATurnOfAWatchedAgentBeginsWithItsPersonsMessage(t *testing.T) {
	of := session.Origin{Protocol: session.AttachedProtocol, Space: safety.Literal("proj"),
		Participant: safety.Literal("Claude Code")}
	turn := session.Turn{Number: 1, State: session.Completed, Input: safety.Literal("fix it")}
	d := Document{Origin: of, Turns: []session.Turn{turn}}
	assert.Contains(t, markdownOf(t, d), "The agent is `Claude Code` in the folder `proj`.\n")
	assert.Contains(t, markdownOf(t, d), "**User**\n\n> fix it\n")
	assert.Contains(t, htmlOf(t, d), "<code>Claude Code</code> in the folder <code>proj</code>.</p>")
	assert.Contains(t, htmlOf(t, d), `<p class="said user">fix it</p>`)
	assert.NotContains(t, markdownOf(t, d)+htmlOf(t, d), "began by itself")
	assert.NotContains(t, markdownOf(t, d)+htmlOf(t, d), "answers nobody")

	d.Turns[0].Input, d.Turns[0].Conclusion = safety.Text{}, safety.Literal("so it is")
	d.Origin.Space = safety.Text{}
	inBoth(t, d, "It began by itself.")
	assert.Contains(t, markdownOf(t, d), "The agent is `Claude Code`.\n")
	assert.Contains(t, htmlOf(t, d), "<code>Claude Code</code>.</p>")
}

// For an audit it counts when the agent did something, and not when its session was imported.
func TestATurnOfAWatchedAgentIsDatedByTheAgentsClock(t *testing.T) {
	began := time.Date(2026, 11, 20, 9, 14, 0, 0, time.UTC)
	turn := session.Turn{Number: 1, State: session.Completed, CreatedAt: began.Add(7 * 24 * time.Hour),
		StartedAt: began, EndedAt: began.Add(4 * time.Second)}
	d := Document{Turns: []session.Turn{turn}}
	inBoth(t, d, "20 November 2026, 09:14:00 UTC", "completed, 4.0 s")
	assert.NotContains(t, markdownOf(t, d)+htmlOf(t, d), "27 November")
}

func TestNotesSayWhatTheirAuthorsDid(t *testing.T) {
	for kind, want := range map[session.NoteKind]string{
		session.NoteChat: "said", session.NoteThought: "thought", session.NoteCancel: "asked to stop",
		session.NoteConclusion: "concluded", session.NoteReject: "refused", session.NoteShutdown: "asked to shut down",
		session.NoteOther: "sent",
	} {
		note := session.NoteAt{Noted: session.Noted{From: safety.Literal("ann"), Kind: kind, Text: safety.Literal("x")}}
		inBoth(t, Document{Turns: []session.Turn{{Notes: []session.NoteAt{note}}}}, want+", 1 January 0001")
	}
}
