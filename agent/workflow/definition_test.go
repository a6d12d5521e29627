package workflow

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheCatalogHasFixturesOnlyIfItIsAskedFor(t *testing.T) {
	plain, err := Load(layer, false)
	require.NoError(t, err)
	assert.Equal(t, []string{Chat}, plain.List())
	_, ok := plain.Get("conformance-noop")
	assert.False(t, ok)

	all, err := Load(layer, true)
	require.NoError(t, err)
	assert.Equal(t, []string{
		Chat, "conformance-agent-identity", "conformance-agent-low-confidence", "conformance-agent-reasoning",
		"conformance-agent-reasoning-streaming", "conformance-approval", "conformance-cancellable",
		"conformance-delay", "conformance-failure", "conformance-idempotent", "conformance-identity",
		"conformance-message-reducer", "conformance-multi-node", "conformance-noop",
	}, all.List())
	for _, id := range all.List() {
		d, ok := all.Get(id)
		require.True(t, ok)
		assert.Equal(t, id, d.id)
		assert.Equal(t, id != Chat, d.isFixture())
		raw, err := definitions.ReadFile("definitions/" + id + ".json")
		require.NoError(t, err)
		assert.JSONEq(t, string(raw), string(d.JSON().Raw()), "cleaning changes our own definition")
	}
}

// definitionOf returns a definition with this id, these nodes and these edges.
func definitionOf(id, nodes, edges string) string {
	return `{"id":"` + id + `","nodes":[` + nodes + `],"edges":[` + edges + `]}`
}

func TestNodesRunInTheOrderOfTheirEdges(t *testing.T) {
	d := parsed(t, definitionOf("x", noops("c", "a", "b"), edges("b", "c")+","+edges("a", "b")))
	var ids []string
	for _, n := range d.nodes {
		ids = append(ids, n.id)
	}
	assert.Equal(t, []string{"a", "b", "c"}, ids)
}

// noops returns nodes with these ids that do nothing.
func noops(ids ...string) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = `{"id":"` + id + `","typeId":"core.noop"}`
	}
	return strings.Join(all, ",")
}

// edges returns edges from each node to the next one.
func edges(nodes ...string) string {
	all := make([]string, len(nodes)-1)
	for i := range all {
		all[i] = `{"id":"e","sourceNodeId":"` + nodes[i] + `","targetNodeId":"` + nodes[i+1] + `"}`
	}
	return strings.Join(all, ",")
}

// typed returns a workflow of one node.
func typed(id, typeID, config string) string {
	return definitionOf(id, `{"id":"n","typeId":"`+typeID+`","config":`+config+`}`, "")
}

func TestAWrongDefinitionIsRefused(t *testing.T) {
	const fixture, tests = "conformance-x", "core.conformance."
	const agents = tests + "mock-agent"
	twoAgents := `{"id":"a","typeId":"` + agents + `"},{"id":"b","typeId":"` + agents + `"}`
	abc, fork := noops("a", "b", "c"), "a fork or a join"
	cases := map[string]struct{ raw, says string }{
		"it is no JSON":               {`{"id"`, "unexpected EOF"},
		"something follows it":        {definitionOf("x", noops("a"), "") + "{}", "something follows"},
		"a member is unknown":         {`{"id":"x","node":[]}`, `unknown field "node"`},
		"its id is no id":             {definitionOf("X y", noops("a"), ""), `the id "X y"`},
		"it has no nodes":             {definitionOf("x", "", ""), "it has 0 nodes"},
		"it has too many nodes":       {definitionOf("x", noops(make([]string, 33)...), ""), "it has 33 nodes"},
		"a node's id is no id":        {definitionOf("x", noops("a b"), ""), `a node's id "a b"`},
		"two nodes have one id":       {definitionOf("x", noops("a", "a"), ""), `two nodes are called "a"`},
		"an edge leads to nothing":    {definitionOf("x", noops("a"), edges("a", "b")), "which are not both nodes"},
		"two edges leave a node":      {definitionOf("x", abc, edges("a", "b")+","+edges("a", "c")), fork},
		"two edges enter a node":      {definitionOf("x", abc, edges("a", "c")+","+edges("b", "c")), fork},
		"no edge leads to a node":     {definitionOf("x", noops("a", "b"), ""), `no edge leads to "b"`},
		"its edges make a circle":     {definitionOf("x", noops("a", "b"), edges("a", "b", "a")), "a circle"},
		"a circle is beside its line": {definitionOf("x", abc, edges("b", "c", "b")), "a circle"},
		"a type is unknown":           {typed("x", "core.magic", "{}"), `node "n": there is no type "core.magic"`},
		"a loop is not the chat's":    {typed("x", "candor.agent", "{}"), `there is no type "candor.agent"`},
		"an agent is outside tests":   {typed("my-flow", agents, "{}"), "exists for tests: only workflows whose id"},
		"an agent is beside a prefix": {typed("conformance", agents, "{}"), `node "n": the type core.conf`},
		"a noop has a config":         {typed("x", "core.noop", `{"a":1}`), `config: unknown field "a"`},
		"a failure does not say how":  {typed(fixture, tests+"failure", `{}`), "it has no message"},
		"a message has no id":         {typed(fixture, tests+"messages", `{"messages":[{}]}`), "message 1: it has"},
		"two agents share a run":      {definitionOf(fixture, twoAgents, edges("a", "b")), "two agents"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := parse([]byte(c.raw))
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.says)
		})
	}
}

