package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func capability(t *testing.T, raw string) Capability {
	t.Helper()
	c, err := ParseCapability([]byte(raw))
	require.NoError(t, err)
	return c
}

func TestACapabilityAllowsTheKindsOfItsPattern(t *testing.T) {
	for _, tt := range []struct {
		capability    string
		allows, other string // kinds, separated by blanks
	}{
		{`"chat"`, "chat", "chat/cancel chats mcp/request"},
		{`"*"`, "chat mcp/request reasoning/start a/b/c", ""},
		{`"reasoning/*"`, "reasoning/start reasoning/a/b", "reasoning reasoning/ reasonings/start chat"},
		{`"reasoning/start"`, "reasoning/start", "reasoning/thought reasoning/conclusion"},
		{`"reasoning/step"`, "reasoning/thought reasoning/step", "reasoning/start"},
		{`["chat","mcp/*"]`, "chat mcp/request", "reasoning/start"},
		{`"!chat"`, "mcp/request chat/cancel", "chat"},
		{`"!mcp/*"`, "chat", "mcp/request"},
		{`"mcp.proposal"`, "mcp/proposal", "mcp.proposal mcp/request"},
		{`"example.org/*"`, "example.org/note", "example/org/note"},
	} {
		c := capability(t, `{"kind":`+tt.capability+`}`)
		for _, kind := range strings.Fields(tt.allows) {
			assert.True(t, c.Allows(Envelope{Kind: kind}), "%s allows %s", tt.capability, kind)
		}
		for _, kind := range strings.Fields(tt.other) {
			assert.False(t, c.Allows(Envelope{Kind: kind}), "%s does not allow %s", tt.capability, kind)
		}
	}
}

func TestACapabilityAllowsThePayloadsOfItsPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern, payload string
		want             bool
	}{
		{`{"method":"tools/call"}`, `{"method":"tools/call","more":1}`, true},
		{`{"method":"tools/call"}`, `{"method":"tools/list"}`, false},
		{`{"method":"tools/call"}`, `{}`, false},
		{`{"method":"tools/call"}`, ``, false},
		{`{}`, ``, false},
		{`{"params":{"name":"read_*"}}`, `{"params":{"name":"read_file"}}`, true},
		{`{"params":{"name":"read_*"}}`, `{"params":{"name":"write_file"}}`, false},
		{`{"params":{"name":"read_*"}}`, `{"params":"read_file"}`, false},
		{`{"name":"*_file"}`, `{"name":"read_file"}`, true},
		{`{"name":"a*b*c"}`, `{"name":"a-b-b-c"}`, true},
		{`{"name":"a*b*c"}`, `{"name":"a-c"}`, false},
		{`{"name":"aa*a"}`, `{"name":"aa"}`, false},
		{`{"name":"!rm*"}`, `{"name":"ls"}`, true},
		{`{"name":"!rm*"}`, `{"name":"rmdir"}`, false},
		{`{"name":"!rm*"}`, `{"name":7}`, false},
		{`{"name":"!rm*"}`, `{}`, false},
		{`{"name":["a","b"]}`, `{"name":"b"}`, true},
		{`{"name":["a","b"]}`, `{"name":"c"}`, false},
		{`{"n":1,"b":true,"z":null}`, `{"n":1.0,"b":true,"z":null}`, true},
		{`{"n":1}`, `{"n":2}`, false},
		{`{"b":true}`, `{"b":{}}`, false},
		{`{"z":null}`, `{}`, false},
	} {
		c := capability(t, `{"kind":"mcp/request","payload":`+tt.pattern+`}`)
		e := Envelope{Kind: "mcp/request"}
		if tt.payload != "" {
			e.Payload = json.RawMessage(tt.payload)
		}
		assert.Equal(t, tt.want, c.Allows(e), "%s, %s", tt.pattern, tt.payload)
		assert.Equal(t, tt.want, Allowed([]Capability{{}, capability(t, `{"kind":"chat"}`), c}, e))
	}
	assert.False(t, Allowed(nil, Envelope{Kind: "chat"}))
	assert.False(t, Capability{}.Allows(Envelope{Kind: "chat"}), "the zero value allows nothing")
}

