package mew

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

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

func TestToolsOfOurOwnAreServedToOthers(t *testing.T) {
	guarded := toolFunc{agent.Spec{Name: "erase", Approval: agent.ApprovalAsk}, adder().run}
	for _, tt := range []struct {
		name, method string
		params       object
		path, want   string
	}{
		{"the list, without those that a person has to approve", "tools/list", object{}, "result.tools.name", "add"},
		{"a call", "tools/call", object{"name": "add", "arguments": object{"a": 1, "b": 2}},
			"result.content.text", "3"},
		{"arguments that do not fit", "tools/call", object{"name": "add", "arguments": object{"a": "x"}},
			"error.data.outcome", "error"},
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