func TestAWrongConfigOfAnAgentIsRefused(t *testing.T) {
	calls := func(list string) string { return `{"mockToolCalls":[` + list + `]}` }
	call := func(members string) string { return calls(`{"toolId":"abc",` + members + `}`) }
	const oneEnd, time = "either a result or an error", "from 0 to 10000"
	cases := map[string]struct{ config, says string }{
		"it reasons without a word":      {`{"mockReasoning":{}}`, "mockReasoning needs a summary"},
		"a call has no tool":             {calls(`{"result":1}`), `call 1: its toolId is ""`},
		"a call is a decision":           {calls(`{"toolId":"decide","result":1}`), `call 1: its toolId is "decide"`},
		"a task goes to decide":          {`{"mockHandoff":{"toAgentId":"decide"}}`, `"decide" is no agent's id`},
		"a decision has two confidences": {`{"mockDecision":{"decision":1},"mockConfidence":1}`, "has one of them"},
		"a confidence is above one":      {`{"mockConfidence":1.1}`, "a confidence of 1.1 is not between 0 and 1"},
		"a call does not end":            {call(`"durationMs":1`), oneEnd},
		"a call ends twice":              {call(`"result":1,"error":{"error":"a","message":"b"}`), oneEnd},
		"an error has no code":           {call(`"error":{"message":"b"}`), "a code, and a message"},
		"a call takes forever":           {call(`"result":1,"durationMs":10001`), time},
		"a call takes more than a year":  {call(`"result":1,"durationMs":9223372036854775`), time},
		"a call takes negative time":     {call(`"result":1,"durationMs":-1`), time},
		"arguments are no object":        {call(`"result":1,"arguments":[]`), "not a JSON object"},
		"there are too many calls":       {calls(strings.Repeat(`{},`, 32) + `{}`), "33 mockToolCalls"},
		"a task goes to nobody":          {`{"mockHandoff":{"toAgentId":"a b"}}`, `"a b" is no agent's id`},
		"a task goes to a tool": {
			`{"mockToolCalls":[{"toolId":"abc","result":1}],"mockHandoff":{"toAgentId":"host:abc"}}`,
			`"host:abc" is the id of a tool, too`,
		},
		"a decision decides nothing": {`{"mockDecision":{"confidence":1}}`, "mockDecision has no decision"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := parse([]byte(typed("conformance-x", "core.conformance.mock-agent", c.config)))
			require.Error(t, err)
			assert.Contains(t, err.Error(), `node "n": config: `)
			assert.Contains(t, err.Error(), c.says)
		})
	}
}

func TestADefinitionThatIsWrongStopsTheStart(t *testing.T) {
	for says, files := range map[string]fstest.MapFS{
		"workflow a: it has 0 nodes": {"definitions/a.json": {Data: []byte(`{"id":"a"}`)}},
		`workflow a: its id is "b"`:  {"definitions/a.json": {Data: []byte(definitionOf("b", noops("n"), ""))}},
		"unexpected":                 {"definitions/a.json": {Data: []byte(`{"id":`)}},
	} {
		_, err := load(files, layer, false)
		require.Error(t, err)
		assert.Contains(t, err.Error(), says)
	}
}
