package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func oneStep(text string, calls ...Call) *steps {
	return &steps{responses: []Response{{Text: text, Calls: calls}, {Text: "done"}}}
}

func TestToolcallReasoningThreadedFromSelection(t *testing.T) {
	for _, tt := range []struct {
		name   string
		call   Call
		want   string
		source session.Source
	}{
		{"the property in the arguments", Call{Name: "a", Arguments: args(`{"rationale":"to see x","q":1}`)}, "to see x", session.FromModel},
		{"the provider's own field", Call{Name: "a", Reasoning: "to see y"}, "to see y", session.FromModel},
		{"the property wins over the field", Call{Name: "a", Arguments: args(`{"rationale":"x"}`), Reasoning: "y"}, "x", session.FromModel},
		{"nothing gives the fallback", Call{Name: "a"}, session.Fallback().Text.String(), session.FromFallback},
		{"blank gives the fallback", Call{Name: "a", Arguments: args(`{"rationale":" \n"}`), Reasoning: "  "}, session.Fallback().Text.String(), session.FromFallback},
		{"a number is no reason", Call{Name: "a", Arguments: args(`{"rationale":7}`)}, session.Fallback().Text.String(), session.FromFallback},
		{"only a thought is no reason", Call{Name: "a", Reasoning: "<think>plan</think>"}, session.Fallback().Text.String(), session.FromFallback},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := runTurn(t, dispatcher(t, oneStep("the narrative", tt.call), echo("a")))
			called := of[session.ToolCalled](rec)
			require.Len(t, called, 1)
			assert.Equal(t, tt.want, called[0].Rationale.Text.String(), "the narrative never stands in")
			assert.Equal(t, tt.source, called[0].Rationale.Source)
			assert.NotContains(t, string(called[0].Params.Raw()), "rationale")
		})
	}
}

func TestRationaleIsTakenOutBeforeTheToolSeesIt(t *testing.T) {
	var seen string
	tool := funcTool{strict("read").Spec(), func(_ context.Context, a json.RawMessage) (json.RawMessage, error) {
		seen = string(a)
		return args(`"ok"`), nil
	}}
	tool.spec.Schema.AdditionalProperties = nil
	p := oneStep("", Call{Name: "read", Arguments: args(`{"rationale":"why","path":"a<b","n":1.50}`)})
	runTurn(t, dispatcher(t, p, tool))
	assert.Equal(t, `{"path":"a<b","n":1.50}`, seen, "the rest keeps its order and spelling")
	assert.Contains(t, string(p.requests[1].Messages[1].Calls[0].Arguments), `"rationale":"why"`, "the model's replay keeps it")
}

func TestRationaleComesFirstInEverySchemaButWhereTheToolHasItsOwn(t *testing.T) {
	own := strict("own").(funcTool)
	own.spec.Schema.Properties["rationale"] = own.spec.Schema.Properties["path"]
	p := oneStep("", Call{Name: "own", Arguments: args(`{"path":"x","rationale":"an argument"}`), Reasoning: "the reason"})
	rec := runTurn(t, dispatcher(t, p, strict("read"), own))
	specs := p.requests[0].Tools
	encoded, err := json.Marshal(specs[0].Schema)
	require.NoError(t, err)
	assert.Regexp(t, `"properties":\{"rationale":.*"path"`, string(encoded))
	assert.Empty(t, specs[1].Schema.PropertyOrder)
	called := of[session.ToolCalled](rec)[0]
	assert.Equal(t, "the reason", called.Rationale.Text.String())
	assert.JSONEq(t, `{"path":"x","rationale":"an argument"}`, string(called.Params.Raw()))
}

func TestARationaleMayBeDemandedAndACallWithoutOneStillRuns(t *testing.T) {
	p := oneStep("", Call{Name: "read", Arguments: args(`{"path":"x"}`)})
	d := dispatcher(t, p)
	d.Tools.RequireRationale = true
	require.NoError(t, d.Tools.Replace(strict("read")))
	rec := runTurn(t, d)
	assert.Equal(t, []string{"rationale", "path"}, p.requests[0].Tools[0].Schema.Required)
	assert.Equal(t, []string{"path"}, strict("read").Spec().Schema.Required, "the tool's own schema stays")
	assert.Equal(t, session.Success, of[session.ToolReturned](rec)[0].Outcome)
	assert.Equal(t, session.FromFallback, of[session.ToolCalled](rec)[0].Rationale.Source)
}

