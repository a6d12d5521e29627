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

// endless is a model that calls the same tool whatever it is given.
func endless(calls ...Call) Provider {
	return providerFunc(func(context.Context, Request) (Response, error) { return Response{Text: "more", Calls: calls}, nil })
}

// bytesOf is what a record holds in texts.
func bytesOf(rec *events) (n int) {
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

func TestATurnEndsWhenItHoldsAsMuchAsItMay(t *testing.T) {
	const limit = 100_000
	fat := args(`{"rationale":"to fill it","q":"` + strings.Repeat("x ", 2000) + `"}`)
	for name, call := range map[string]Call{
		"by its arguments and results": {Name: "a", Arguments: fat}, "by its events alone": {Name: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			d := dispatcher(t, endless(call, call, call, call), echo("a"))
			d.MaxTurnBytes = limit
			rec := runTurn(t, d)
			assert.Equal(t, session.Failed, rec.turn.State)
			assert.Equal(t, "the turn holds as much as a turn may: 100000 bytes of what the model wrote and the tools gave", rec.turn.Error.String())
			assert.Less(t, bytesOf(rec), limit)
			assert.Less(t, len(rec.list), limit/eventCost+10)
			assert.Greater(t, len(rec.turn.Steps), 2, "what it did before stays")
		})
	}
}

// A result that does not fit is left out, and the model may still answer.
func TestAResultThatATurnHasNoRoomForIsNotKept(t *testing.T) {
	huge := funcTool{Spec{Name: "huge"}, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`"` + strings.Repeat("x", 200_000) + `"`), nil
	}}
	p := oneStep("", Call{Name: "huge"}, Call{Name: "a", Arguments: args(`{"q":1}`)})
	d := dispatcher(t, p, huge, echo("a"))
	d.MaxTurnBytes = 100_000
	rec := runTurn(t, d)
	assert.Equal(t, session.Completed, rec.turn.State)
	results := of[session.ToolReturned](rec)
	require.Len(t, results, 2)
	assert.Equal(t, session.Errored, results[0].Outcome)
	assert.Contains(t, results[0].Error.String(), "the tool ran, but what it gave is not kept: the turn holds as much as a turn may")
	assert.Equal(t, session.Success, results[1].Outcome, "what fits is")
	last := p.requests[1].Messages
	assert.Less(t, len(last[len(last)-2].Text), 1000, "nor does the model see it")
}

// crew records all agents as one.
type crew struct{ *events }

func (c crew) ForAgent(string) Recorder { return c }

// Agents that hire agents share the room of their turn.
func TestSubAgentsShareTheRoomOfTheirTurn(t *testing.T) {
	inner := dispatcher(t, endless(Call{Name: "a", Arguments: args(`{"q":"` + strings.Repeat("x ", 1000) + `"}`)}), echo("a"))
	hire := Call{Name: "hire", Arguments: args(`{"task":"go on for ever"}`)}
	d := dispatcher(t, endless(hire, hire, hire), Delegate{Name: "hire", Agent: inner})
	d.MaxTurnBytes = 100_000
	rec := &events{}
	require.ErrorIs(t, d.Run(t.Context(), crew{rec}, []Message{{Role: RoleUser, Text: "hi"}}), ErrTurnTooLarge)
	assert.NotEmpty(t, of[session.Handoff](rec))
	assert.Contains(t, rec.turn.Error.String(), ErrTurnTooLarge.Error())
	assert.Less(t, len(rec.list), 100_000/eventCost+30)
}
