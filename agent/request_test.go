package agent

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// announced is a recorder that notes which calls run, and their arguments.
type announced struct {
	events
	calls []string
}

func (a *announced) CallRuns(call string, arguments json.RawMessage) {
	a.calls = append(a.calls, call+" "+string(arguments))
}

func TestACallForAnotherAgentPassesTheChecksOfAModels(t *testing.T) {
	allow := func(context.Context, Spec, []byte) error { return nil }
	for _, tt := range []struct {
		name    string
		call    Call
		policy  Policy
		outcome session.Outcome
		runs    bool
	}{
		{"a call that may run", Call{Name: "strict", Arguments: rawJSON(`{"path":"x"}`)}, allow, session.Success, true},
		{"an unknown tool", Call{Name: "none"}, allow, session.Errored, false},
		{"arguments that do not fit", Call{Name: "strict", Arguments: rawJSON(`{}`)}, allow, session.Errored, false},
		{"a call that the policy forbids", Call{Name: "strict", Arguments: rawJSON(`{"path":"x"}`)},
			func(context.Context, Spec, []byte) error { return errors.New("no") }, session.Rejected, false},
		{"a call that a person has to approve", Call{Name: "guarded"}, allow, session.Rejected, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDispatcher(t, nil, strict("strict"), guarded("guarded", ApprovalAsk))
			d.Policy = tt.policy
			rec := &announced{}
			d.Call(t.Context(), rec, tt.call)
			returned := of[session.ToolReturned](&rec.events)
			require.Len(t, returned, 1)
			assert.Equal(t, tt.outcome, returned[0].Outcome)
			assert.Equal(t, tt.runs, len(rec.calls) == 1)
		})
	}
}

func TestWhatACallForAnotherAgentReturnsIsCleaned(t *testing.T) {
	d := newDispatcher(t, nil, echo("echo"))
	rec := &events{}
	arguments := `{"rationale":"He asked with ` + githubToken() + `","text":"` + githubToken() + `"}`
	d.Call(t.Context(), rec, Call{Name: "echo", Arguments: rawJSON(arguments)})
	called, returned := of[session.ToolCalled](rec)[0], of[session.ToolReturned](rec)[0]
	for _, text := range []string{
		called.Rationale.Text.String(), string(called.Params.Raw()), string(returned.Result.Raw()),
	} {
		assert.NotContains(t, text, githubToken())
		assert.Contains(t, text, "[REDACTED:")
	}
	assert.NotContains(t, string(called.Params.Raw()), "rationale", "the reason is no argument")
}

func TestCallsAreAnnouncedInOrderOnceTheyAreRecorded(t *testing.T) {
	d := newDispatcher(t, oneStep("", Call{Name: "a", Arguments: rawJSON(`{"n":1}`)}, Call{Name: "none"},
		Call{Name: "a", Arguments: rawJSON(`{"n":2}`)}), echo("a"))
	rec := &announced{}
	require.NoError(t, d.Run(t.Context(), rec, []Message{{Role: RoleUser, Text: "hi"}}))
	assert.Equal(t, []string{`call_1 {"n":1}`, `call_3 {"n":2}`}, rec.calls)
}

func TestAToolLearnsTheIDOfItsCall(t *testing.T) {
	seen := ""
	tool := toolFunc("a", func(ctx context.Context) (json.RawMessage, error) {
		seen = CallOf(ctx)
		return rawJSON("1"), nil
	})
	d := newDispatcher(t, oneStep("", Call{Name: "a"}), tool)
	rec := runTurn(t, d)
	assert.Equal(t, of[session.ToolCalled](rec)[0].Call, seen)
	assert.Empty(t, CallOf(t.Context()))
}

// consenting is a recorder that has a person to ask, who approves.
type consenting struct{ announced }

func (*consenting) Approved(string) bool { return false }

func (*consenting) Ask(string, Question) func(context.Context) Reply {
	return func(context.Context) Reply { return Reply{Answer: session.Approve} }
}

func TestACallThatAPersonIsAskedAboutIsNotAnnounced(t *testing.T) {
	p := oneStep("", Call{Name: "a"}, Call{Name: "guarded"})
	d := newDispatcher(t, p, echo("a"), guarded("guarded", ApprovalAsk))
	rec := &consenting{}
	require.NoError(t, d.Run(t.Context(), rec, []Message{{Role: RoleUser, Text: "hi"}}))
	assert.Equal(t, []string{"call_1 {}"}, rec.calls)
	assert.Equal(t, session.Success, of[session.ToolReturned](&rec.events)[1].Outcome, "it ran")
}
