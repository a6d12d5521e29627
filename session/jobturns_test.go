package session

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
)

// jobLog returns the bodies as the log of a job that begins with the prompt "do it", with
// an event every second.
func jobLog(bodies ...Body) []Event {
	events := make([]Event, 0, len(bodies)+1)
	for i, b := range append([]Body{JobOpened{Prompt: words("do it")}}, bodies...) {
		events = append(events, Event{
			Seq: uint64(i + 1), At: time.Unix(int64(i), 0).UTC(), Session: "s", Ref: Ref{Job: "j"}, Body: b,
		})
	}
	return events
}

// layer is the default layer, which the tests share, since compiling its rules takes long.
var layer = safety.NewLayer()

// words returns a text that needs no cleaning.
func words(text string) safety.Text {
	clean, _ := layer.Mask(text)
	return clean
}

func because(text string) Rationale { return Rationale{Text: words(text), Source: FromModel} }

func begun(id string) JobToolUse { return JobToolUse{Call: id, Tool: words("grep")} }

func decided(id, why string, o Outcome) Decision {
	return Decision{Call: id, Tool: words("grep"), Rationale: because(why), Outcome: o}
}

func said(role, text string) JobMessage { return JobMessage{Role: role, Text: words(text)} }

func TestAJobsPromptAndWhatItsWorkerDidAreATurn(t *testing.T) {
	turns := JobTurns(jobLog(
		JobReported{State: words("running")},
		JobToolUse{Call: "call_1", Tool: words("grep"), Rationale: because("to see"), Narrative: words("I look.")},
		JobToolResult{Call: "call_1", Outcome: Success, Took: new(3 * time.Millisecond)},
		JobReasoned{Narrative: words("I look."), Decisions: []Decision{decided("call_1", "to see more", Success)}},
		JobToolUse{Call: "call_2", Tool: words("ls")},
		said("assistant", "Here it is."),
		JobEnded{Success: true, Message: words("done")},
	))
	require.Len(t, turns, 1)
	turn := turns[0]
	assert.Equal(t, "j", turn.Job)
	assert.Equal(t, 1, turn.Run)
	assert.Equal(t, Completed, turn.State)
	assert.Equal(t, "do it", turn.Input.String())
	assert.Equal(t, "Here it is.", turn.Response.String(), "the answer, not the result's message")
	assert.Equal(t, time.Unix(1, 0).UTC(), turn.StartedAt, "when a worker was first heard")
	assert.Equal(t, time.Unix(6, 0).UTC(), turn.EndedAt)
	require.Len(t, turn.Steps, 2, "the reasons of a step end it")
	one, two := turn.Steps[0].Calls[0], turn.Steps[1].Calls[0]
	assert.Equal(t, "I look.", turn.Steps[0].Narrative.String())
	assert.Equal(t, because("to see more"), one.Rationale)
	assert.Equal(t, 3*time.Millisecond, one.Took)
	assert.False(t, one.Untimed)
	assert.Equal(t, time.Unix(2, 0).UTC(), one.StartedAt)
	assert.Equal(t, Fallback(), two.Rationale, "a call without a reason")
	assert.Equal(t, Cancelled, two.Outcome, "its end can never be posted")
	assert.True(t, two.Untimed)
	assert.True(t, turn.Steps[1].Ended)
}

func TestTheReasoningBehindAJobsAnswerHasAStepOfItsOwn(t *testing.T) {
	summed := func(text string) JobReasoned {
		return JobReasoned{Answer: true, Narrative: words(text), NarrativeSource: FromSummary}
	}
	turns := JobTurns(jobLog(
		begun("call_1"),
		JobReasoned{Narrative: words("I look."), NarrativeSource: FromSummary, Decisions: []Decision{
			decided("call_1", "to see", Success)}},
		summed("It is clear now."), said("assistant", "Here it is."),
		JobPrompted{Text: words("and lock it")},
		JobReasoned{Answer: true}, summed("It is locked."), begun("call_2"), said("assistant", "Locked."),
	))
	require.Len(t, turns, 2)
	narrative, source := turns[0].Narrative()
	assert.Equal(t, "I look.", narrative.String(), "that of the calls")
	assert.Equal(t, FromSummary, source)
	step, ok := turns[0].AnswerStep()
	require.True(t, ok)
	assert.Equal(t, Step{Number: 2, Answer: true, Narrative: words("It is clear now."), NarrativeSource: FromSummary,
		Ended: true}, step)
	require.Len(t, turns[1].Steps, 2, "an event without a narrative has no step, and a call joins no answer")
	assert.Equal(t, "It is locked.", turns[1].Steps[0].Narrative.String())
	assert.Equal(t, "call_2", turns[1].Steps[1].Calls[0].ID)
}

