package offline_test

import (
	"context"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/provider/offline"
)

// described is a tool that somebody else wrote: a name, a description, a schema.
type described agent.Spec

func (d described) Spec() agent.Spec { return agent.Spec(d) }

func (d described) Run(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }

func foreign(t testing.TB, name, description, schema string) agent.Tool {
	t.Helper()
	s := new(jsonschema.Schema)
	require.NoError(t, json.Unmarshal([]byte(schema), s))
	return described{Name: name, Description: description, Schema: s}
}

// elsewhere is a set of tools as other servers describe theirs.
func elsewhere(t testing.TB) []agent.Spec {
	return shown(t,
		foreign(t, "get_weather", "Get the current weather for a city", `{"type":"object","properties":{"city":{"type":"string"},"unit":{"enum":["celsius","fahrenheit"]}},"required":["city"]}`),
		foreign(t, "create_issue", "Create an issue in the tracker", `{"type":"object","properties":{"title":{"type":"string"},"labels":{"type":"array","items":{"type":"string"}}},"required":["title"]}`),
		foreign(t, "send_email", "Send an email", `{"type":"object","properties":{"to":{"type":"string"},"body":{"type":"string"}},"required":["to","body"]}`),
		foreign(t, "listPullRequests", "List the pull requests", `{"type":"object","properties":{"state":{"type":"string","enum":["open","closed"]},"limit":{"type":["integer","null"]},"drafts":{"type":"boolean"}}}`),
		foreign(t, "fetch", "Fetches a web page", `{"type":"object","properties":{"url":{"type":"string","pattern":"^https?://"}},"required":["url"]}`),
		foreign(t, "add", "Adds two numbers", `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`),
		foreign(t, "query_db", "Runs a query", `{"type":"object","properties":{"filter":{"type":"object"}},"required":["filter"]}`),
		foreign(t, "ping", "", `{"type":"object"}`),
	)
}

func TestItWorksWithToolsItHasNeverSeen(t *testing.T) {
	tools := elsewhere(t)
	for words, want := range map[string][][]string{
		"what's the weather in Paris":                     one(`get_weather{"city":"Paris"}`),
		"get the weather for Oslo in fahrenheit":          one(`get_weather{"city":"Oslo","unit":"fahrenheit"}`),
		`create an issue "The build is slow"`:             one(`create_issue{"title":"The build is slow"}`),
		`create an issue with title: crash`:               one(`create_issue{"title":"crash"}`),
		`send an email to bob: the deploy is done`:        one(`send_email{"body":"the deploy is done","to":"bob"}`),
		"list pull requests":                              one(`listPullRequests{}`),
		"list the first 5 closed pull requests":           one(`listPullRequests{"limit":5,"state":"closed"}`),
		"list pull requests with drafts":                  one(`listPullRequests{"drafts":true}`),
		"fetch https://example.com/a?b=c":                 one(`fetch{"url":"https://example.com/a?b=c"}`),
		"fetch the page":                                  {},
		"add 2 and 3.5":                                   one(`add{"a":2,"b":3.5}`),
		"add a=2, b=3":                                    one(`add{"a":2,"b":3}`),
		"add 2":                                           {},
		"query the db":                                    {},
		"ping":                                            one(`ping{}`),
		"ping, then list pull requests":                   {{`ping{}`}, {`listPullRequests{}`}},
		"what time is it":                                 {},
		"ping and what is the weather in Rome and Berlin": one(`ping{}`, `get_weather{"city":"Rome"}`, `get_weather{"city":"Berlin"}`),
	} {
		t.Run(words, func(t *testing.T) {
			assert.Equal(t, want, steps(t, tools, words))
		})
	}
}

func TestAToolItCannotFillIsNamedInTheAnswer(t *testing.T) {
	c := &conversation{t: t, tools: elsewhere(t)}
	assert.Contains(t, c.say("query the db").Text,
		"For “query the db” I would use query_db, but I cannot tell its filter from your words, so I did not call it.")
}

func TestOddSchemasDoNoHarm(t *testing.T) {
	for name, spec := range map[string]agent.Spec{
		"none":             {Name: "read_file"},
		"no properties":    {Name: "read_file", Schema: &jsonschema.Schema{Type: "object"}},
		"nil property":     {Name: "read_file", Schema: &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"path": nil}}},
		"required unknown": {Name: "read_file", Schema: &jsonschema.Schema{Type: "object", Required: []string{"path"}}},
		"bad reference":    {Name: "read_file", Schema: &jsonschema.Schema{Ref: "#/nowhere"}},
		"bad pattern": {Name: "read_file", Schema: &jsonschema.Schema{
			Properties: map[string]*jsonschema.Schema{"path": {Type: "string", Pattern: "("}}}},
		"no name": {Description: "Reads a file"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &conversation{t: t, tools: []agent.Spec{spec}}
			for _, call := range c.say("read the file go.mod").Calls {
				assert.True(t, json.Valid(call.Arguments))
			}
		})
	}
}

func FuzzAnyRequestGetsACallThatFitsOrAnAnswer(f *testing.F) {
	tools := append(builtin(f), elsewhere(f)...)
	for _, seed := range []string{
		"what time is it, and find the word Follow in the session folder", "list the files in agent, then read go.mod",
		`find "a" and 'b' then read it`, "remember that it rains: a, b and c", "don't read go.mod afterwards", "in in in",
		"then", "and then, after that", "“", "the word", "add 1e999 and 0x1", "path= query:", "\xff\xfe find \xff", "for about:",
	} {
		f.Add(seed, `{"matches":[{"path":"a"}]}`)
	}
	f.Fuzz(func(t *testing.T, text, result string) {
		c := &conversation{t: t, tools: tools}
		got := c.say(text)
		for range 60 {
			if len(got.Calls) == 0 {
				break
			}
			wishes(t, got.Calls) // valid arguments, and a reason for each
			require.NotEmpty(t, got.Text)
			results := make([]string, len(got.Calls))
			for i, call := range got.Calls {
				require.True(t, utf8.Valid(call.Arguments))
				results[i] = result
			}
			got = c.results(results...)
		}
		if len(got.Calls) == 0 {
			require.NotEmpty(t, got.Text)
		}
	})
}

var _ agent.Provider = offline.Model{}
