package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// A call that has ended is not shown as running until a slower one that the model made before it ends,
// whether that one takes its time or waits for a person.
func TestTheResultOfACallIsRecordedWhenItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		slow := toolFunc("slow", func(context.Context) (json.RawMessage, error) {
			<-release
			return rawJSON(`"late"`), nil
		})
		d := newDispatcher(t, &stepwise{responses: []Response{
			{Text: "both", Calls: []Call{
				{Name: "slow", Reasoning: "r"}, {Name: "quick", Reasoning: "r"}, {Name: "nobody", Reasoning: "r"},
			}},
			{Text: "done"},
		}}, echo("quick"), slow)
		rec := &events{}
		ended := make(chan error)
		go func() { ended <- d.Run(t.Context(), rec, []Message{{Role: RoleUser, Text: "hi"}}) }()
		synctest.Wait()
		assert.Equal(t, []string{"call_3", "call_2"}, returnedCalls(rec), "one was refused, one has ended, one runs")
		close(release)
		require.NoError(t, <-ended)
		assert.Equal(t, []string{"call_3", "call_2", "call_1"}, returnedCalls(rec))
		var turn []string
		for c := range rec.turn.Calls() {
			turn = append(turn, c.ID)
		}
		assert.Equal(t, []string{"call_1", "call_2", "call_3"}, turn, "the turn keeps the order of the calls")
	})
}

// Calls of which it is known how long they take are recorded in the order of their ends, whatever the
// machine makes of them.
func TestScriptedCallsAreRecordedInTheOrderThatTheScriptSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		takes := func(name string, long time.Duration, run func()) Tool {
			answer := func(context.Context, json.RawMessage) (json.RawMessage, error) {
				run()
				return rawJSON(`1`), nil
			}
			return funcTool{Spec{Name: name, Takes: &long}, answer}
		}
		p := oneStep("", Call{Name: "late"}, Call{Name: "same"}, Call{Name: "held"}, Call{Name: "same"})
		d := newDispatcher(t, p,
			takes("late", 2, func() {}), takes("same", 1, func() {}), takes("held", 1, func() { <-release }))
		rec := &events{}
		ended := make(chan error)
		go func() { ended <- d.Run(t.Context(), rec, []Message{{Role: RoleUser, Text: "hi"}}) }()
		synctest.Wait()
		assert.Equal(t, []string{"call_2"}, returnedCalls(rec), "the others come after call_3")
		close(release)
		require.NoError(t, <-ended)
		assert.Equal(t, []string{"call_2", "call_3", "call_4", "call_1"}, returnedCalls(rec))
	})
}

// returnedCalls returns the ids of the calls whose results are recorded, in order.
func returnedCalls(e *events) (ids []string) {
	for _, r := range of[session.ToolReturned](e) {
		ids = append(ids, r.Call)
	}
	return ids
}

func TestParallelGroupAssigned(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Calls: []Call{{Name: "a"}, {Name: "b"}}},
		{Calls: []Call{{Name: "a"}}},
		{Calls: []Call{{Name: "a"}, {Name: "nobody"}, {Name: "b"}}},
		{Text: "done"},
	}}
	rec := runTurn(t, newDispatcher(t, p, echo("a"), echo("b")))
	var groups []string
	for _, c := range of[session.ToolCalled](rec) {
		groups = append(groups, groupOf(c.Group))
	}
	assert.Equal(t, []string{"0", "0", "none", "1", "none", "1"}, groups)
}

func TestSingleToolNoParallelGroup(t *testing.T) {
	rec := runTurn(t, newDispatcher(t, oneStep("", Call{Name: "a"}, Call{Name: "nobody"}), echo("a")))
	for _, c := range of[session.ToolCalled](rec) {
		assert.Nil(t, c.Group, "a call that runs alone has no group")
	}
}

func groupOf(g *int) string {
	if g == nil {
		return "none"
	}
	return fmt.Sprint(*g)
}

// The order in which calls are recorded is that in which they end.
func TestCallsRunConcurrentlyAndAreRecordedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := func(name string, d time.Duration) Tool {
			return toolFunc(name, func(context.Context) (json.RawMessage, error) {
				time.Sleep(d) // fake time: in a bubble
				return rawJSON(`"` + name + `"`), nil
			})
		}
		start := time.Now()
		p := oneStep("", Call{Name: "slow"}, Call{Name: "fast"})
		rec := runTurn(t, newDispatcher(t, p, wait("slow", time.Second), wait("fast", time.Millisecond)))
		assert.Equal(t, time.Second, time.Since(start), "concurrently, not one after the other")
		back := of[session.ToolReturned](rec)
		assert.Equal(t, `"fast"`, string(back[0].Result.Raw()))
		assert.Equal(t, time.Millisecond, back[0].Took)
		assert.Equal(t, `"slow"`, string(back[1].Result.Raw()))
		assert.Equal(t, time.Second, back[1].Took)
	})
}