func TestCallsOfAWorkerHaveNoInventedTimes(t *testing.T) {
	turns := JobTurns(jobLog(
		JobReasoned{Decisions: []Decision{decided("call_1", "because", Success)}},
		JobToolResult{Call: "call_2", Tool: words("ls"), Outcome: Errored, Error: words("no")},
	))
	var calls []Call
	for c := range turns[0].Calls() {
		calls = append(calls, c)
	}
	require.Len(t, calls, 2)
	for _, c := range calls {
		assert.True(t, c.StartedAt.IsZero(), "nobody said when it began")
		assert.True(t, c.Untimed)
		assert.Zero(t, c.Took)
	}
	assert.Equal(t, Success, calls[0].Outcome, "what the worker said of it")
	assert.Equal(t, "no", calls[1].Error.String())
}

func TestAFallbackDoesNotReplaceTheModelsReason(t *testing.T) {
	withheld := Fallback()
	withheld.Blocked = true
	for _, tt := range []struct {
		name        string
		first, then Rationale
		want        Rationale
	}{
		{"a fallback after a reason", because("to see"), Fallback(), because("to see")},
		{"a reason after a fallback", Fallback(), because("to see"), because("to see")},
		{"a reason that is withheld later", because("to see"), withheld, withheld},
		{"no reason at first", Rationale{}, Fallback(), Fallback()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turns := JobTurns(jobLog(
				JobToolUse{Call: "call_1", Rationale: tt.first, Group: new(2)},
				JobReasoned{Decisions: []Decision{{Call: "call_1", Rationale: tt.then, Outcome: Pending}}},
			))
			c := turns[0].Steps[0].Calls[0]
			assert.Equal(t, tt.want, c.Rationale)
			assert.Equal(t, new(2), c.Group, "a decision without a group leaves it")
			assert.Equal(t, Pending, c.Outcome)
		})
	}
}

func TestEachPromptOfAJobBeginsATurn(t *testing.T) {
	turns := JobTurns(jobLog(
		begun("call_1"),
		JobPrompted{Text: words("and lock it")},
		JobToolResult{Call: "call_1", Outcome: Success},
		said("assistant", "Found."),
		begun("call_2"),
		said("assistant", "Locked."),
		JobPrompted{Done: true},
		JobPrompted{Text: words("too late")},
		JobCancelled{},
	))
	require.Len(t, turns, 3)
	assert.Equal(t, "Found.", turns[0].Response.String())
	assert.Equal(t, "call_1", turns[0].Steps[0].Calls[0].ID, "the prompt before it had no answer yet")
	assert.Equal(t, "and lock it", turns[1].Input.String())
	assert.Equal(t, "call_2", turns[1].Steps[0].Calls[0].ID)
	assert.Equal(t, "Locked.", turns[1].Response.String())
	assert.Equal(t, Interrupted, turns[2].State, "nobody answered it")
	assert.True(t, turns[2].StartedAt.IsZero())
}

func TestARepeatedPromptIsNotAnotherTurn(t *testing.T) {
	turns := JobTurns(jobLog(said("user", "do it"), begun("call_1"), said("system", "be brief"), said("user", "do it")))
	require.Len(t, turns, 2, "the second time it follows a call")
	assert.Len(t, turns[0].Steps, 1)
	assert.Empty(t, turns[1].Steps)
}

func TestAMessageBeforeACallIsItsNarrative(t *testing.T) {
	turns := JobTurns(jobLog(said("assistant", "I will look."), begun("call_1"), said("assistant", "Done.")))
	require.Len(t, turns, 1)
	require.Len(t, turns[0].Steps, 1)
	assert.Equal(t, "I will look.", turns[0].Steps[0].Narrative.String())
	assert.Len(t, turns[0].Steps[0].Calls, 1)
	assert.Equal(t, "Done.", turns[0].Response.String())
}

