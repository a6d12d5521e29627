package mew

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

func TestCapabilitiesThatTheGatewayChangesHoldAtOnce(t *testing.T) {
	g := newGateway(t, func(g *gateway) { g.may = []object{{"kind": "chat"}, {"kind": "capability/grant-ack"}} })
	join(t, g, steps(agent.Response{Text: "hello"}), nil)
	g.ask("first")
	g.await(t, "chat", 1)
	assert.Empty(t, of(g.all(), "reasoning/start"))
	grant := g.say("capability/grant", "anna", nil,
		object{"recipient": "helper", "capabilities": []object{{"kind": "reasoning/*"}}})
	g.say("capability/grant", "anna", nil, object{"recipient": "bert"})
	g.say("system/welcome", "gateway", []string{"bert"},
		object{"you": object{"id": "bert", "capabilities": []object{}}})
	g.welcome([]object{{"kind": "*"}})
	ack := g.await(t, "capability/grant-ack", 1)
	assert.Equal(t, ids{grant.ID}, ack.Correlation)
	assert.Equal(t, "accepted", field(t, ack, "status"))
	g.ask("second")
	g.await(t, "reasoning/start", 1)
	g.await(t, "chat", 2)
	assert.Len(t, of(g.all(), "capability/grant-ack"), 1)
}

func TestCapabilityPatterns(t *testing.T) {
	const call = `{"method":"tools/call","params":{"name":"read_file"}}`
	for _, tt := range []struct {
		pattern, kind, payload string
		want                   bool
	}{
		{`{"kind":"*"}`, "reasoning/start", "{}", true},
		{`{"kind":"chat"}`, "chat", "{}", true},
		{`{"kind":"chat"}`, "chat/acknowledge", "{}", false},
		{`{"kind":"reasoning/*"}`, "reasoning/thought", "{}", true},
		{`{"kind":"reasoning/*"}`, "reasoning", "{}", false},
		{`{"kind":"reasoning/step"}`, "reasoning/thought", "{}", true},
		{`{"kind":"reasoning/step"}`, "reasoning/start", "{}", false},
		{`{"kind":"!chat"}`, "mcp/request", "{}", true},
		{`{"kind":["chat","mcp/*"]}`, "mcp/request", "{}", true},
		{`{"kind":"/^mcp/"}`, "mcp/request", "{}", true},
		{`{"kind":"chat"}`, "mcp/response", "{}", true},
		{`{"kind":"mcp/request","payload":{"method":"tools/call"}}`, "mcp/request", call, true},
		{`{"kind":"mcp/request","payload":{"method":"tools/list"}}`, "mcp/request", call, false},
		{`{"kind":"mcp/request","payload":{"params":{"name":"read_*"}}}`, "mcp/request", call, true},
		{`{"kind":"mcp/request","payload":{"params":{"name":"write_*"}}}`, "mcp/request", call, false},
		{`{"kind":"mcp/request","payload":{"params":{"name":"!read_file"}}}`, "mcp/request", call, false},
		{`{"kind":"mcp/request","payload":{"params":{"name":"/^read/"}}}`, "mcp/request", call, true},
		{`{"kind":"mcp/request","payload":{"method":{"x":1}}}`, "mcp/request", call, false},
		{`{"kind":"mcp/request","payload":{"**":{"x":1}}}`, "mcp/request", call, true},
	} {
		var c capability
		require.NoError(t, json.Unmarshal([]byte(tt.pattern), &c))
		assert.Equal(t, tt.want, capabilities{c}.allow(tt.kind, json.RawMessage(tt.payload)), tt.pattern+" "+tt.kind)
	}
}