func TestOutcomes(t *testing.T) {
	const notAnObject = "invalid arguments: they have to be one JSON object"
	fails := toolFunc("fails", func(context.Context) (json.RawMessage, error) {
		return nil, errors.New("disk is full")
	})
	for _, tt := range []struct {
		name    string
		call    Call
		outcome session.Outcome
		error   string
	}{
		{"a tool that succeeds", Call{Name: "a"}, session.Success, ""},
		{"a tool that fails", Call{Name: "fails"}, session.Errored, "disk is full"},
		{"a tool that panics", Call{Name: "boom"}, session.Errored, "the tool panicked: ouch"},
		{"an unknown tool", Call{Name: "nobody"}, session.Errored, "there is no tool of this name"},
		{"a tool that the policy forbids", Call{Name: "denied"}, session.Rejected, "not on my watch"},
		{"arguments that are no object", Call{Name: "strict", Arguments: rawJSON(`[1]`)}, session.Errored, notAnObject},
		{"arguments that are no JSON", Call{Name: "strict", Arguments: rawJSON(`{"path":`)},
			session.Errored, notAnObject},
		{"denied and gone", Call{Name: "gone"}, session.Rejected, "not on my watch"},
		{"arguments of a wrong type", Call{Name: "strict", Arguments: rawJSON(`{"path":1}`)},
			session.Errored, "invalid arguments"},
		{"a missing argument", Call{Name: "strict"}, session.Errored, "invalid arguments"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDispatcher(t, oneStep("", tt.call), echo("a"), fails, panicking(), strict("strict"), echo("denied"))
			d.Policy = func(_ context.Context, tool Spec, _ []byte) error {
				if tool.Name == "denied" || tool.Name == "gone" {
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
	p := oneStep("so",
		Call{ID: "x", Name: "a", Arguments: rawJSON(`{"k":"` + githubToken() + `"}`)}, Call{ID: "x", Name: "nobody"})
	runTurn(t, newDispatcher(t, p, echo("a")))
	m := p.requests[1].Messages
	require.Len(t, m, 4)
	assert.Equal(t, RoleAssistant, m[1].Role)
	assert.Contains(t, m[2].Text, githubToken())
	assert.Equal(t, "Tool 'nobody' failed: there is no tool of this name", m[3].Text)
	assert.Equal(t, m[1].Calls[0].ID, m[2].CallID)
	assert.Equal(t, m[1].Calls[1].ID, m[3].CallID)
	assert.NotEqual(t, m[2].CallID, m[3].CallID, "repeated ids are made unique")
}

func TestInterruptCancelsRunningTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := toolFunc("stuck", func(ctx context.Context) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		d := newDispatcher(t, oneStep("", Call{Name: "stuck", Reasoning: "to wait"}, Call{Name: "a"}), stuck, echo("a"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		rec := &events{}
		err := d.Run(ctx, rec, []Message{{Role: RoleUser, Text: "hi"}})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		back := of[session.ToolReturned](rec)
		assert.Equal(t, session.Success, back[0].Outcome, "a finished call stays finished")
		assert.Equal(t, session.Cancelled, back[1].Outcome)
		assert.Len(t, of[session.StepEnded](rec), 1, "the step's reasons are complete")
		assert.Equal(t, session.Interrupted, rec.turn.State)
	})
}

func TestTheCallsOfAStepAreBounded(t *testing.T) {
	rec := runTurn(t, newDispatcher(t, oneStep("", make([]Call, 10_000)...), echo("a")))
	called, back := of[session.ToolCalled](rec), of[session.ToolReturned](rec)
	require.Len(t, called, maxStepCalls+1)
	assert.Equal(t, session.Rejected, back[maxStepCalls].Outcome)
	assert.Contains(t, back[maxStepCalls].Error.String(), "those after it were not run")
}

func TestCallNamesFromTheModelAreCleaned(t *testing.T) {
	rec := runTurn(t, newDispatcher(t, oneStep("", Call{Name: githubToken(), ID: githubToken()})))
	assert.NotContains(t, fmt.Sprintf("%+v", rec.list), githubToken())
	assert.Equal(t, "[REDACTED:github-pat]", of[session.ToolCalled](rec)[0].Tool.String())
}

func TestAStoppedCallIsRecordedOnceItHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		slow := func(name string, lingers time.Duration) Tool {
			tool := toolFunc(name, func(ctx context.Context) (json.RawMessage, error) {
				<-ctx.Done()
				time.Sleep(lingers) // fake time: in a bubble
				return nil, ctx.Err()
			}).(funcTool)
			tool.spec.MayWait = true
			return tool
		}
		d := newDispatcher(t, oneStep("", Call{Name: "a"}, Call{Name: "b"}), slow("a", time.Minute), slow("b", 0))
		rec := &events{}
		time.AfterFunc(time.Second, cancel)
		require.ErrorIs(t, d.Run(ctx, rec, nil), context.Canceled)
		assert.Equal(t, []string{"call_2", "call_1"}, returnedCalls(rec), "each when it ended")
		for _, r := range of[session.ToolReturned](rec) {
			assert.Equal(t, session.Cancelled, r.Outcome)
		}
	})
}

// A call that waited for somebody is recorded when it ends, too, and the step counts as waiting only
// once nothing else of it runs.
func TestAStepWaitsOnceOnlyTheCallsOfOthersRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		after := func(name string, d time.Duration, mayWait bool) Tool {
			answer := func(context.Context, json.RawMessage) (json.RawMessage, error) {
				time.Sleep(d) // fake time: in a bubble
				return rawJSON(`1`), nil
			}
			return funcTool{Spec{Name: name, MayWait: mayWait}, answer}
		}
		p := oneStep("", Call{Name: "other"}, Call{Name: "own"}, Call{Name: "slow other"})
		rec := runTurn(t, newDispatcher(t, p, after("other", time.Second, true),
			after("own", 2*time.Second, false), after("slow other", 3*time.Second, true)))
		var order []string
		for _, e := range rec.list {
			switch b := e.(type) {
			case session.ToolReturned:
				order = append(order, b.Call)
			case session.StepWaits:
				order = append(order, "waits")
			}
		}
		assert.Equal(t, []string{"call_1", "call_2", "waits", "call_3"}, order)
	})
}
