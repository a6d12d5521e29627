package offline_test

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

// foreign returns tools as the servers of others describe theirs.
func foreign(t testing.TB) []agent.Spec {
	return []agent.Spec{
		spec(t, "get_weather", "Get the current weather for a city",
			`{"city":{"type":"string"},"unit":{"enum":["celsius","fahrenheit"]}}`, "city"),
		spec(t, "create_issue", "Create an issue in the tracker",
			`{"title":{"type":"string"},"labels":{"type":"array","items":{"type":"string"}}}`, "title"),
		spec(t, "send_email", "Send an email", `{"to":{"type":"string"},"body":{"type":"string"}}`, "to", "body"),
		spec(t, "listPullRequests", "List the pull requests",
			`{"state":{"enum":["open","closed"]},"limit":{"type":["integer","null"]},"drafts":{"type":"boolean"}}`),
		spec(t, "fetch", "Fetches a web page", `{"url":{"type":"string"}}`, "url"),
		spec(t, "add", "Adds two numbers", `{"a":{"type":"number"},"b":{"type":"number"}}`, "a", "b"),
		spec(t, "query_db", "Runs a query", `{"filter":{"type":"object"}}`, "filter"),
		spec(t, "copy_file", "Copy a file", `{"source":{"type":"string"},"path":{"type":"string"}}`, "source", "path"),
		spec(t, "rate", "", `{"rationale":{"type":"string"}}`, "rationale"),
		spec(t, "ping", "", `{}`), spec(t, "sign", "Signs a form", `{}`, "key"),
	}
}

func TestArgumentsOfToolsTheModelHasNeverSeen(t *testing.T) {
	tools := foreign(t)
	for _, tt := range []struct{ name, message, call string }{
		{"a required string is what remains", "what's the weather in Paris", `get_weather{"city":"Paris"}`},
		{"a choice is named", "get the weather for Oslo fahrenheit", `get_weather{"city":"Oslo","unit":"fahrenheit"}`},
		{"quoted text goes first", `create an issue with title "The build is slow"`,
			`create_issue{"title":"The build is slow"}`},
		{"quotes fill strings in the schema's order", "send an email “bob” to `it is done`",
			`send_email{"body":"bob","to":"it is done"}`},
		{"a name in camelCase has words", "list closed requests 5", `listPullRequests{"limit":5,"state":"closed"}`},
		{"a whole number is needed", "list pull requests 2.5", `listPullRequests{}`},
		{"a quoted number is text", `list pull requests "5"`, `listPullRequests{}`},
		{"a URL stays whole", "fetch https://example.com/a?b=c,d please", `fetch{"url":"https://example.com/a?b=c,d"}`},
		{"numbers fill numbers in their order", "add 2 and -3.5", `add{"a":2,"b":-3.5}`},
		{"a place and a text share the words", "copy file a.md from b.md", `copy_file{"path":"b.md","source":"a.md"}`},
		{"no arguments are needed", "ping", `ping{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, []string{tt.call}, steps(t, tools, tt.message))
		})
	}
}

func TestTheOfflineModelNeverSaysHowSureItIs(t *testing.T) {
	asking := spec(t, "wait", "Waits", `{"rationale":{"type":"string"},"confidence":{"type":"number"},
		"hours":{"type":"number"}}`)
	asking.Schema.PropertyOrder = []string{"rationale", "confidence", "hours"}
	assert.Equal(t, []string{`wait{"hours":0.5}`}, steps(t, []agent.Spec{asking}, "wait 0.5"))
	own := spec(t, "wait", "Waits", `{"confidence":{"type":"number"}}`)
	assert.Equal(t, []string{`wait{"confidence":0.5}`}, steps(t, []agent.Spec{own}, "wait 0.5"))
}

func TestARationaleOfTheToolsOwnIsAnArgument(t *testing.T) {
	call := (&conversation{t: t, tools: foreign(t)}).say(`rate it "good"`).Calls[0]
	assert.JSONEq(t, `{"rationale":"good"}`, string(call.Arguments))
	assert.Equal(t, "The request says “rate it \"good\"”; rate fits these words by its name, so I expect a result "+
		"that answers this.", call.Reasoning)
}

func TestAToolIsNotCalledWithoutWhatItRequires(t *testing.T) {
	for _, tt := range []struct{ message, missing string }{
		{"sign the form", "sign, but I cannot tell its key"},       // the schema requires it and says nothing about it
		{"query the db", "query_db, but I cannot tell its filter"}, // objects are never filled
		{"add 2 and 1e999", "add, but I cannot tell its b"},        // too large for a number
		{"add Inf and 0x1p-2", "add, but I cannot tell its a and b"},
		{"fetch the page", "fetch, but I cannot tell its url"},
		{"send an email", "send_email, but I cannot tell its to and body"},
	} {
		t.Run(tt.message, func(t *testing.T) {
			got := (&conversation{t: t, tools: foreign(t)}).say(tt.message)
			assert.Empty(t, got.Calls)
			assert.Contains(t, got.Text, "For “"+tt.message+"” I would use "+tt.missing+" from your words")
		})
	}
}

// A path is shortened by the tool that it is given to. A URL with a password would
// then no longer be recognized as one and masked.
func TestAURLIsNeverTakenForAPath(t *testing.T) {
	tools := builtin(t)
	const url = "postgres://app@db.internal/app"
	assert.Equal(t, []string{`file_search{"path":"go.mod","query":"` + url + `"}`},
		steps(t, tools, "find "+url+" in go.mod"))
	assert.Empty(t, steps(t, tools, "read "+url))
	assert.Equal(t, []string{`file_list{}`}, steps(t, tools, "list the files in "+url+"/"))
}

func TestOddSchemasLeadToValidArguments(t *testing.T) {
	property := func(s *jsonschema.Schema) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"path": s}}
	}
	for name, s := range map[string]*jsonschema.Schema{
		"no schema": nil, "no properties": {Type: "object"}, "a property without a schema": property(nil),
		"a property of any type": property(&jsonschema.Schema{}),
		"a reference to nothing": {Ref: "#/nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &conversation{t: t, tools: []agent.Spec{{Name: "read_file", Schema: s}}}
			got := c.say("read the file go.mod")
			require.Len(t, got.Calls, 1, got.Text)
			assert.True(t, json.Valid(got.Calls[0].Arguments), "%s", got.Calls[0].Arguments)
		})
	}
}
