package agent

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// runnerFunc is a function as a Runner.
type runnerFunc func(context.Context, Recorder) (Response, error)

func (f runnerFunc) Run(ctx context.Context, rec Recorder) (Response, error) { return f(ctx, rec) }

// TestARunnersTurnEndsOnce holds that a turn ends in each case, and says how.
func TestARunnersTurnEndsOnce(t *testing.T) {
	planted := githubToken()
	cases := map[string]struct {
		run  runnerFunc
		ends session.Body
	}{
		"it answers": {
			func(context.Context, Recorder) (Response, error) { return Response{Text: "done"}, nil },
			session.TurnCompleted{Response: safety.Literal("done")},
		},
		"it fails": {
			func(context.Context, Recorder) (Response, error) { return Response{}, errors.New("node b failed") },
			session.TurnFailed{Error: safety.Literal("node b failed")},
		},
		"it panics": {
			func(context.Context, Recorder) (Response, error) { panic("ouch") },
			session.TurnFailed{Error: safety.Literal("panic: ouch")},
		},
		"its session is full": {
			func(context.Context, Recorder) (Response, error) {
				return Response{}, fmt.Errorf("node b: %w", session.ErrFull)
			},
			session.TurnFailed{Error: noRoom},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rec := &events{}
			_ = newDispatcher(t, nil).RunWith(t.Context(), rec, c.run)
			assert.Equal(t, []session.Body{c.ends}, rec.list)
		})
	}
	t.Run("it fails with a secret", func(t *testing.T) {
		rec := &events{}
		_ = newDispatcher(t, nil).RunWith(t.Context(), rec, runnerFunc(
			func(context.Context, Recorder) (Response, error) { return Response{}, errors.New("with " + planted) }))
		assert.NotContains(t, rec.turn.Error.String(), planted)
	})
}

func TestAChatRunsATurnByItsRunner(t *testing.T) {
	inChat(t, providerFunc(func(context.Context, Request) (Response, error) {
		return Response{}, errors.New("the dispatcher's own model was asked")
	}), func(t *testing.T, c *Chat, s *session.Session) {
		answer := runnerFunc(func(context.Context, Recorder) (Response, error) {
			return Response{Text: "by the runner"}, nil
		})
		e, err := c.SendWith(t.Context(), "ann", "", "go", TurnOptions{Runner: answer})
		require.NoError(t, err)
		synctest.Wait()
		turn, err := s.Turn(e.Thread, e.Turn)
		require.NoError(t, err)
		assert.Equal(t, "by the runner", turn.Response.String(), turn.Error.String())
	})
}

func TestARunnersTurnIsInterrupted(t *testing.T) {
	inChat(t, nil, func(t *testing.T, c *Chat, s *session.Session) {
		waits := runnerFunc(func(ctx context.Context, _ Recorder) (Response, error) {
			<-ctx.Done()
			return Response{Text: "too late"}, nil
		})
		e, err := c.SendWith(t.Context(), "ann", "", "go", TurnOptions{Runner: waits})
		require.NoError(t, err)
		synctest.Wait()
		_, err = c.Interrupt(t.Context(), "ann", "")
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, []session.State{session.Interrupted}, states(t, s, e.Thread))
	})
}

// TestAnAgentOfARunnerIsCapturedAndDoesNotEndTheTurn holds that an agent within a runner's turn
// works under the dispatcher's rules.
func TestAnAgentOfARunnerIsCapturedAndDoesNotEndTheTurn(t *testing.T) {
	d := newDispatcher(t, nil)
	d.Confidence.Offer = true
	d.Policy = func(_ context.Context, tool Spec, _ []byte) error {
		if tool.Name == "danger" {
			return errors.New("not today")
		}
		return nil
	}
	tools := &Toolbox{}
	require.NoError(t, tools.Replace(echo("look"), echo("danger")))
	model := oneStep("I look.", Call{Name: "look", Arguments: rawJSON(`{"rationale":"to see"}`)}, Call{Name: "danger"})
	rec := &events{}
	err := d.RunWith(t.Context(), rec, runnerFunc(func(ctx context.Context, rec Recorder) (Response, error) {
		answer, err := d.With(model, tools).Answer(ctx, rec, []Message{{Role: RoleUser, Text: "go"}})
		assert.Empty(t, of[session.TurnCompleted](rec.(*events)))
		return answer, err
	}))
	require.NoError(t, err)
	assert.Equal(t, "I look.", rec.narrative())
	assert.Contains(t, model.requests[0].Tools[0].Schema.Properties, "confidence")
	returned := rec.turn.Steps[0].Calls
	require.Len(t, returned, 2)
	assert.Equal(t, session.Success, returned[0].Outcome)
	assert.Equal(t, session.Rejected, returned[1].Outcome)
	assert.Len(t, of[session.TurnCompleted](rec), 1)
	assert.Equal(t, "done", rec.turn.Response.String())
}

func TestTheLogSaysThatARunnerFailed(t *testing.T) {
	d, fails := newDispatcher(t, nil), errors.New("node b failed")
	err := d.RunWith(t.Context(), &events{}, runnerFunc(func(context.Context, Recorder) (Response, error) {
		return Response{}, fails
	}))
	assert.Equal(t, "runner", causeOf(err))
	require.ErrorIs(t, err, fails)
	err = d.RunWith(t.Context(), &events{}, runnerFunc(func(context.Context, Recorder) (Response, error) { panic(1) }))
	assert.Equal(t, "runner", causeOf(err))
}
