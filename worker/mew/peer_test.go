package mew

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

// offer answers the participant's n-th request for tools with one tool of bert.
func offer(t *testing.T, g *gateway, n int) {
	t.Helper()
	list := g.await(t, "mcp/request", n)
	require.Equal(t, "tools/list", field(t, list, "method"))
	require.Equal(t, []string{"bert"}, list.To)
	g.say("mcp/response", "bert", []string{"helper"}, object{"result": object{"tools": []object{{
		"name": "weigh", "description": "Weighs a thing.",
		"inputSchema": object{"type": "object", "properties": object{"thing": object{"type": "string"}}},
	}}}}, list.ID)
}

// withBert is a gateway at which bert is there, too.
func withBert(may ...object) func(*gateway) {
	return func(g *gateway) {
		g.others = []string{"helper", "bert"}
		if len(may) > 0 {
			g.may = may
		}
	}
}

func TestAToolOfAnotherParticipantIsCalledInTheContext(t *testing.T) {
	g := newGateway(t, withBert())
	h := join(t, g, steps(
		uses("", "bert__weigh", `{"rationale":"Bert has scales.","thing":"stone"}`),
		agent.Response{Text: "It is heavy."},
	), nil)
	offer(t, g, 1)
	q := g.ask("How heavy is a stone?")
	call := g.await(t, "mcp/request", 2)
	g.say("mcp/response", "carl", []string{"helper"}, object{"result": "a lie"}, call.ID)
	g.say("mcp/response", "bert", []string{"helper"},
		object{"result": object{"content": []object{{"type": "text", "text": "4 kg"}}}}, call.ID)
	g.await(t, "chat", 1)
	checkTranscript(t, "peer", append([]envelope{q}, g.all()...))
	last := h.provider.requests()[1].Messages
	assert.Contains(t, last[len(last)-1].Text, "4 kg")
	assert.NotContains(t, last[len(last)-1].Text, "lie")
}

func TestHowACallOfAnotherParticipantFails(t *testing.T) {
	secret := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	for _, tt := range []struct {
		name, thing, want string
		happens           func(g *gateway, call envelope)
	}{
		{"with its error", "stone", "the scales are broken", func(g *gateway, call envelope) {
			broken := object{"error": object{"code": 1, "message": "the scales are broken"}}
			g.say("mcp/response", "bert", nil, broken, call.ID)
		}},
		{"when it leaves", "stone", "bert left the space before it answered", func(g *gateway, _ envelope) {
			g.say("system/presence", "gateway", nil, object{"event": "leave", "participant": object{"id": "bert"}})
		}},
		{"when the gateway refuses it", "stone", "the gateway refused the message", func(g *gateway, call envelope) {
			g.say("system/error", "gateway", nil, object{"error": "capability_violation"}, call.ID)
		}},
		{"when nobody answers", "stone", "bert did not answer within", func(*gateway, envelope) {}},
		{"before it is sent, with a secret in it", secret, "the call was not sent", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGateway(t, withBert())
			h := join(t, g, steps(
				uses("", "bert__weigh", `{"thing":"`+tt.thing+`"}`), agent.Response{Text: "done"},
			), func(p *Participant) {
				if strings.Contains(tt.name, "nobody") {
					p.answer = time.Millisecond
				}
			})
			offer(t, g, 1)
			g.ask("Weigh it.")
			call := g.await(t, "mcp/request", 2)
			if tt.happens != nil {
				tt.happens(g, call)
			} else {
				assert.Equal(t, []string{"helper"}, call.To, "nobody else gets a call that is not sent")
			}
			g.await(t, "chat", 1)
			last := h.provider.requests()[1].Messages
			assert.Contains(t, last[len(last)-1].Text, tt.want)
			assert.NotContains(t, transcript(g.all()), secret)
		})
	}
}

func TestToolsComeAndGoWithTheirParticipant(t *testing.T) {
	g := newGateway(t, nil)
	h := join(t, g, steps(agent.Response{Text: "well"}), nil)
	offered := func(n int) bool {
		g.ask("What can you do?")
		g.await(t, "chat", n)
		tools := h.provider.requests()[n-1].Tools
		return len(tools) > 0
	}
	assert.False(t, offered(1))
	g.say("system/presence", "gateway", nil, object{"event": "join", "participant": object{"id": "bert"}})
	offer(t, g, 1)
	assert.True(t, offered(2))
	g.say("system/presence", "gateway", nil, object{"event": "leave", "participant": object{"id": "bert"}})
	assert.False(t, offered(3))
}

