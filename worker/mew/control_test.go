package mew

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/safety"
)

// blocking returns a model that blocks in its first step until it is stopped, after it has let
// the test know, and a tool that does the same.
func blocking() (answer model, tool agent.Tool, began chan struct{}) {
	began = make(chan struct{}, 8)
	wait := func(ctx context.Context) error {
		began <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	answer = func(ctx context.Context, _ int, _ agent.Request) (agent.Response, error) {
		return agent.Response{}, wait(ctx)
	}
	tool = toolFunc{agent.Spec{Name: "wait"}, func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		return nil, wait(ctx)
	}}
	return answer, tool, began
}

func TestACancelInMidThoughtStopsTheTurn(t *testing.T) {
	for _, tt := range []struct {
		name    string
		from    string
		context func(start string) any
	}{
		{"by the person who asked", "anna", func(s string) any { return s }},
		{"by somebody else", "bert", func(s string) any { return s }},
		{"of a context below it", "anna", func(s string) any { return s + "/other" }},
		{"with a context that is an object", "anna", func(s string) any { return object{"id": s} }},
		{"with a context whose parent it is", "anna", func(s string) any { return object{"id": "x", "parent": s} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGateway(t, nil)
			answer, _, began := blocking()
			join(t, g, answer, nil)
			g.ask("Think hard.")
			start := g.await(t, "reasoning/start", 1)
			<-began
			cancel, err := newEnvelope("reasoning/cancel", object{"reason": "too slow"})
			require.NoError(t, err)
			cancel.From = tt.from
			cancel.Context, err = safety.Marshal(tt.context(start.ID))
			require.NoError(t, err)
			g.send(cancel)
			end := g.await(t, "reasoning/conclusion", 1)
			assert.Equal(t, true, field(t, end, "cancelled"))
			assert.Equal(t, "Stopped by "+tt.from+": too slow", field(t, end, "message"))
			assert.Equal(t, []string{"reasoning/start", "reasoning/conclusion"}, kinds(g.all()))
		})
	}
}

func TestACancelOfAnotherContextStopsNothing(t *testing.T) {
	g := newGateway(t, nil)
	release := make(chan struct{})
	join(t, g, func(context.Context, int, agent.Request) (agent.Response, error) {
		<-release
		return agent.Response{Text: "done"}, nil
	}, nil)
	g.ask("Think.")
	start := g.await(t, "reasoning/start", 1)
	for _, path := range []string{"", "elsewhere", start.ID + "0"} {
		e, err := newEnvelope("reasoning/cancel", object{})
		require.NoError(t, err)
		e.From = "anna"
		g.send(e.inContext(path))
	}
	g.say("participant/request-status", "anna", []string{"helper"}, object{})
	g.await(t, "participant/status", 1) // so the messages before it were handled
	close(release)
	assert.Equal(t, "done", field(t, g.await(t, "chat", 1), "text"))
}

func TestACancelStopsTheToolThatRuns(t *testing.T) {
	g := newGateway(t, nil)
	_, tool, began := blocking()
	join(t, g, steps(uses("I wait.", "wait", `{}`), uses("I go on.", "wait", `{}`)), nil, tool)
	g.ask("Wait.")
	start := g.await(t, "reasoning/start", 1)
	<-began
	e, err := newEnvelope("reasoning/cancel", nil)
	require.NoError(t, err)
	e.From = "anna"
	g.send(e.inContext(start.ID))
	g.await(t, "reasoning/conclusion", 1)
	response := g.await(t, "mcp/response", 1)
	assert.Equal(t, "cancelled", field(t, response, "error.data.outcome"))
	assert.Len(t, of(g.all(), "reasoning/thought"), 2, "nothing is thought after the cancel")
	assert.Empty(t, of(g.all(), "chat"))
}

func TestTheLastWordsOfACancelledTurnAreNotSaid(t *testing.T) {
	g := newGateway(t, nil)
	began := make(chan struct{})
	join(t, g, func(ctx context.Context, _ int, req agent.Request) (agent.Response, error) {
		req.Say("I was about to say something. And")
		close(began)
		<-ctx.Done()
		return agent.Response{}, ctx.Err()
	}, func(p *Participant) { p.Dispatcher.Stream = true })
	g.ask("Speak.")
	start := g.await(t, "reasoning/start", 1)
	<-began
	e, err := newEnvelope("reasoning/cancel", nil)
	require.NoError(t, err)
	e.From = "anna"
	g.send(e.inContext(start.ID))
	g.await(t, "reasoning/conclusion", 1)
	assert.Empty(t, of(g.all(), "reasoning/thought"))
}

