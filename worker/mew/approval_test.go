package mew

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

// asking makes the participant ask anna before it adds.
func asking(p *Participant) {
	p.Approvers = []string{"anna"}
	p.Dispatcher.Approval = func(agent.Spec) agent.Approval { return agent.ApprovalAsk }
}

func TestAnApproverDecidesWhetherACallRuns(t *testing.T) {
	fulfil := func(from string, args object) func(*gateway, envelope) {
		return func(g *gateway, proposal envelope) {
			g.say("mcp/request", from, []string{"helper"},
				callOf("add", args), proposal.ID)
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
		{"yes to another call, and then no", []func(*gateway, envelope){
			fulfil("anna", object{"a": 1, "b": 3}), func(g *gateway, p envelope) {
				g.say("mcp/reject", "anna", nil, object{}, p.ID)
			}}, "a person was asked and denied this call", 1},
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
			if strings.HasPrefix(tt.name, "somebody else's yes") {
				assert.Contains(t, field(t, of(g.all(), "mcp/response")[0], "error.message"), "only anna may approve")
			}
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
		callOf("weigh", object{"thing": "stone"}), proposal.ID)
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
