package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func TestReasoningSafetyBlockNarrative(t *testing.T) {
	rec := runTurn(t, newDispatcher(t, oneStep("the key is "+privateKey(), Call{Name: "a"}), echo("a")))
	assert.Empty(t, rec.narrative())
	assert.True(t, rec.turn.Steps[0].NarrativeBlocked)
	assert.Equal(t, session.Completed, rec.turn.State, "the turn goes on")
}

func TestNarrativeIsNoneForTurnsWithoutToolCalls(t *testing.T) {
	rec := runTurn(t, newDispatcher(t, &stepwise{responses: []Response{{Text: "just an answer"}}}, echo("a")))
	assert.Empty(t, rec.narrative())
	assert.Empty(t, rec.turn.Steps)
	assert.Equal(t, "just an answer", rec.turn.Response.String())
}

func TestNarrativeIsNoneWhenTheModelSaidNothingBeforeItsCalls(t *testing.T) {
	for _, text := range []string{"", " \n", "<think>only a thought</think>"} {
		rec := runTurn(t, newDispatcher(t, oneStep(text, Call{Name: "a"}), echo("a")))
		assert.Empty(t, rec.narrative())
		assert.Empty(t, of[session.Narrated](rec))
	}
}

func TestTheSummaryBehindAnAnswerIsRecordedBeforeIt(t *testing.T) {
	rec := runTurn(t, newDispatcher(t, &stepwise{responses: []Response{
		{Text: "I look.", Calls: []Call{{Name: "a"}}},
		{Text: "It is " + "<think>hm</think>" + "done.", Summary: "<think>hm</think>The model weighs " + githubToken()},
	}}, echo("a")))
	said := of[session.Narrated](rec)
	require.Len(t, said, 2)
	assert.Equal(t, 2, said[1].Step)
	assert.True(t, said[1].Answer)
	assert.Equal(t, session.FromSummary, said[1].Source)
	assert.Equal(t, "The model weighs [REDACTED:github-pat]", said[1].Text.String())
	assert.IsType(t, session.TurnCompleted{}, rec.list[len(rec.list)-1])
	assert.Equal(t, said[1], rec.list[len(rec.list)-2])
	assert.Equal(t, "I look.", rec.narrative(), "the turn's narrative is what was said before calls")
	assert.Equal(t, session.Completed, rec.turn.State)

	rec = runTurn(t, newDispatcher(t, &stepwise{responses: []Response{{Text: "done.", Summary: privateKey()}}}))
	said = of[session.Narrated](rec)
	require.Len(t, said, 1)
	assert.True(t, said[0].Blocked)
	assert.True(t, said[0].Text.Empty())
}

func TestTheProvidersSummaryStandsBesideANarrativeOrReplacesAMissingOne(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Summary: "**Looking**\n\nThe model weighs its options.", Calls: []Call{{Name: "a"}}},
		{Text: "I look.", Summary: "<think>hm</think>It may be there.", Calls: []Call{{Name: "a"}}}, {Text: "done"},
	}}
	rec := runTurn(t, newDispatcher(t, p, echo("a")))
	said := of[session.Narrated](rec)
	require.Len(t, said, 2)
	assert.Equal(t, session.FromSummary, said[0].Source)
	assert.Equal(t, session.FromModel, said[1].Source)
	assert.Equal(t, "I look.", said[1].Text.String())
	assert.True(t, said[0].Thought.Empty(), "it is the narrative")
	assert.Equal(t, "It may be there.", said[1].Thought.String(), "beside the words, and cleaned like them")
	assert.Equal(t, session.FromFallback, of[session.ToolCalled](rec)[0].Rationale.Source,
		"a summary is never a call's reason")
}

func TestAThoughtThatIsNotSafeIsWithheldAndTheWordsStay(t *testing.T) {
	rec := runTurn(t, newDispatcher(t, &stepwise{responses: []Response{
		{Text: "I look.", Summary: "the key is " + privateKey(), Calls: []Call{{Name: "a"}}}, {Text: "done"},
	}}, echo("a")))
	said := of[session.Narrated](rec)[0]
	assert.True(t, said.ThoughtBlocked)
	assert.True(t, said.Thought.Empty())
	assert.Equal(t, "I look.", said.Text.String())
	assert.NotEmpty(t, said.Findings)
}