func TestReasoningSafetyBlockNarrative(t *testing.T) {
	rec := runTurn(t, dispatcher(t, oneStep("the key is "+privateKey(), Call{Name: "a"}), echo("a")))
	assert.Empty(t, rec.narrative())
	assert.True(t, rec.turn.Steps[0].NarrativeBlocked)
	assert.Equal(t, session.Completed, rec.turn.State, "the turn goes on")
}

func TestReasoningSafetyBlockRationaleFallback(t *testing.T) {
	rec := runTurn(t, dispatcher(t, oneStep("", Call{Name: "a", Reasoning: "use " + privateKey()}), echo("a")))
	r := of[session.ToolCalled](rec)[0].Rationale
	assert.Equal(t, session.Fallback().Text.String(), r.Text.String())
	assert.Equal(t, session.FromFallback, r.Source)
	assert.True(t, r.Blocked)
	assert.Equal(t, session.Completed, rec.turn.State)
}

func TestReasoningSafetyRedactRationale(t *testing.T) {
	rec := runTurn(t, dispatcher(t, oneStep("", Call{Name: "a", Reasoning: "log in with " + githubToken() + ", then look"}), echo("a")))
	r := of[session.ToolCalled](rec)[0].Rationale
	assert.Equal(t, "log in with [REDACTED:github-pat], then look", r.Text.String())
	assert.Equal(t, session.FromModel, r.Source)
}

func TestParallelGroupAssigned(t *testing.T) {
	p := &steps{responses: []Response{
		{Calls: []Call{{Name: "a"}, {Name: "b"}}},
		{Calls: []Call{{Name: "a"}}},
		{Calls: []Call{{Name: "a"}, {Name: "nobody"}, {Name: "b"}}},
		{Text: "done"},
	}}
	rec := runTurn(t, dispatcher(t, p, echo("a"), echo("b")))
	var groups []string
	for _, c := range of[session.ToolCalled](rec) {
		groups = append(groups, groupOf(c.Group))
	}
	assert.Equal(t, []string{"0", "0", "none", "1", "none", "1"}, groups)
}

func TestSingleToolNoParallelGroup(t *testing.T) {
	rec := runTurn(t, dispatcher(t, oneStep("", Call{Name: "a"}, Call{Name: "nobody"}), echo("a")))
	for _, c := range of[session.ToolCalled](rec) {
		assert.Nil(t, c.Group, "one runnable call runs alone, whoever was asked beside it")
	}
}

func groupOf(g *int) string {
	if g == nil {
		return "none"
	}
	return fmt.Sprint(*g)
}

func TestNarrativeIsNoneForTurnsWithoutToolCalls(t *testing.T) {
	rec := runTurn(t, dispatcher(t, &steps{responses: []Response{{Text: "just an answer"}}}, echo("a")))
	assert.Empty(t, rec.narrative())
	assert.Empty(t, rec.turn.Steps)
	assert.Equal(t, "just an answer", rec.turn.Response.String())
}

func TestNarrativeIsNoneWhenTheModelSaidNothingBeforeItsCalls(t *testing.T) {
	for _, text := range []string{"", " \n", "<think>only a thought</think>"} {
		rec := runTurn(t, dispatcher(t, oneStep(text, Call{Name: "a"}), echo("a")))
		assert.Empty(t, rec.narrative())
		assert.Empty(t, of[session.Narrated](rec))
	}
}

func TestEveryToolCallStoresANonEmptyRationale(t *testing.T) {
	calls := []Call{
		{Name: "a"}, {Name: "a", Reasoning: "why"}, {Name: "nobody"}, {Name: "a", Arguments: args("not json")},
		{Name: "a", Reasoning: privateKey()}, {Name: "strict", Arguments: args(`{}`)}, {Name: "boom"}, {},
	}
	boom := funcTool{Spec{Name: "boom"}, func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("ouch") }}
	rec := runTurn(t, dispatcher(t, oneStep("", calls...), echo("a"), strict("strict"), boom))
	called := of[session.ToolCalled](rec)
	require.Len(t, called, len(calls))
	for _, c := range called {
		assert.NotEmpty(t, strings.TrimSpace(c.Rationale.Text.String()))
		assert.Contains(t, []session.Source{session.FromModel, session.FromFallback}, c.Rationale.Source)
	}
}

