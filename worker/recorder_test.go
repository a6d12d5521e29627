package worker

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/safety"
	"candor/session"
)

// newRecorder returns a recorder in a turn and a function that returns what it posted.
func newRecorder(t *testing.T) (*recorder, func() []Event) {
	t.Helper()
	l := newFakeLog()
	u, _, _ := newUploaderTo(t, l)
	j := &journal{uploader: u}
	j.beginTurn("the prompt")
	return &recorder{journal: j}, func() []Event {
		require.NoError(t, u.Close(t.Context()))
		return l.events
	}
}

func record(t *testing.T, r agent.Recorder, bodies ...session.Body) {
	t.Helper()
	for _, b := range bodies {
		require.NoError(t, r.Record(b))
	}
}

func TestSubAgentsAreRecordedAsStepsBetweenTheirHandoffs(t *testing.T) {
	r, posted := newRecorder(t)
	call := func(id string) session.ToolCalled {
		return session.ToolCalled{Call: id, Tool: safety.Literal("look"), Rationale: session.Fallback()}
	}
	record(t, r, call("lead_1"), session.Handoff{Call: "lead_1", To: "helper",
		Text: safety.Literal("look"), Who: session.Profile{Model: safety.Literal("small-1")}})
	helper := r.ForAgent("helper")
	record(t, helper, call("helper_1"), session.ToolReturned{Call: "helper_1", Outcome: session.Success},
		session.StepEnded{Step: 1})
	record(t, r, session.Handoff{Call: "lead_1", From: "helper", Text: safety.Literal("looked")},
		session.ToolReturned{Call: "lead_1", Outcome: session.Success}, session.StepEnded{Step: 1})
	events := posted()
	assert.Equal(t, []string{"tool_use call_1", "status handoff", "tool_use call_2", "tool_result call_2success",
		"reasoning", "status handoff", "tool_result call_1success", "reasoning"}, summaries(events))
	assert.Equal(t, "the job's agent → helper (small-1): look", events[1].Message)
	assert.Equal(t, "helper → the job's agent: looked", events[5].Message)
	assert.Len(t, events[4].ToolDecisions, 1, "each agent explains its own calls")
	for at, want := range []string{"", "", "call_1", "", "call_1", "", "", ""} {
		assert.Equal(t, want, events[at].Caller, "the call that began the agent of event %d", at)
	}
}

func TestTheReasoningBehindAnAnswerIsPosted(t *testing.T) {
	r, posted := newRecorder(t)
	summed := session.Narrated{Step: 1, Text: safety.Literal("I look."), Source: session.FromSummary}
	answers := session.Narrated{Step: 2, Answer: true, Text: safety.Literal("I know."), Source: session.FromSummary}
	record(t, r, summed, session.ToolCalled{Call: "a", Rationale: session.Fallback()},
		session.ToolReturned{Call: "a", Outcome: session.Success}, session.StepEnded{Step: 1},
		answers, session.TurnCompleted{Response: safety.Literal("Done.")})
	events := posted()
	require.Len(t, events, 5)
	for _, at := range []int{0, 2} {
		assert.Equal(t, "I look.", events[at].Narrative)
		assert.Equal(t, session.FromSummary, events[at].NarrativeSource, "whose words these are")
	}
	answer := events[3]
	assert.True(t, answer.Answer)
	assert.Equal(t, "I know.", answer.Narrative)
	assert.Equal(t, session.FromSummary, answer.NarrativeSource)
	assert.Empty(t, answer.ToolDecisions)
	assert.Equal(t, "Done.", events[4].Content)
}

func TestWithheldTextIsMarkedAndNotPosted(t *testing.T) {
	r, posted := newRecorder(t)
	why := session.Fallback()
	why.Blocked = true
	record(t, r, session.Narrated{Step: 1, Blocked: true}, session.ToolCalled{Call: "a", Rationale: why},
		session.ToolReturned{Call: "a", Outcome: session.Success}, session.StepEnded{Step: 1})
	events := posted()
	assert.True(t, events[0].NarrativeBlocked)
	assert.True(t, events[0].Blocked)
	assert.True(t, events[2].NarrativeBlocked)
	assert.True(t, events[2].ToolDecisions[0].Blocked)
}

func TestParallelGroupsContinueBehindThoseOfTheLog(t *testing.T) {
	r, posted := newRecorder(t)
	r.history.groups = 3
	r.beginTurn("the prompt")
	params, _ := safety.NewLayer().CleanJSON(json.RawMessage(`{"n":1}`))
	record(t, r, session.ToolCalled{Call: "a", Group: new(0), Params: params}, session.TurnInterrupted{})
	events := posted()
	assert.Equal(t, new(3), events[0].Group)
	assert.JSONEq(t, `{"n":1}`, string(events[0].Input))
	assert.Equal(t, "interrupted", events[1].State)
}

func TestAnAnsweredPromptIsKeptInItsCleanedWords(t *testing.T) {
	layer := safety.NewLayer()
	prompt := "the key is AKIA" + "QWERTYUIOPASDFGH"
	clean, _ := layer.Mask(prompt)
	require.NotEqual(t, prompt, clean.String(), "the prompt has something to mask")
	r := &Runtime{Dispatcher: &agent.Dispatcher{Safety: layer}}
	l := &promptLoop{Runtime: r, journal: &journal{}}
	messages := l.beginTurn(prompt)
	assert.Equal(t, prompt, messages[0].Text, "the model sees the user's own words")
	l.endTurn(prompt)
	assert.Equal(t, clean.String(), l.history.messages[0].Text)
}

func TestSealedReasoningIsPostedWithItsStep(t *testing.T) {
	r, posted := newRecorder(t)
	sealed := session.Sealed{Kind: session.SealEncrypted, Bytes: 1200, Tokens: 310}
	record(t, r, session.Narrated{Step: 1, Sealed: sealed},
		session.ToolCalled{Call: "a", Rationale: session.Fallback()},
		session.ToolReturned{Call: "a", Outcome: session.Success}, session.StepEnded{Step: 1},
		session.ToolCalled{Call: "b", Rationale: session.Fallback()}, session.StepEnded{Step: 2},
		session.Narrated{Step: 3, Answer: true, Sealed: sealed})
	events := posted()
	require.Len(t, events, 6)
	assert.Equal(t, new(Sealed(sealed)), events[2].Sealed)
	assert.Nil(t, events[4].Sealed, "of another step")
	assert.Equal(t, new(Sealed(sealed)), events[5].Sealed)
	assert.True(t, events[5].Answer)
}