func TestAStepEndsOnceAfterAllItsCallsReturned(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Calls: []Call{{Name: "a"}, {Name: "b"}}}, {Calls: []Call{{Name: "a"}}}, {Text: "done"},
	}}
	rec := runTurn(t, newDispatcher(t, p, echo("a"), echo("b")))
	var order []string
	for _, b := range rec.list {
		order = append(order, strings.TrimPrefix(fmt.Sprintf("%T", b), "session."))
	}
	assert.Equal(t, []string{
		"ToolCalled", "ToolCalled", "ToolReturned", "ToolReturned", "StepEnded",
		"ToolCalled", "ToolReturned", "StepEnded", "TurnCompleted",
	}, order)
}

func TestTheLoopNudgesThenWithholdsToolsThenGivesUp(t *testing.T) {
	var requests []Request
	unstoppable := providerFunc(func(_ context.Context, r Request) (Response, error) {
		requests = append(requests, r)
		return Response{Calls: []Call{{Name: "a"}}}, nil
	})
	d := newDispatcher(t, unstoppable, echo("a"))
	rec := runTurn(t, d)
	require.Len(t, requests, DefaultMaxSteps)
	assert.Equal(t, nudge, requests[48].Messages[len(requests[48].Messages)-1].Text)
	assert.NotEmpty(t, requests[48].Tools)
	assert.Empty(t, requests[49].Tools)
	assert.Len(t, of[session.StepEnded](rec), 49)
	assert.Equal(t, session.Failed, rec.turn.State)
	assert.Contains(t, rec.turn.Error.String(), "did not come to an answer in 50 steps")
}

func TestTextBesideCallsIsTheAnswerWhenToolsAreWithheld(t *testing.T) {
	d := newDispatcher(t, &stepwise{responses: []Response{{Text: "enough", Calls: []Call{{Name: "a"}}}}}, echo("a"))
	d.MaxSteps = 1
	assert.Equal(t, "enough", runTurn(t, d).turn.Response.String())
}

func TestAFailingProviderFailsTheTurnAndKeepsItsReasoning(t *testing.T) {
	p := &stepwise{responses: []Response{{Text: "first I look", Calls: []Call{{Name: "a"}}}}}
	rec := runTurn(t, newDispatcher(t, p, echo("a")))
	assert.Equal(t, session.Failed, rec.turn.State)
	assert.Equal(t, "the model provider failed: out of responses", rec.turn.Error.String())
	assert.Equal(t, "first I look", rec.narrative())
}

func TestAPanickingProviderFailsTheTurn(t *testing.T) {
	p := providerFunc(func(context.Context, Request) (Response, error) { panic("bug " + githubToken()) })
	rec := runTurn(t, newDispatcher(t, p))
	assert.Equal(t, "the model provider failed: panic: bug [REDACTED:github-pat]", rec.turn.Error.String())
}

func TestAnAnswerOfThoughtsAloneCountsAsMissing(t *testing.T) {
	rec := runTurn(t, newDispatcher(t, &stepwise{responses: []Response{{Text: "<think>hm</think>"}}}))
	assert.Equal(t, noAnswer, rec.turn.Response.String())
}

func TestAFailingRecorderDoesNotStopTheTurn(t *testing.T) {
	p := oneStep("so", Call{Name: "a"})
	d := newDispatcher(t, p, echo("a"))
	rec := &events{err: errors.New("full")}
	require.NoError(t, d.Run(t.Context(), rec, []Message{{Role: RoleUser, Text: "hi"}}))
	assert.Len(t, p.requests, 2)
	assert.Equal(t, int64(5), d.Unrecorded())
}