func TestReasoningIsDueOncePerStepAfterAllItsCallsEnded(t *testing.T) {
	p := &steps{responses: []Response{{Calls: []Call{{Name: "a"}, {Name: "b"}}}, {Calls: []Call{{Name: "a"}}}, {Text: "done"}}}
	rec := runTurn(t, dispatcher(t, p, echo("a"), echo("b")))
	var order []string
	for _, b := range rec.list {
		order = append(order, strings.TrimPrefix(fmt.Sprintf("%T", b), "session."))
	}
	assert.Equal(t, []string{
		"ToolCalled", "ToolCalled", "ToolReturned", "ToolReturned", "StepEnded",
		"ToolCalled", "ToolReturned", "StepEnded", "TurnCompleted",
	}, order)
}

func TestCallsRunTogetherAndAreRecordedInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := func(name string, d time.Duration) Tool {
			return funcTool{Spec{Name: name}, func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
				time.Sleep(d) // fake time: in a bubble
				return args(`"` + name + `"`), nil
			}}
		}
		start := time.Now()
		rec := runTurn(t, dispatcher(t, oneStep("", Call{Name: "slow"}, Call{Name: "fast"}), wait("slow", time.Second), wait("fast", time.Millisecond)))
		assert.Equal(t, time.Second, time.Since(start), "side by side, not one after another")
		back := of[session.ToolReturned](rec)
		assert.Equal(t, `"slow"`, string(back[0].Result.Raw()))
		assert.Equal(t, time.Second, back[0].Took)
		assert.Equal(t, `"fast"`, string(back[1].Result.Raw()))
		assert.Equal(t, time.Millisecond, back[1].Took)
	})
}

func TestOutcomes(t *testing.T) {
	fails := funcTool{Spec{Name: "fails"}, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("disk is full")
	}}
	boom := funcTool{Spec{Name: "boom"}, func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("ouch") }}
	for _, tt := range []struct {
		name    string
		call    Call
		outcome session.Outcome
		error   string
	}{
		{"a tool that works", Call{Name: "a"}, session.Success, ""},
		{"a tool that fails", Call{Name: "fails"}, session.Errored, "disk is full"},
		{"a tool that panics", Call{Name: "boom"}, session.Errored, "the tool panicked: ouch"},
		{"a tool that is not there", Call{Name: "nobody"}, session.Errored, "there is no tool of this name"},
		{"a tool that policy forbids", Call{Name: "denied"}, session.Rejected, "not on my watch"},
		{"arguments that are no object", Call{Name: "strict", Arguments: args(`[1]`)}, session.Errored, "invalid arguments: they have to be one JSON object"},
		{"arguments that are no JSON", Call{Name: "strict", Arguments: args(`{"path":`)}, session.Errored, "invalid arguments: they have to be one JSON object"},
		{"arguments of a wrong type", Call{Name: "strict", Arguments: args(`{"path":1}`)}, session.Errored, "invalid arguments"},
		{"an argument that is missing", Call{Name: "strict"}, session.Errored, "invalid arguments"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := dispatcher(t, oneStep("", tt.call), echo("a"), fails, boom, strict("strict"), echo("denied"))
			d.Policy = func(_ context.Context, tool string, _ []byte) error {
				if tool == "denied" {
					return errors.New("not on my watch")
				}
				return nil
			}
			rec := runTurn(t, d)
			back := of[session.ToolReturned](rec)
			require.Len(t, back, 1)
			assert.Equal(t, tt.outcome, back[0].Outcome)
			assert.Contains(t, back[0].Error.String(), tt.error)
			assert.Equal(t, session.Completed, rec.turn.State, "the loop goes on")
		})
	}
}

func TestTheModelSeesRawResultsAndRefusals(t *testing.T) {
	p := oneStep("so", Call{ID: "x", Name: "a", Arguments: args(`{"k":"` + githubToken() + `"}`)}, Call{ID: "x", Name: "nobody"})
	runTurn(t, dispatcher(t, p, echo("a")))
	m := p.requests[1].Messages
	require.Len(t, m, 4)
	assert.Equal(t, RoleAssistant, m[1].Role)
	assert.Contains(t, m[2].Text, githubToken())
	assert.Equal(t, "Tool 'nobody' failed: there is no tool of this name", m[3].Text)
	assert.Equal(t, m[1].Calls[0].ID, m[2].CallID)
	assert.Equal(t, m[1].Calls[1].ID, m[3].CallID)
	assert.NotEqual(t, m[2].CallID, m[3].CallID, "repeated ids are told apart")
}

