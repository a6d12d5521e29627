package mew

import (
	"context"
	"encoding/json"
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
			g.say("mcp/response", "bert", nil, object{"error": object{"code": 1, "message": "the scales are broken"}}, call.ID)
		}},
		{"when it leaves", "stone", "bert left the space before it answered", func(g *gateway, _ envelope) {
			g.say("system/presence", "gateway", nil, object{"event": "leave", "participant": object{"id": "bert"}})
		}},
		{"when the gateway refuses it", "stone", "the gateway refused the message", func(g *gateway, call envelope) {
			g.say("system/error", "gateway", nil, object{"error": "capability_violation"}, call.ID)
		}},
		{"when nobody answers", "stone", "bert gave no answer within", func(*gateway, envelope) {}},
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
		object{"method": "tools/call", "params": object{"name": "weigh", "arguments": object{"thing": "stone"}}}, proposal.ID)
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

// asking makes the participant ask anna before it adds.
func asking(p *Participant) {
	p.Approvers = []string{"anna"}
	p.Dispatcher.Approval = func(agent.Spec) agent.Approval { return agent.ApprovalAsk }
}

func TestAnApproverDecidesWhetherACallRuns(t *testing.T) {
	fulfil := func(from string, args object) func(*gateway, envelope) {
		return func(g *gateway, proposal envelope) {
			g.say("mcp/request", from, []string{"helper"},
				object{"id": 7, "method": "tools/call", "params": object{"name": "add", "arguments": args}}, proposal.ID)
		}
	}
	for _, tt := range []struct {
		name    string
		answers []func(*gateway, envelope)
		want    string // what the model sees
		refused int    // requests that are answered with an error
	}{
		{"yes", []func(*gateway, envelope){fulfil("anna", object{"a": 1, "b": 2})}, "3", 0},
		{"yes, without the arguments", []func(*gateway, envelope){fulfil("anna", nil)}, "3", 0},
		{"somebody else's yes", []func(*gateway, envelope){
			fulfil("bert", object{"a": 1, "b": 2}), fulfil("anna", object{"a": 1, "b": 2})}, "3", 1},
		{"yes to another call", []func(*gateway, envelope){
			fulfil("anna", object{"a": 1, "b": 3}), fulfil("anna", object{"a": 1, "b": 2})}, "3", 1},
		{"somebody else's no, and then yes", []func(*gateway, envelope){func(g *gateway, p envelope) {
			g.say("mcp/reject", "bert", nil, object{}, p.ID)
		}, fulfil("anna", nil)}, "3", 0},
		{"no", []func(*gateway, envelope){func(g *gateway, p envelope) {
			g.say("mcp/reject", "anna", nil, object{}, p.ID)
		}}, "a person was asked and denied this call", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGateway(t, nil)
			h := join(t, g, steps(uses("", "add", `{"a":1,"b":2}`), agent.Response{Text: "done"}), asking, adder())
			g.ask("Add.")
			proposal := g.await(t, "mcp/proposal", 1)
			assert.Equal(t, []string{"helper"}, proposal.To)
			for _, a := range tt.answers {
				a(g, proposal)
			}
			g.await(t, "chat", 1)
			last := h.provider.requests()[1].Messages
			assert.Contains(t, last[len(last)-1].Text, tt.want)
			refused := 0
			for _, e := range of(g.all(), "mcp/response") {
				if field(t, e, "error") != nil {
					refused++
				}
			}
			assert.Equal(t, tt.refused, refused)
			if tt.want == "3" {
				answer := of(g.all(), "mcp/response")[tt.refused]
				assert.Equal(t, []string{"anna"}, answer.To)
				assert.EqualValues(t, 7, field(t, answer, "id"), "the id is that of the request that fulfilled it")
			}
		})
	}
}

func TestAnApproverApprovesACallOfAnotherParticipantByMakingIt(t *testing.T) {
	g := newGateway(t, withBert())
	h := join(t, g, steps(uses("", "bert__weigh", `{"thing":"stone"}`), agent.Response{Text: "done"}), asking)
	offer(t, g, 1)
	g.ask("Weigh it.")
	proposal := g.await(t, "mcp/proposal", 1)
	assert.Equal(t, []string{"bert"}, proposal.To)
	request := g.say("mcp/request", "anna", []string{"bert"},
		object{"method": "tools/call", "params": object{"name": "weigh", "arguments": object{"thing": "stone"}}}, proposal.ID)
	g.say("mcp/response", "bert", []string{"anna"}, object{"result": "4 kg"}, request.ID)
	g.await(t, "chat", 1)
	last := h.provider.requests()[1].Messages
	assert.Contains(t, last[len(last)-1].Text, "4 kg")
	assert.Len(t, of(g.all(), "mcp/request"), 1, "the participant asked for the tools, and called nothing itself")
}