func TestAPausedParticipantSaysNothingUntilItIsResumed(t *testing.T) {
	g := newGateway(t, nil)
	release := make(chan struct{})
	h := join(t, g, func(context.Context, int, agent.Request) (agent.Response, error) {
		<-release
		return agent.Response{Text: "done"}, nil
	}, nil)
	g.ask("first")
	g.await(t, "reasoning/start", 1)
	g.say("participant/pause", "anna", []string{"helper"}, object{})
	second := g.ask("second")
	ack := g.await(t, "chat/acknowledge", 1)
	assert.Equal(t, ids{second.ID}, ack.Correlation)
	assert.Equal(t, "queued", field(t, ack, "status"))
	close(release) // the running turn ends, unheard
	for n := 1; ; n++ {
		g.say("participant/request-status", "anna", []string{"helper"}, object{})
		status := g.await(t, "participant/status", n)
		assert.Equal(t, "paused", field(t, status, "status"))
		if field(t, status, "messages_in_context") != 0.0 {
			break // it has ended
		}
	}
	assert.Empty(t, of(g.all(), "chat"))
	g.say("participant/resume", "anna", []string{"helper"}, object{})
	g.await(t, "chat", 2)
	assert.Len(t, h.provider.requests(), 2)
}

func TestAPauseForSomebodyElseChangesNothing(t *testing.T) {
	g := newGateway(t, nil)
	join(t, g, steps(agent.Response{Text: "here"}), nil)
	g.say("participant/pause", "anna", []string{"bert"}, object{})
	g.ask("Are you there?")
	g.await(t, "chat", 1)
}

func TestAShutdownEndsTheTurnAndLeaves(t *testing.T) {
	g := newGateway(t, nil)
	answer, _, began := blocking()
	h := join(t, g, answer, nil)
	g.ask("Think.")
	<-began
	g.say("participant/shutdown", "anna", []string{"helper"}, object{"reason": "good night"})
	require.NoError(t, h.leaves(t))
	end := g.await(t, "reasoning/conclusion", 1)
	assert.Equal(t, "Stopped by anna: good night", field(t, end, "message"))
}

func TestTheEndOfTheProgramIsSaid(t *testing.T) {
	g := newGateway(t, nil)
	answer, _, began := blocking()
	h := join(t, g, answer, nil)
	g.ask("Think.")
	<-began
	h.stop()
	require.ErrorIs(t, h.leaves(t), context.Canceled)
	assert.Equal(t, true, field(t, g.await(t, "reasoning/conclusion", 1), "cancelled"))
}

func TestTheConversationIsReportedForgottenAndCompacted(t *testing.T) {
	g := newGateway(t, nil)
	join(t, g, steps(agent.Response{Text: "An answer of some length."}), nil)
	control := func(kind string, payload object) { g.say(kind, "anna", []string{"helper"}, payload) }
	count, asked := 0.0, 0
	status := func() float64 {
		control("participant/request-status", object{})
		asked++
		count, _ = field(t, g.await(t, "participant/status", asked), "messages_in_context").(float64)
		return count
	}
	for i := range 3 {
		g.ask("A question of some length.")
		g.await(t, "chat", i+1)
	}
	idle(t, g, &asked)
	assert.InDelta(t, 6, status(), 0, "three questions and three answers")
	control("participant/forget", object{"direction": "oldest", "entries": 1})
	assert.InDelta(t, 4, status(), 0)
	control("participant/compact", object{})
	done := g.await(t, "participant/compact-done", 1)
	assert.EqualValues(t, 2, field(t, done, "freed_messages"))
	assert.InDelta(t, 2, status(), 0)
	control("participant/compact", object{"target_tokens": 100_000})
	assert.Equal(t, true, field(t, g.await(t, "participant/compact-done", 2), "skipped"))
	control("participant/clear", object{})
	assert.Zero(t, status())
}

// idle waits until no turn runs.
func idle(t *testing.T, g *gateway, asked *int) {
	t.Helper()
	for {
		g.say("participant/request-status", "anna", []string{"helper"}, object{})
		*asked++
		if field(t, g.await(t, "participant/status", *asked), "status") == "idle" {
			return
		}
	}
}

func TestARestartForgetsWhatWaitsAndTheConversation(t *testing.T) {
	g := newGateway(t, nil)
	answer, _, began := blocking()
	h := join(t, g, answer, nil)
	g.ask("first")
	<-began
	g.ask("second")
	g.await(t, "chat/acknowledge", 1)
	g.say("participant/restart", "anna", []string{"helper"}, object{})
	g.await(t, "reasoning/conclusion", 1)
	asked := 0
	idle(t, g, &asked)
	assert.Len(t, h.provider.requests(), 1, "what waited was forgotten")
}