// A model that says nothing before its calls still answers in rounds.
func TestAReasoningWithoutWordsEndsAStep(t *testing.T) {
	calls := func(bodies ...Body) (n []int) {
		for _, s := range JobTurns(jobLog(bodies...))[0].Steps {
			n = append(n, len(s.Calls))
		}
		return n
	}
	assert.Equal(t, []int{2, 1}, calls(begun("call_1"), begun("call_2"), JobReasoned{}, begun("call_3"), JobReasoned{}))
	assert.Equal(t, []int{3}, calls(begun("call_1"), begun("call_2"), begun("call_3")))
}

func TestAgentsOfAWorkerHaveStepsOfTheirOwn(t *testing.T) {
	of := func(agent, id string) JobToolUse { return JobToolUse{Call: id, Agent: words(agent), Tool: words("ls")} }
	turns := JobTurns(jobLog(of("scout", "call_1"), of("writer", "call_2"), of("scout", "call_3"),
		JobReasoned{Agent: words("scout"), Decisions: []Decision{decided("call_1", "a", Success),
			decided("call_3", "b", Success)}},
		of("scout", "call_4")))
	var got []string
	for _, s := range turns[0].Steps {
		for _, c := range s.Calls {
			got = append(got, s.Agent+" "+string(rune('0'+s.Number))+" "+c.ID)
		}
	}
	assert.Equal(t, []string{"scout 1 call_1", "scout 1 call_3", "writer 1 call_2", "scout 2 call_4"}, got)
}

// TestAnAgentWithinACallStandsUnderIt has an agent that a call of the lead agent began, and one that a call of that
// agent began. What an agent says of itself, and of calls that nobody made, begins nothing.
func TestAnAgentWithinACallStandsUnderIt(t *testing.T) {
	of := func(agent, id, caller string) JobToolUse {
		return JobToolUse{Call: id, Agent: words(agent), Caller: caller, Tool: words("ls")}
	}
	turn := JobTurns(jobLog(of("", "call_1", ""), of("ask", "call_2", "call_1"), of("ask/dig", "call_3", "call_2"),
		of("ask", "call_4", "call_1"), of("ask", "call_5", "call_3"), of("ask/dig", "call_7", "call_1"),
		of("lost", "call_6", "call_9"),
		JobReasoned{Agent: words("quiet"), Answer: true, Caller: "call_4", Stop: StopLength},
		JobToolResult{Call: "call_2", Outcome: Errored, Error: words("It broke.")},
		JobToolResult{Call: "call_1", Outcome: Success},
		JobToolResult{Call: "call_4", Outcome: Success}))[0]
	var got []string
	for _, h := range turn.Handoffs {
		got = append(got, fmt.Sprintf("%s: %s>%s %s %s", h.Call, h.From, h.To, h.Who.Name, h.Text))
	}
	assert.Equal(t, []string{"call_1: >ask ask ", "call_2: ask>ask/dig dig ", "call_4: ask>quiet quiet ",
		"call_2: ask/dig>ask  It broke.", "call_1: ask>  ", "call_4: quiet>ask  "}, got)
	assert.Empty(t, turn.Stop, "that an agent within a call was cut off is not why the lead agent stopped")
}

func TestARestartBeginsTurnsOfAnotherRun(t *testing.T) {
	turns := JobTurns(jobLog(begun("call_1"), JobEnded{Message: words("out of disk")}, JobRestarted{}, begun("call_2")))
	require.Len(t, turns, 2)
	assert.Equal(t, Failed, turns[0].State)
	assert.Equal(t, "out of disk", turns[0].Error.String())
	assert.Equal(t, 2, turns[1].Run)
	assert.Equal(t, "do it", turns[1].Input.String())
	assert.Equal(t, Processing, turns[1].State)
	assert.True(t, turns[1].Error.Empty())
}

func TestAJobKeepsWhyItFailed(t *testing.T) {
	failed := JobReported{State: words("failed"), Message: words("out of disk")}
	for _, tt := range []struct {
		name   string
		bodies []Body
		want   string
	}{
		{"the result says it", []Body{failed, JobEnded{Message: words("no space")}}, "no space"},
		{"the result says nothing", []Body{failed, JobReported{State: words("stopping"), Message: words("bye")},
			JobEnded{}}, "out of disk"},
		{"the job succeeded after all", []Body{failed, JobEnded{Success: true, Message: words("done")}}, ""},
		{"a further run", []Body{JobEnded{Message: words("no space")}, JobRestarted{}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var j Job
			for _, e := range jobLog(tt.bodies...) {
				j = j.Apply(e)
			}
			assert.Equal(t, tt.want, j.Failure.String())
		})
	}
}