func TestAPatternThatIsNotSupportedIsAnError(t *testing.T) {
	for _, tt := range []struct{ raw, says string }{
		{`7`, "has to be an object"},
		{`{"kind":"chat","kind":"*"}`, "has to be an object"},
		{`{}`, "needs a kind"},
		{`{"kind":[]}`, "needs a kind"},
		{`{"kind":7}`, "needs a kind"},
		{`{"kind":"a*"}`, "one *"},
		{`{"kind":"a/*/b"}`, "one *"},
		{`{"kind":"a/**"}`, "one *"},
		{`{"kind":"**"}`, "one *"},
		{`{"kind":"/a.*/"}`, "one *"},
		{`{"kind":"!"}`, "one *"},
		{`{"kind":"chat","to":["ann"]}`, "no other member"},
		{`{"kind":"chat","payload":null}`, "payload has to be an object"},
		{`{"kind":"chat","payload":{"**":"x"}}`, "JSONPath"},
		{`{"kind":"chat","payload":{"a":[{"$.b":"x"}]}}`, "JSONPath"},
		{`{"kind":"chat","payload":{"a":"/x/"}}`, "regular expressions"},
		{`{"kind":"chat","payload":{"a":"` + strings.Repeat("x", 4096) + `"}}`, "4096 bytes"},
	} {
		_, err := ParseCapability([]byte(tt.raw))
		assert.ErrorContains(t, err, tt.says, tt.raw)
	}
}

func TestACapabilityIsWrittenAsItCame(t *testing.T) {
	const raw = `{"id":"c-1","kind":"mcp/*","payload":{"b":1,"a":"x"}}`
	var c Capability
	require.NoError(t, json.Unmarshal([]byte(raw), &c))
	assert.Equal(t, "c-1", c.ID())
	out, err := json.Marshal([]Capability{c, {}})
	require.NoError(t, err)
	assert.Equal(t, `[`+raw+`,null]`, string(out))
	assert.True(t, c.Equal(capability(t, `{"kind":["mcp/*"],"payload":{"a":"x","b":1}}`)), "whatever the id and order")
	assert.False(t, c.Equal(capability(t, `{"kind":"mcp/*"}`)))
	assert.Error(t, json.Unmarshal([]byte(`{"kind":7}`), &c))
	assert.Equal(t, capability(t, `{"kind":"mcp/*"}`), KindCapability("mcp/*"))
}

func TestNobodyMayGrantWhatTheyLack(t *testing.T) {
	for _, tt := range []struct {
		name, held, wanted string
		want               bool
	}{
		{"everything includes anything", `{"kind":"*"}`, `{"kind":["mcp/*","!chat"]}`, true},
		{"the same", `{"kind":"chat"}`, `{"kind":"chat"}`, true},
		{"a part", `{"kind":"mcp/*"}`, `{"kind":"mcp/request"}`, true},
		{"a narrower pattern", `{"kind":"a/*"}`, `{"kind":"a/b/*"}`, true},
		{"a limited payload", `{"kind":"mcp/*"}`, `{"kind":"mcp/request","payload":{"method":"x"}}`, true},
		{"the same payload", `{"kind":"mcp/*","payload":{"method":"x"}}`,
			`{"kind":"mcp/request","payload":{"method":"x"}}`, true},
		{"the same negation", `{"kind":"!chat"}`, `{"kind":"!chat"}`, true},
		{"a wider pattern", `{"kind":"mcp/request"}`, `{"kind":"mcp/*"}`, false},
		{"everything", `{"kind":"mcp/*"}`, `{"kind":"*"}`, false},
		{"one kind too many", `{"kind":"mcp/*"}`, `{"kind":["mcp/request","chat"]}`, false},
		{"an unlimited payload", `{"kind":"mcp/*","payload":{"method":"x"}}`, `{"kind":"mcp/request"}`, false},
		{"another payload", `{"kind":"mcp/*","payload":{"method":"x"}}`,
			`{"kind":"mcp/request","payload":{"method":"y"}}`, false},
		{"a negation", `{"kind":"mcp/*"}`, `{"kind":"!chat"}`, false},
		{"what a negation leaves", `{"kind":"!chat"}`, `{"kind":"mcp/request"}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			held := []Capability{capability(t, tt.held)}
			assert.Equal(t, tt.want, Covers(held, capability(t, tt.wanted)))
		})
	}
	assert.False(t, Covers(nil, capability(t, `{"kind":"chat"}`)))
	assert.False(t, Covers([]Capability{capability(t, `{"kind":"*"}`)}, Capability{}))
}