func TestTheLoopNudgesThenWithholdsToolsThenGivesUp(t *testing.T) {
	var requests []Request
	endless := providerFunc(func(_ context.Context, r Request) (Response, error) {
		requests = append(requests, r)
		return Response{Calls: []Call{{Name: "a"}}}, nil
	})
	d := dispatcher(t, endless, echo("a"))
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
	d := dispatcher(t, &steps{responses: []Response{{Text: "enough", Calls: []Call{{Name: "a"}}}}}, echo("a"))
	d.MaxSteps = 1
	assert.Equal(t, "enough", runTurn(t, d).turn.Response.String())
}

func TestAProviderThatFailsEndsTheTurnWithItsReasoningKept(t *testing.T) {
	p := &steps{responses: []Response{{Text: "first I look", Calls: []Call{{Name: "a"}}}}}
	rec := runTurn(t, dispatcher(t, p, echo("a")))
	assert.Equal(t, session.Failed, rec.turn.State)
	assert.Equal(t, "the model provider failed: out of responses", rec.turn.Error.String())
	assert.Equal(t, "first I look", rec.narrative())
}

func TestAProviderThatPanicsFailsTheTurn(t *testing.T) {
	p := providerFunc(func(context.Context, Request) (Response, error) { panic("bug " + githubToken()) })
	rec := runTurn(t, dispatcher(t, p))
	assert.Equal(t, "the model provider failed: panic: bug [REDACTED:github-pat]", rec.turn.Error.String())
}

func TestInterruptCancelsTheToolsThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := funcTool{Spec{Name: "stuck"}, func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		d := dispatcher(t, oneStep("", Call{Name: "stuck", Reasoning: "to wait"}, Call{Name: "a"}), stuck, echo("a"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		rec := &events{}
		err := d.Run(ctx, rec, []Message{{Role: RoleUser, Text: "hi"}})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		back := of[session.ToolReturned](rec)
		assert.Equal(t, session.Cancelled, back[0].Outcome)
		assert.Equal(t, session.Success, back[1].Outcome, "what was done stays done")
		assert.Len(t, of[session.StepEnded](rec), 1, "the reasons so far are shown")
		assert.Equal(t, session.Interrupted, rec.turn.State)
	})
}

func TestARecorderThatFailsDoesNotStopTheTurn(t *testing.T) {
	p := oneStep("so", Call{Name: "a"})
	d := dispatcher(t, p, echo("a"))
	rec := &events{err: errors.New("full")}
	require.NoError(t, d.Run(t.Context(), rec, []Message{{Role: RoleUser, Text: "hi"}}))
	assert.Len(t, p.requests, 2)
	assert.Equal(t, int64(5), d.Unrecorded())
}

func TestAnAnswerOfThoughtsAloneIsSaidToBeNone(t *testing.T) {
	rec := runTurn(t, dispatcher(t, &steps{responses: []Response{{Text: "<think>hm</think>"}}}))
	assert.Equal(t, noAnswer, rec.turn.Response.String())
}

func TestAHostileNumberOfCallsIsBounded(t *testing.T) {
	rec := runTurn(t, dispatcher(t, oneStep("", make([]Call, 10_000)...), echo("a")))
	called, back := of[session.ToolCalled](rec), of[session.ToolReturned](rec)
	require.Len(t, called, maxCalls+1)
	assert.Equal(t, session.Rejected, back[maxCalls].Outcome)
	assert.Contains(t, back[maxCalls].Error.String(), "those after it were not run")
}

func TestCallNamesFromTheModelAreCleaned(t *testing.T) {
	rec := runTurn(t, dispatcher(t, oneStep("", Call{Name: githubToken(), ID: githubToken()})))
	assert.NotContains(t, fmt.Sprintf("%+v", rec.list), githubToken())
	assert.Equal(t, "[REDACTED:github-pat]", of[session.ToolCalled](rec)[0].Tool.String())
}

func TestToolboxRefusesWhatItCannotOffer(t *testing.T) {
	var box Toolbox
	assert.EqualError(t, box.Replace(echo("a"), echo("a")), `two tools are called "a"`)
	assert.EqualError(t, box.Replace(echo("")), "a tool has no name")
	bad := echo("bad").(funcTool)
	bad.spec.Schema = strict("").Spec().Schema
	bad.spec.Schema.Properties["path"].Pattern = "("
	assert.ErrorContains(t, box.Replace(bad), `tool "bad": schema`)
}