func TestAfterALostConnectionToolsAreThoseOfWhoIsThere(t *testing.T) {
	g := newGateway(t, withBert())
	h := join(t, g, steps(agent.Response{Text: "well"}), nil)
	offer(t, g, 1)
	g.drop()
	g.until(t, "the participant comes back", func() bool { return g.joins == 2 })
	offer(t, g, 2)
	g.ask("What is there?")
	g.await(t, "chat", 1)
	assert.Len(t, h.provider.requests()[0].Tools, 1)
	g.update(func() { g.others = nil })
	g.drop()
	g.until(t, "the participant comes back", func() bool { return g.joins == 3 })
	g.ask("And now?")
	g.await(t, "chat", 2)
	assert.Empty(t, h.provider.requests()[1].Tools)
}

func TestAToolWhoseNameWouldBeMaskedIsNotOffered(t *testing.T) {
	g := newGateway(t, withBert())
	h := join(t, g, steps(agent.Response{Text: "one"}), nil)
	secret := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	tools := []object{{"name": secret, "inputSchema": object{}}, {"name": "weigh", "inputSchema": object{}}}
	g.say("mcp/response", "bert", nil, object{"result": object{"tools": tools}}, g.await(t, "mcp/request", 1).ID)
	g.ask("What is there?")
	g.await(t, "chat", 1)
	offered := h.provider.requests()[0].Tools
	require.Len(t, offered, 1)
	assert.Equal(t, "bert__weigh", offered[0].Name)
}

func TestABoundedNumberOfParticipantsAndToolsIsOffered(t *testing.T) {
	m := &member{Participant: &Participant{}, peers: map[string]*peer{}}
	for i := range 2 * maxPeers {
		m.addPeer(strings.Repeat("p", i+1))
	}
	assert.Len(t, m.peers, maxPeers)

	g := newGateway(t, withBert())
	h := join(t, g, steps(agent.Response{Text: "many"}), nil)
	var tools []object
	for i := range 2 * maxPeerTools {
		tools = append(tools, object{"name": strings.Repeat("t", i+1), "inputSchema": object{"type": "object"}})
	}
	g.say("mcp/response", "bert", nil, object{"result": object{"tools": tools}}, g.await(t, "mcp/request", 1).ID)
	g.ask("How many tools are there?")
	g.await(t, "chat", 1)
	assert.Len(t, h.provider.requests()[0].Tools, maxPeerTools)
}

// proposer may propose calls and not request them.
var proposer = []object{{"kind": "reasoning/*"}, {"kind": "chat"}, {"kind": "mcp/proposal"}, {"kind": "mcp/withdraw"},
	{"kind": []string{"mcp/request"}, "payload": object{"method": "tools/list"}}}

func TestACallThatMayOnlyBeProposedWaitsForItsFulfilment(t *testing.T) {
	g := newGateway(t, withBert(proposer...))
	h := join(t, g, steps(uses("", "bert__weigh", `{"thing":"stone"}`), agent.Response{Text: "done"}), nil)
	offer(t, g, 1)
	g.ask("Weigh it.")
	proposal := g.await(t, "mcp/proposal", 1)
	assert.Equal(t, []string{"bert"}, proposal.To)
	request := g.say("mcp/request", "anna", []string{"bert"},
		callOf("weigh", object{"thing": "stone"}), proposal.ID)
	g.say("mcp/response", "bert", []string{"anna"}, object{"result": object{"content": []object{
		{"type": "text", "text": "4 kg"}}}}, request.ID)
	g.await(t, "chat", 1)
	last := h.provider.requests()[1].Messages
	assert.Contains(t, last[len(last)-1].Text, "4 kg")
	assert.Empty(t, of(g.all(), "mcp/withdraw"))
}

func TestAProposalThatIsRejectedFails(t *testing.T) {
	g := newGateway(t, withBert(proposer...))
	h := join(t, g, steps(uses("", "bert__weigh", `{"thing":"stone"}`), agent.Response{Text: "done"}), nil)
	offer(t, g, 1)
	g.ask("Weigh it.")
	g.say("mcp/reject", "anna", nil, object{"reason": "some new reason"}, g.await(t, "mcp/proposal", 1).ID)
	g.await(t, "chat", 1)
	last := h.provider.requests()[1].Messages
	assert.Contains(t, last[len(last)-1].Text, "the proposed call was rejected: some new reason")
}

func TestAProposalIsWithdrawnWithItsTurn(t *testing.T) {
	g := newGateway(t, withBert(proposer...))
	join(t, g, steps(uses("", "bert__weigh", `{"thing":"stone"}`)), nil)
	offer(t, g, 1)
	g.ask("Weigh it.")
	proposal := g.await(t, "mcp/proposal", 1)
	e, err := newEnvelope("reasoning/cancel", object{})
	require.NoError(t, err)
	e.From = "anna"
	g.send(e.inContext(g.await(t, "reasoning/start", 1).ID))
	assert.Equal(t, ids{proposal.ID}, g.await(t, "mcp/withdraw", 1).Correlation)
}
