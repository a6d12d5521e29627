package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// endless returns a provider that makes the same calls in every step.
func endless(calls ...Call) Provider {
	return providerFunc(func(context.Context, Request) (Response, error) {
		return Response{Text: "more", Calls: calls}, nil
	})
}

// textBytes returns the size of the recorded texts.
func textBytes(rec *events) (n int) {
	for _, e := range of[session.Narrated](rec) {
		n += len(e.Text.String())
	}
	for _, e := range of[session.ToolCalled](rec) {
		n += len(e.Params.Raw())
	}
	for _, e := range of[session.ToolReturned](rec) {
		n += len(e.Result.Raw())
	}
	return n
}

func TestATurnEndsAtItsMemoryLimit(t *testing.T) {
	const limit = 100_000
	fat := rawJSON(`{"rationale":"to fill it","q":"` + strings.Repeat("x ", 2000) + `"}`)
	for name, call := range map[string]Call{
		"through arguments and results": {Name: "a", Arguments: fat}, "through events alone": {Name: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDispatcher(t, endless(call, call, call, call), echo("a"))
			d.MaxTurnBytes = limit
			rec := runTurn(t, d)
			assert.Equal(t, session.Failed, rec.turn.State)
			assert.Equal(t, "the turn reached its memory limit of 100000 bytes of model output and tool results",
				rec.turn.Error.String())
			assert.Less(t, textBytes(rec), limit)
			assert.Less(t, len(rec.list), limit/overhead+10)
			assert.Greater(t, len(rec.turn.Steps), 2, "the earlier steps stay")
		})
	}
}

// A result beyond the budget is dropped, and the model may still answer.
func TestAResultBeyondTheBudgetIsDropped(t *testing.T) {
	huge := toolFunc("huge", func(context.Context) (json.RawMessage, error) {
		return json.RawMessage(`"` + strings.Repeat("x", 200_000) + `"`), nil
	})
	p := oneStep("", Call{Name: "huge"}, Call{Name: "a", Arguments: rawJSON(`{"q":1}`)})
	d := newDispatcher(t, p, huge, echo("a"))
	d.MaxTurnBytes = 100_000
	rec := runTurn(t, d)
	assert.Equal(t, session.Completed, rec.turn.State)
	results := rec.turn.Steps[0].Calls
	require.Len(t, results, 2)
	assert.Equal(t, session.Errored, results[0].Outcome)
	assert.Contains(t, results[0].Error.String(),
		"the tool ran, but its result was dropped: the turn reached its memory limit")
	assert.Equal(t, session.Success, results[1].Outcome, "a smaller result still fits")
	last := p.requests[1].Messages
	assert.Less(t, len(last[len(last)-2].Text), 1000, "the model does not see it either")
}

// crew records the events of all agents in one list.
type crew struct{ *events }

func (c crew) ForAgent(string) Recorder { return c }

func TestSubAgentsShareTheBudgetOfTheirTurn(t *testing.T) {
	large := rawJSON(`{"q":"` + strings.Repeat("x ", 1000) + `"}`)
	inner := newDispatcher(t, endless(Call{Name: "a", Arguments: large}), echo("a"))
	hire := Call{Name: "hire", Arguments: rawJSON(`{"task":"go on for ever"}`)}
	d := newDispatcher(t, endless(hire, hire, hire), Delegate{Name: "hire", Agent: inner})
	d.MaxTurnBytes = 100_000
	rec := &events{}
	require.ErrorIs(t, d.Run(t.Context(), crew{rec}, []Message{{Role: RoleUser, Text: "hi"}}), ErrTurnTooLarge)
	assert.NotEmpty(t, of[session.Handoff](rec))
	assert.Contains(t, rec.turn.Error.String(), ErrTurnTooLarge.Error())
	assert.Less(t, len(rec.list), 100_000/overhead+30)
}