func TestASubAgentsCallsAreApproved(t *testing.T) {
	g := newGateway(t, nil)
	join(t, g, steps(uses("", "delegate", `{"task":"Add."}`), agent.Response{Text: "done"}), func(p *Participant) {
		p.Approvers = []string{"anna"}
		sub := &agent.Toolbox{}
		require.NoError(t, sub.Replace(toolFunc{agent.Spec{Name: "add", Approval: agent.ApprovalAlways}, adder().run}))
		d := &agent.Dispatcher{Tools: sub, Safety: p.Dispatcher.Safety, Log: p.Log, Provider: &fakeProvider{
			answer: steps(uses("", "add", `{"a":1,"b":2}`), agent.Response{Text: "3"}),
		}}
		require.NoError(t, p.Dispatcher.Tools.Replace(agent.Delegate{Name: "delegate", Agent: d}))
	})
	g.ask("Have it added.")
	proposal := g.await(t, "mcp/proposal", 1)
	assert.Len(t, proposal.contexts(), 2, "the proposal is made in the context of the sub-agent")
	g.say("mcp/request", "anna", []string{"helper"},
		object{"method": "tools/call", "params": object{"name": "add"}}, proposal.ID)
	g.await(t, "chat", 1)
	assert.Equal(t, "3", field(t, of(g.all(), "mcp/response")[0], "result.content.text"))
}

func TestWithoutApproversACallThatNeedsOneIsRejected(t *testing.T) {
	for _, tt := range []struct {
		name string
		may  []object
		mode agent.Approval
	}{
		{"because its tool asks", []object{{"kind": "*"}}, agent.ApprovalAsk},
		{"because the space only lets it be proposed", proposer, agent.ApprovalNever},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGateway(t, func(g *gateway) { g.may = tt.may })
			h := join(t, g, steps(uses("", "add", `{"a":1,"b":2}`), agent.Response{Text: "done"}), nil,
				toolFunc{agent.Spec{Name: "add", Approval: tt.mode}, adder().run})
			g.ask("Add.")
			g.await(t, "chat", 1)
			last := h.provider.requests()[1].Messages
			assert.Contains(t, last[len(last)-1].Text, "nobody can be asked here")
		})
	}
}

func TestTheListOfToolsForOthersIsBounded(t *testing.T) {
	long := strings.Repeat("x", maxListedBytes/3)
	var tools []agent.Tool
	for _, name := range []string{"one", "two", "three", "four"} {
		tools = append(tools, toolFunc{agent.Spec{Name: name, Description: long}, adder().run})
	}
	g := newGateway(t, nil)
	join(t, g, steps(agent.Response{Text: "?"}), nil, tools...)
	g.say("mcp/request", "bert", []string{"helper"}, object{"method": "tools/list"})
	answer := g.await(t, "mcp/response", 1)
	assert.Less(t, len(answer.Payload), maxListedBytes)
	assert.NotEmpty(t, field(t, answer, "result.tools"))
}

func TestAProposalThatNobodyAnswersExpires(t *testing.T) {
	g := newGateway(t, nil)
	join(t, g, steps(uses("", "add", `{"a":1,"b":2}`), agent.Response{Text: "done"}), func(p *Participant) {
		asking(p)
		p.approval = time.Millisecond
	}, adder())
	g.ask("Add.")
	g.await(t, "chat", 1)
	assert.Equal(t, ids{g.await(t, "mcp/proposal", 1).ID}, g.await(t, "mcp/withdraw", 1).Correlation)
}

func TestToolsOfOurOwnAreServedToOthers(t *testing.T) {
	guarded := toolFunc{agent.Spec{Name: "erase", Approval: agent.ApprovalAsk}, adder().run}
	for _, tt := range []struct {
		name, method string
		params       object
		path, want   string
	}{
		{"the list, without those that a person has to approve", "tools/list", object{}, "result.tools.name", "add"},
		{"a call", "tools/call", object{"name": "add", "arguments": object{"a": 1, "b": 2}}, "result.content.text", "3"},
		{"arguments that do not fit", "tools/call", object{"name": "add", "arguments": object{"a": "x"}}, "error.data.outcome",
			"error"},
		{"a tool that does not exist", "tools/call", object{"name": "none"}, "error.data.outcome", "rejected"},
		{"a tool that asks", "tools/call", object{"name": "erase"}, "error.data.outcome", "rejected"},
		{"a method that nobody knows", "resources/list", object{}, "error.message",
			"this participant knows tools/list and tools/call"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGateway(t, nil)
			join(t, g, steps(agent.Response{Text: "?"}), nil, adder(), guarded)
			e, err := newEnvelope("mcp/request", object{"id": 9, "method": tt.method, "params": tt.params})
			require.NoError(t, err)
			e.From, e.To = "bert", []string{"carl", "helper"}
			e = g.send(e.inContext("some/deep/context"))
			answer := g.await(t, "mcp/response", 1)
			assert.Equal(t, ids{e.ID}, answer.Correlation)
			assert.Equal(t, []string{"some", "deep", "context"}, answer.contexts())
			assert.Equal(t, []string{"bert"}, answer.To)
			assert.EqualValues(t, 9, field(t, answer, "id"))
			assert.Equal(t, tt.want, field(t, answer, tt.path))
			if tt.method == "tools/list" {
				assert.NotContains(t, string(answer.Payload), "erase")
			}
		})
	}
}