func TestAJobKnowsItsHighestCall(t *testing.T) {
	var j Job
	for _, e := range jobLog(begun("call_2"), JobToolResult{Call: "call_5"},
		JobReasoned{Decisions: []Decision{{Call: "call_7"}, {Call: "call_6"}}}, JobRestarted{}, begun("call_3")) {
		j = j.Apply(e)
	}
	assert.Equal(t, 7, j.Calls)
}

func TestALogWithoutItsBeginningIsFoldedToo(t *testing.T) {
	turns := JobTurns(jobLog(begun("call_1"))[1:])
	require.Len(t, turns, 1)
	assert.Len(t, turns[0].Steps[0].Calls, 1)
	assert.Empty(t, JobTurns(nil))
}

func TestSealedReasoningOfAJobStaysWithItsStep(t *testing.T) {
	sealed := Sealed{Kind: SealEncrypted, Bytes: 1200, Tokens: 310}
	turns := JobTurns(jobLog(
		begun("call_1"), JobReasoned{Sealed: sealed, Decisions: []Decision{decided("call_1", "to see", Success)}},
		JobReasoned{Decisions: []Decision{decided("call_1", "to see more", Success)}},
		begun("call_2"), JobReasoned{Decisions: []Decision{decided("call_2", "to see", Success)}},
		JobReasoned{Answer: true, Sealed: sealed}, said("assistant", "Here it is."),
	))
	require.Len(t, turns[0].Steps, 3)
	assert.Equal(t, sealed, turns[0].Steps[0].Sealed, "also after its reasons were posted again")
	assert.False(t, turns[0].Steps[1].Sealed.Known())
	answer, ok := turns[0].AnswerStep()
	assert.True(t, ok)
	assert.Equal(t, sealed, answer.Sealed)
}

func TestATurnOfAJobCostsWhatItsWorkerSays(t *testing.T) {
	priced := func(nanos int64) Spent { return Spent{Nanos: nanos, Priced: 1} }
	answer := JobMessage{Role: "assistant", Text: safety.Literal("Here."), Usage: Usage{Output: 4}, Spent: priced(40)}
	step := JobReasoned{Usage: Usage{Input: 10, Output: 2}, Spent: priced(12),
		Decisions: []Decision{decided("call_1", "to see", Success)}}
	summed := JobReasoned{Answer: true, Narrative: safety.Literal("in short"), Usage: Usage{Reasoning: 1},
		Spent: priced(1)}
	turn := JobTurns(jobLog(begun("call_1"), step, summed, answer))[0]
	assert.Equal(t, Usage{Input: 10, Output: 6, Reasoning: 1}, turn.Usage)
	assert.Equal(t, Spent{Nanos: 53, Priced: 3}, turn.Spent)
	assert.True(t, turn.Spent.Known())
	step.Spent = Spent{Unpriced: 1}
	assert.False(t, JobTurns(jobLog(begun("call_1"), step, answer))[0].Spent.Known(), "of one nobody knows the price")
}

func TestAJobSaysWhyItsModelStoppedAndWhatItThought(t *testing.T) {
	turns := JobTurns(jobLog(
		JobToolUse{Call: "call_1", Tool: words("ls"), Narrative: words("I look."), Thought: words("It may be there."),
			Before: words("Now.")},
		JobReasoned{Decisions: []Decision{{Call: "call_1", Tool: words("ls")}}, Stop: StopLength},
		JobReasoned{Answer: true, Stop: StopContext},
		JobMessage{Role: "assistant", Text: words("It is th")},
	))
	require.Len(t, turns, 1)
	require.Len(t, turns[0].Steps, 2)
	assert.Equal(t, "It may be there.", turns[0].Steps[0].Thought.String())
	assert.Equal(t, StopLength, turns[0].Steps[0].Stop)
	assert.Equal(t, "Now.", turns[0].Steps[0].Calls[0].Before.String())
	assert.Equal(t, StopContext, turns[0].Stop)

	turns = JobTurns(jobLog(JobMessage{Role: "assistant", Text: words("I l"), Stop: StopLength},
		JobToolUse{Call: "call_1", Tool: words("ls")}))
	assert.Equal(t, StopLength, turns[0].Steps[0].Stop, "what was no answer after all")
	assert.Empty(t, turns[0].Stop)
}
