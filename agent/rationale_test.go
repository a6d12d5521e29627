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

func TestToolcallReasoningThreadedFromSelection(t *testing.T) {
	fallback := session.Fallback().Text.String()
	for _, tt := range []struct {
		name   string
		call   Call
		want   string
		source session.Source
	}{
		{"the property in the arguments", Call{Name: "a", Arguments: rawJSON(`{"rationale":"to see x","q":1}`)},
			"to see x", session.FromModel},
		{"the provider's own field", Call{Name: "a", Reasoning: "to see y"}, "to see y", session.FromModel},
		{"the property wins over the field", Call{Name: "a", Arguments: rawJSON(`{"rationale":"x"}`), Reasoning: "y"},
			"x", session.FromModel},
		{"nothing gives the fallback", Call{Name: "a"}, fallback, session.FromFallback},
		{"blank gives the fallback", Call{Name: "a", Arguments: rawJSON(`{"rationale":" \n"}`), Reasoning: "  "},
			fallback, session.FromFallback},
		{"a number is no reason", Call{Name: "a", Arguments: rawJSON(`{"rationale":7}`)},
			fallback, session.FromFallback},
		{"only a thought is no reason", Call{Name: "a", Reasoning: "<think>plan</think>"},
			fallback, session.FromFallback},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := runTurn(t, newDispatcher(t, oneStep("the narrative", tt.call), echo("a")))
			called := of[session.ToolCalled](rec)
			require.Len(t, called, 1)
			assert.Equal(t, tt.want, called[0].Rationale.Text.String(), "the narrative is never the reason")
			assert.Equal(t, tt.source, called[0].Rationale.Source)
			assert.NotContains(t, string(called[0].Params.Raw()), "rationale")
		})
	}
}

func TestTheRationaleIsRemovedBeforeTheToolRuns(t *testing.T) {
	var seen string
	tool := funcTool{strict("read").Spec(), func(_ context.Context, a json.RawMessage) (json.RawMessage, error) {
		seen = string(a)
		return rawJSON(`"ok"`), nil
	}}
	tool.spec.Schema.AdditionalProperties = nil
	p := oneStep("", Call{Name: "read", Arguments: rawJSON(`{"rationale":"why","path":"a<b","n":1.50}`)})
	runTurn(t, newDispatcher(t, p, tool))
	assert.Equal(t, `{"path":"a<b","n":1.50}`, seen, "the rest keeps its order and spelling")
	assert.Contains(t, string(p.requests[1].Messages[1].Calls[0].Arguments), `"rationale":"why"`,
		"the model sees its own arguments")
}

func TestTheRationaleComesFirstInEverySchemaWithoutOne(t *testing.T) {
	own := strict("own").(funcTool)
	own.spec.Schema.Properties["rationale"] = own.spec.Schema.Properties["path"]
	p := oneStep("", Call{
		Name: "own", Arguments: rawJSON(`{"path":"x","rationale":"an argument"}`), Reasoning: "the reason",
	})
	rec := runTurn(t, newDispatcher(t, p, strict("read"), own))
	specs := p.requests[0].Tools
	encoded, err := json.Marshal(specs[0].Schema)
	require.NoError(t, err)
	assert.Regexp(t, `"properties":\{"rationale":.*"path"`, string(encoded))
	assert.Empty(t, specs[1].Schema.PropertyOrder)
	called := of[session.ToolCalled](rec)[0]
	assert.Equal(t, "the reason", called.Rationale.Text.String())
	assert.JSONEq(t, `{"path":"x","rationale":"an argument"}`, string(called.Params.Raw()))
}

func TestACallWithoutARequiredRationaleStillRuns(t *testing.T) {
	p := oneStep("", Call{Name: "read", Arguments: rawJSON(`{"path":"x"}`)})
	d := newDispatcher(t, p)
	d.Tools.RequireRationale = true
	require.NoError(t, d.Tools.Replace(strict("read")))
	rec := runTurn(t, d)
	assert.Equal(t, []string{"rationale", "path"}, p.requests[0].Tools[0].Schema.Required)
	assert.Equal(t, []string{"path"}, strict("read").Spec().Schema.Required, "the tool's own schema is unchanged")
	assert.Equal(t, session.Success, of[session.ToolReturned](rec)[0].Outcome)
	assert.Equal(t, session.FromFallback, of[session.ToolCalled](rec)[0].Rationale.Source)
}

func TestReasoningSafetyBlockRationaleFallback(t *testing.T) {
	rec := runTurn(t, newDispatcher(t, oneStep("", Call{Name: "a", Reasoning: "use " + privateKey()}), echo("a")))
	r := of[session.ToolCalled](rec)[0].Rationale
	assert.Equal(t, session.Fallback().Text.String(), r.Text.String())
	assert.Equal(t, session.FromFallback, r.Source)
	assert.True(t, r.Blocked)
	assert.Equal(t, session.Completed, rec.turn.State)
}

func TestReasoningSafetyRedactRationale(t *testing.T) {
	p := oneStep("", Call{Name: "a", Reasoning: "log in with " + githubToken() + ", then look"})
	rec := runTurn(t, newDispatcher(t, p, echo("a")))
	r := of[session.ToolCalled](rec)[0].Rationale
	assert.Equal(t, "log in with [REDACTED:github-pat], then look", r.Text.String())
	assert.Equal(t, session.FromModel, r.Source)
}

func TestEveryToolCallStoresANonEmptyRationale(t *testing.T) {
	calls := []Call{
		{Name: "a"}, {Name: "a", Reasoning: "why"}, {Name: "nobody"}, {Name: "a", Arguments: rawJSON("not json")},
		{Name: "a", Reasoning: privateKey()}, {Name: "strict", Arguments: rawJSON(`{}`)}, {Name: "boom"}, {},
	}
	rec := runTurn(t, newDispatcher(t, oneStep("", calls...), echo("a"), strict("strict"), panicking()))
	called := of[session.ToolCalled](rec)
	require.Len(t, called, len(calls))
	for _, c := range called {
		assert.NotEmpty(t, strings.TrimSpace(c.Rationale.Text.String()))
		assert.Contains(t, []session.Source{session.FromModel, session.FromFallback}, c.Rationale.Source)
	}
}
