package mew

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/session"
)

var update = flag.Bool("update", false, "rewrite the golden transcripts")

// checkTranscript compares what was said with a golden file.
func checkTranscript(t *testing.T, name string, all []envelope) {
	t.Helper()
	file := "testdata/" + name + ".txt"
	got := transcript(all)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func TestATurnIsSaidAsTheSpecificationHasIt(t *testing.T) {
	for _, dialect := range []struct {
		name    string
		shipped bool
	}{{"of the specification", false}, {"of MEW's own gateway", true}} {
		t.Run(dialect.name, func(t *testing.T) {
			g := newGateway(t, func(g *gateway) { g.shipped = dialect.shipped })
			join(t, g, steps(
				uses("I need the sum first.", "add", `{"rationale":"The sum answers the question.","a":1,"b":2}`),
				agent.Response{Text: "It is 3. As **expected**."},
			), nil, adder())
			q := g.ask("What is 1 + 2?")
			answer := g.await(t, "chat", 1)
			assert.Equal(t, ids{q.ID, of(g.all(), "reasoning/start")[0].ID}, answer.Correlation)
			checkTranscript(t, "turn", append([]envelope{q}, g.all()...))
		})
	}
}

func TestASubAgentReasonsBelowItsCaller(t *testing.T) {
	sub := &agent.Toolbox{}
	require.NoError(t, sub.Replace(adder()))
	g := newGateway(t, nil)
	join(t, g, steps(
		uses("Somebody else shall add.", "delegate", `{"rationale":"It is better at numbers.","task":"Add 1 and 2."}`),
		agent.Response{Text: "The sum is 3."},
	), func(p *Participant) {
		d := &agent.Dispatcher{Tools: sub, Safety: p.Dispatcher.Safety, Log: p.Log, Provider: &fakeProvider{
			answer: steps(uses("I add.", "add", `{"a":1,"b":2}`), agent.Response{Text: "3"}),
		}}
		require.NoError(t, p.Dispatcher.Tools.Replace(agent.Delegate{Name: "delegate", Agent: d}))
	})
	q := g.ask("Have it added.")
	g.await(t, "chat", 1)
	checkTranscript(t, "nested", append([]envelope{q}, g.all()...))
}

func TestCallsOfOneStepShareAGroup(t *testing.T) {
	g := newGateway(t, nil)
	two := uses("", "add", `{"a":1,"b":2}`)
	two.Calls = append(two.Calls, two.Calls[0])
	join(t, g, steps(two, agent.Response{Text: "done"}), nil, adder())
	g.ask("Add twice.")
	g.await(t, "chat", 1)
	for _, kind := range []string{"mcp/request", "reasoning/thought"} {
		calls := of(g.all(), kind)
		require.Len(t, calls, 2, kind)
		for _, e := range calls {
			assert.EqualValues(t, 0, field(t, e, "parallel_group"), kind)
		}
	}
}

func TestWhatATurnSaysWasCleaned(t *testing.T) {
	secret := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	g := newGateway(t, nil)
	join(t, g, steps(
		uses("I use "+secret+".", "add", `{"rationale":"Because `+secret+`","a":1,"b":2,"note":"`+secret+`"}`),
		agent.Response{Text: "The token is " + secret},
	), nil, adder())
	g.ask("What about " + secret + "?")
	g.await(t, "chat", 1)
	said := transcript(g.all())
	assert.NotContains(t, said, secret)
	assert.Contains(t, said, "[REDACTED:")
}

func TestASummaryAndAWithheldThoughtAreMarked(t *testing.T) {
	g := newGateway(t, nil)
	summarised := uses("", "add", `{"a":1,"b":2}`)
	summarised.Summary = "The model weighed its options."
	key := "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIB\n-----END RSA PRIVATE " + "KEY-----"
	join(t, g, steps(summarised, uses(key, "add", `{"a":1,"b":2}`),
		agent.Response{Text: "3", Summary: "It was easy."}), nil, adder())
	g.ask("Add.")
	g.await(t, "chat", 1)
	thoughts := of(g.all(), "reasoning/thought")
	require.Len(t, thoughts, 5)
	assert.Equal(t, "The model weighed its options.", field(t, thoughts[0], "message"))
	assert.Equal(t, "summary", field(t, thoughts[0], "source"))
	assert.Equal(t, true, field(t, thoughts[2], "withheld"))
	assert.Equal(t, "It was easy.", field(t, thoughts[4], "message"))
}

func TestAThoughtBesideWordsAndAStopAreSaid(t *testing.T) {
	g := newGateway(t, nil)
	cut := uses("I add.", "add", `{"a":1,"b":2}`)
	cut.Summary, cut.Stop = "It has to be a sum.", session.StopLength
	join(t, g, steps(cut, agent.Response{Text: "3"}), nil, adder())
	g.ask("Add.")
	g.await(t, "chat", 1)
	thoughts := of(g.all(), "reasoning/thought")
	require.Len(t, thoughts, 4, "the thought, the words, why the model stopped, and the reason")
	assert.Equal(t, "It has to be a sum.", field(t, thoughts[0], "message"))
	assert.Equal(t, "summary", field(t, thoughts[0], "source"))
	assert.Equal(t, "I add.", field(t, thoughts[1], "message"))
	assert.Equal(t, "length", field(t, thoughts[2], "stop"))
	assert.Contains(t, field(t, thoughts[2], "message"), "cut off at the model's limit")
}

func TestAFailedTurnSaysWhy(t *testing.T) {
	g := newGateway(t, nil)
	join(t, g, func(context.Context, int, agent.Request) (agent.Response, error) {
		return agent.Response{}, errors.New("the model is asleep")
	}, nil)
	g.ask("Are you there?")
	answer := g.await(t, "chat", 1)
	assert.Contains(t, field(t, answer, "text"), "I could not answer: the model provider failed: the model is asleep")
	assert.Equal(t, true, field(t, g.await(t, "reasoning/conclusion", 1), "failed"))
}

func TestACallThatIsRefusedIsAnsweredWithTheReason(t *testing.T) {
	g := newGateway(t, nil)
	join(t, g, steps(uses("", "add", `{"a":1,"b":2}`), agent.Response{Text: "well"}), func(p *Participant) {
		p.Dispatcher.Policy = func(context.Context, agent.Spec, []byte) error {
			return errors.New("adding is forbidden")
		}
	}, adder())
	g.ask("Add.")
	g.await(t, "chat", 1)
	response := g.await(t, "mcp/response", 1)
	assert.Equal(t, ids{g.await(t, "mcp/request", 1).ID}, response.Correlation)
	assert.Equal(t, "adding is forbidden", field(t, response, "error.message"))
	assert.Equal(t, "rejected", field(t, response, "error.data.outcome"))
}

func TestIdsAreUniqueAndOfVersion7(t *testing.T) {
	seen := map[string]bool{}
	last := ""
	for range 10_000 {
		e, err := newEnvelope("chat", object{})
		require.NoError(t, err)
		id, err := uuid.Parse(e.ID)
		require.NoError(t, err)
		require.EqualValues(t, 7, id.Version())
		require.False(t, seen[e.ID])
		require.Less(t, last, e.ID, "later ids sort behind earlier ones")
		seen[e.ID], last = true, e.ID
	}
}

func TestWithoutTheRightToReasonOnlyTheAnswerIsSaid(t *testing.T) {
	g := newGateway(t, func(g *gateway) { g.may = []object{{"kind": "chat"}} })
	join(t, g, steps(uses("", "add", `{"a":1,"b":2}`), agent.Response{Text: "3"}), nil, adder())
	q := g.ask("Add.")
	answer := g.await(t, "chat", 1)
	assert.Equal(t, ids{q.ID}, answer.Correlation)
	assert.Equal(t, []string{"chat"}, kinds(g.all()))
}

// heardOf waits until the participant has taken the gateway's answer to its request for a stream.
func heardOf(t *testing.T, g *gateway) {
	t.Helper()
	g.until(t, "the stream is opened", func() bool { return g.opened })
	g.say("participant/request-status", "anna", []string{"helper"}, object{})
	g.await(t, "participant/status", 1)
}

func TestAStreamEndsWithItsConnection(t *testing.T) {
	g := newGateway(t, func(g *gateway) { g.opens = true })
	again := make(chan struct{})
	join(t, g, func(_ context.Context, _ int, req agent.Request) (agent.Response, error) {
		<-again
		req.Say("Nobody hears this. ")
		return agent.Response{Text: "Nobody hears this. "}, nil
	}, func(p *Participant) { p.Dispatcher.Stream = true })
	g.ask("Speak.")
	heardOf(t, g)
	g.drop()
	g.until(t, "the participant comes back", func() bool { return g.joins == 2 })
	g.say("participant/request-status", "anna", []string{"helper"}, object{})
	g.await(t, "participant/status", 2) // so it has been welcomed
	g.update(func() { g.frames = nil })
	close(again)
	g.await(t, "chat", 1)
	asked := 2
	idle(t, g, &asked)
	assert.Empty(t, g.frames)
	assert.Empty(t, of(g.all(), "stream/close"))
}

func TestAStreamThatOpensTooLateIsClosed(t *testing.T) {
	g := newGateway(t, nil)
	join(t, g, steps(agent.Response{Text: "done"}), func(p *Participant) { p.Dispatcher.Stream = true })
	g.ask("Be quick.")
	g.await(t, "chat", 1)
	asked := 0
	idle(t, g, &asked)
	g.say("stream/open", "gateway", nil, object{"stream_id": "s-9"}, g.await(t, "stream/request", 1).ID)
	assert.Equal(t, "s-9", field(t, g.await(t, "stream/close", 1), "stream_id"))
	g.say("stream/open", "gateway", nil, object{"stream_id": "s-10"}, "somebody-else's-request")
	idle(t, g, &asked)
	assert.Len(t, of(g.all(), "stream/close"), 1)
}

func TestFramesBeforeTheStreamAreBounded(t *testing.T) {
	tr := &turn{live: liveText{request: "asked"}}
	for i := range 3 * maxUnopened {
		tr.frame(object{"index": i})
	}
	require.Len(t, tr.live.unsent, maxUnopened)
	assert.Equal(t, 3*maxUnopened-1, tr.live.unsent[maxUnopened-1]["index"], "the latest are kept")
}

func TestTextIsStreamedNextToTheStart(t *testing.T) {
	g := newGateway(t, func(g *gateway) { g.opens = true })
	open := make(chan struct{})
	join(t, g, func(_ context.Context, _ int, req agent.Request) (agent.Response, error) {
		<-open
		req.Say("One sentence. ")
		req.Say("And another one.")
		return agent.Response{Text: "One sentence. And another one."}, nil
	}, func(p *Participant) { p.Dispatcher.Stream = true })
	g.ask("Say two sentences.")
	start := g.await(t, "reasoning/start", 1)
	request := g.await(t, "stream/request", 1)
	assert.Equal(t, "reasoning:"+start.ID, field(t, request, "description"))
	heardOf(t, g)
	close(open)
	g.await(t, "stream/close", 1)
	text := ""
	for _, f := range g.frames {
		parts := strings.SplitN(f, "#", 3)
		require.Equal(t, "s-1", parts[1])
		var in struct{ Context, Type, Value string }
		require.NoError(t, json.Unmarshal([]byte(parts[2]), &in))
		assert.Equal(t, start.ID, in.Context)
		if in.Type == "token" {
			text += in.Value
		}
	}
	assert.Equal(t, "One sentence. And another one.", text)
	assert.Empty(t, of(g.all(), "reasoning/thought"), "what is streamed is not said as thoughts as well")
}