func TestRequestsToOthersAreNotServed(t *testing.T) {
	g := newGateway(t, nil)
	join(t, g, steps(agent.Response{Text: "here"}), nil, adder())
	for _, to := range [][]string{nil, {"carl"}} {
		g.say("mcp/request", "bert", to, object{"method": "tools/list"})
		g.say("mcp/proposal", "bert", to, object{"method": "tools/call", "params": object{"name": "add"}})
	}
	g.ask("Are you there?")
	g.await(t, "chat", 1)
	assert.Empty(t, of(g.all(), "mcp/response"))
	assert.Empty(t, of(g.all(), "mcp/reject"))
}

func TestABoundedNumberOfCallsIsServedAtOnce(t *testing.T) {
	g := newGateway(t, nil)
	_, tool, began := blocking()
	join(t, g, steps(agent.Response{Text: "?"}), nil, tool)
	call := object{"method": "tools/call", "params": object{"name": "wait"}}
	for range maxServed {
		g.say("mcp/request", "bert", []string{"helper"}, call)
		<-began
	}
	g.say("mcp/request", "bert", []string{"helper"}, call)
	assert.Contains(t, field(t, g.await(t, "mcp/response", 1), "error.message"), "busy with other calls")
}

func TestProposalsToTheParticipantAreFulfilledOrRejected(t *testing.T) {
	change := toolFunc{agent.Spec{Name: "change"}, adder().run}
	for _, tt := range []struct {
		name   string
		may    []object
		method string
		params object
		reason any // nil if it is fulfilled
	}{
		{"one that only reads", nil, "tools/call", object{"name": "add", "arguments": object{"a": 1, "b": 2}}, nil},
		{"one that may change something", nil, "tools/call", object{"name": "change"}, "policy"},
		{"one whose arguments do not fit", nil, "tools/call", object{"name": "add"}, "policy"},
		{"one of a tool that does not exist", nil, "tools/call", object{"name": "none"}, "policy"},
		{"one that is no call", nil, "tools/list", object{}, "unsupported"},
		{"where the space lets the participant make no requests", []object{{"kind": "mcp/reject"}}, "tools/call",
			object{"name": "add", "arguments": object{"a": 1, "b": 2}}, "policy"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGateway(t, func(g *gateway) {
				if tt.may != nil {
					g.may = tt.may
				}
			})
			join(t, g, steps(agent.Response{Text: "?"}), nil, adder(), change)
			p := g.say("mcp/proposal", "bert", []string{"helper"}, object{"method": tt.method, "params": tt.params})
			if tt.reason != nil {
				reject := g.await(t, "mcp/reject", 1)
				assert.Equal(t, ids{p.ID}, reject.Correlation)
				assert.Equal(t, tt.reason, field(t, reject, "reason"))
				assert.Empty(t, of(g.all(), "mcp/request"))
				return
			}
			request := g.await(t, "mcp/request", 1)
			assert.Equal(t, ids{p.ID}, request.Correlation)
			response := g.await(t, "mcp/response", 1)
			assert.Equal(t, ids{request.ID}, response.Correlation)
			assert.Equal(t, "3", field(t, response, "result.content.text"))
		})
	}
}

func TestWhatAServedToolReturnsIsCleaned(t *testing.T) {
	secret := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	leak := toolFunc{agent.Spec{Name: "leak"}, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.Marshal(secret)
	}}
	g := newGateway(t, nil)
	join(t, g, steps(agent.Response{Text: "?"}), nil, leak)
	g.say("mcp/request", "bert", []string{"helper"}, object{"method": "tools/call", "params": object{"name": "leak"}})
	assert.Equal(t, "[REDACTED:github-pat]", field(t, g.await(t, "mcp/response", 1), "result.content.text"))
}