func TestUsageIsRecordedPerStepAndSummed(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Calls: []Call{{Name: "a"}}, Usage: Usage{Input: 10, Output: 5, Reasoning: 2}},
		{Text: "done", Usage: Usage{Input: 20, Output: 3}},
	}}
	rec := runTurn(t, newDispatcher(t, p, echo("a")))
	assert.Equal(t, session.Usage{Input: 10, Output: 5, Reasoning: 2}, of[session.StepEnded](rec)[0].Usage)
	assert.Equal(t, session.Usage{Input: 20, Output: 3}, of[session.TurnCompleted](rec)[0].Usage)
	assert.Equal(t, session.Usage{Input: 30, Output: 8, Reasoning: 2}, rec.turn.Usage, "the turn has the sum")
}

func TestAFailedTurnReportsWhatItsErrorHadMasked(t *testing.T) {
	p := providerFunc(func(context.Context, Request) (Response, error) {
		return Response{}, errors.New("bad key " + githubToken())
	})
	failed := of[session.TurnFailed](runTurn(t, newDispatcher(t, p)))
	require.Len(t, failed, 1)
	assert.Contains(t, failed[0].Error.String(), "bad key [REDACTED:github-pat]")
	require.Len(t, failed[0].Findings, 1)
	assert.Equal(t, "github-pat", failed[0].Findings[0].Rule)
}

// What is withheld is logged as a warning, with the place and the rules but without a word
// of the text.
func TestWithheldTextIsLoggedWithoutItsWords(t *testing.T) {
	for _, tt := range []struct {
		what     string
		response Response
	}{
		{"narrative", Response{Text: "the key is " + privateKey(), Calls: []Call{{Name: "a"}}}},
		{"rationale", Response{Calls: []Call{{Name: "a", Reasoning: "the key is " + privateKey()}}}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			var log bytes.Buffer
			d := newDispatcher(t, &stepwise{responses: []Response{tt.response, {Text: "done"}}}, echo("a"))
			d.Log = slog.New(slog.NewTextHandler(&log, nil))
			runTurn(t, d)
			assert.Equal(t, 1, strings.Count(log.String(), `level=WARN msg="safety withheld text"`), log.String())
			assert.Contains(t, log.String(), "what="+tt.what)
			assert.Contains(t, log.String(), "private-key")
			assert.NotContains(t, log.String(), "the key is")
		})
	}
}

func TestATruncatedReasonIsLogged(t *testing.T) {
	long := strings.Repeat("because of this ", 1000)
	for _, tt := range []struct {
		what     string
		response Response
	}{
		{"narrative", Response{Text: strings.Repeat(long, 20), Calls: []Call{{Name: "a"}}}},
		{"rationale", Response{Calls: []Call{{Name: "a", Reasoning: long}}}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			var log bytes.Buffer
			d := newDispatcher(t, &stepwise{responses: []Response{tt.response, {Text: "done"}}}, echo("a"))
			d.Log = slog.New(slog.NewTextHandler(&log, nil))
			runTurn(t, d)
			assert.Equal(t, 1, strings.Count(log.String(), `level=WARN msg="safety truncated text"`), log.String())
			assert.Contains(t, log.String(), "what="+tt.what)
			assert.NotContains(t, log.String(), "because of this")
		})
	}
}

// The words of the step before are not those of a step whose own were withheld.
func TestAWithheldNarrativeLeavesTheTurnWithoutOne(t *testing.T) {
	rec := runTurn(t, newDispatcher(t, &stepwise{responses: []Response{
		{Text: "First I look.", Calls: []Call{{Name: "a"}}},
		{Text: "the key is " + privateKey(), Calls: []Call{{Name: "a"}}},
		{Calls: []Call{{Name: "a"}}},
		{Text: "done"},
	}}, echo("a")))
	assert.Empty(t, rec.narrative())
	_, source := rec.turn.Narrative()
	assert.Empty(t, source)
	assert.Equal(t, "First I look.", rec.turn.Steps[0].Narrative.String())
}

func TestBlanksBesideCallsAreNoAnswerWhenToolsAreWithheld(t *testing.T) {
	d := newDispatcher(t, &stepwise{responses: []Response{{Text: " \n", Calls: []Call{{Name: "a"}}}}}, echo("a"))
	d.MaxSteps = 1
	require.ErrorIs(t, d.Run(t.Context(), &events{}, nil), ErrTooManySteps)
}
