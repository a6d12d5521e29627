package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// free lets every schema pass, whatever it costs.
func free(int) error { return nil }

func TestSchemasKeepTheirKeywords(t *testing.T) {
	const schema = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",
		"required":["city"],"additionalProperties":false,
		"properties":{"city":{"type":"string","description":"where","minLength":1,"examples":["Bonn"]},
		"unit":{"type":"string","enum":["C","F"],"default":"C"},"x-own":{"x-vendor":{"a":1}},
		"days":{"type":"array","items":{"anyOf":[{"type":"integer","minimum":1},{"$ref":"#/definitions/day"}]}}},
		"definitions":{"day":{"type":"object","properties":{"name":{"const":"Monday"}}}}}`
	s, err := schemaOf([]byte(schema), asItIs, free)
	require.NoError(t, err)
	got, err := json.Marshal(s)
	require.NoError(t, err)
	assert.JSONEq(t, schema, string(got))

	s, err = schemaOf([]byte(`{}`), asItIs, free)
	require.NoError(t, err)
	assert.Equal(t, &jsonschema.Schema{Type: "object"}, s)
}

func TestPatternsThatGoCannotCompileAreDropped(t *testing.T) {
	for _, tt := range []struct{ name, given, want string }{
		{
			"a lookahead",
			`{"type":"object","properties":{"mail":{"format":"email","pattern":"^(?!\\.)[a-z]+$"}}}`,
			`{"type":"object","properties":{"mail":{"format":"email"}}}`,
		},
		{
			"a property called pattern and a default are not patterns",
			`{"type":"object","properties":{"pattern":{"pattern":"(?!x)","default":{"pattern":"(?!"}}}}`,
			`{"type":"object","properties":{"pattern":{"default":{"pattern":"(?!"}}}}`,
		},
		{
			"patterns that Go compiles stay",
			`{"type":"object","properties":{"a":{"pattern":"^[a-z]$"},"b":{"pattern":"(?=b)"}}}`,
			`{"type":"object","properties":{"a":{"pattern":"^[a-z]$"},"b":true}}`,
		},
		{
			"nested schemas and property names",
			`{"type":"object","anyOf":[{"pattern":"(?=a)"},{"patternProperties":{"(?<=b)":{},"^c":{"minLength":1}}}]}`,
			`{"type":"object","anyOf":[true,{"patternProperties":{"^c":{"minLength":1}}}]}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := schemaOf([]byte(tt.given), asItIs, free)
			require.NoError(t, err)
			got, err := json.Marshal(s)
			require.NoError(t, err)
			assert.JSONEq(t, tt.want, string(got))
		})
	}
}

// A name of a property may be that of a keyword, and hide a description below it.
func TestTheNotesOfASchemaAreCleaned(t *testing.T) {
	masked := func(text string) string { return strings.ReplaceAll(text, "hush", "***") }
	for given, want := range map[string]string{
		`{"title":"hush","description":"a hush","$comment":"hush"}`:
		/**/ `{"title":"***","description":"a ***","$comment":"***"}`,
		`{"properties":{"default":{"description":"hush"},"title":{"minLength":1,"description":"hush"}}}`:
		/**/ `{"properties":{"default":{"description":"***"},"title":{"minLength":1,"description":"***"}}}`,
		`{"anyOf":[{"items":{"description":"hush"}}],"not":{"title":"hush"}}`:
		/**/ `{"anyOf":[{"items":{"description":"***"}}],"not":{"title":"***"}}`,
		`{"properties":{"a":{"enum":["hush"],"default":{"title":"hush"},"maximum":12345678901234567}}}`:
		/**/ `{"properties":{"a":{"enum":["hush"],"default":{"title":"hush"},"maximum":12345678901234567}}}`,
	} {
		got, err := cleanNotes([]byte(given), masked)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(got))
		assert.NotContains(t, string(got), "e+16")
	}
}

func TestPatternsUnderNotAreKept(t *testing.T) {
	_, err := schemaOf([]byte(`{"type":"object","not":{"pattern":"(?!x)"}}`), asItIs, free)
	assert.EqualError(t, err, "its schema cannot be resolved", "dropping it would make the schema refuse everything")
}

func TestAnMCPToolIsReadOnlyOnlyInAClosedWorld(t *testing.T) {
	for name, tt := range map[string]struct {
		hints *sdk.ToolAnnotations
		want  bool
	}{
		"no hints":                     {nil, false},
		"reads":                        {&sdk.ToolAnnotations{ReadOnlyHint: true}, false},
		"reads from the network":       {&sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(true)}, false},
		"writes in a closed world":     {&sdk.ToolAnnotations{OpenWorldHint: new(false)}, false},
		"reads only in a closed world": {&sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(false)}, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			i := &inProcess{make: with(&sdk.Tool{Name: "hello", Annotations: tt.hints})}
			s := startServers(t, Options{}, map[string]dialer{"test": i.dial})
			defer s.Close()
			assert.Equal(t, tt.want, s.Tools()[0].Spec().ReadOnly, name)
		})
	}
}

func TestTheSchemasOfAServerHaveOneBudget(t *testing.T) {
	tool := func(i int) *sdk.Tool {
		schema := fmt.Sprintf(`{"type":"object","properties":{"a":{"pattern":"(?:abcdefgh%d){1000}"}}}`, i)
		return &sdk.Tool{Name: fmt.Sprint("tool_", i), InputSchema: json.RawMessage(schema)}
	}
	c := catalog{clean: asItIs}
	kept, known := 0, map[string]definition{}
	for i := range maxTools {
		d, err := c.define(tool(i))
		if err != nil {
			assert.ErrorContains(t, err, "64 MiB")
			continue
		}
		kept++
		known[d.name] = d
	}
	assert.LessOrEqual(t, c.cost, maxSchemas)
	assert.Less(t, kept, 60)
	assert.Greater(t, kept, 10, "the first ones are kept")

	again := catalog{clean: asItIs, known: known}
	d, err := again.define(tool(0))
	require.NoError(t, err)
	assert.Same(t, known["tool_0"].schema, d.schema, "a schema that has not changed is kept")
	assert.Equal(t, known["tool_0"].cost, again.cost)
	changed := tool(0)
	changed.InputSchema = json.RawMessage(`{"type":"object"}`)
	d, err = again.define(changed)
	require.NoError(t, err)
	assert.NotSame(t, known["tool_0"].schema, d.schema)
}

func TestAHostileSchemaCostsOnlyItsTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		i := &inProcess{make: with(&sdk.Tool{Name: "good"}, &sdk.Tool{
			Name:        "bad",
			InputSchema: json.RawMessage(`{"type":"object","pattern":"` + strings.Repeat("a", 9000) + `"}`),
		})}
		s := startServers(t, Options{Log: log.logger()}, map[string]dialer{"test": i.dial})
		defer s.Close()
		assert.Equal(t, []string{"good"}, toolNames(s.Tools()))
		assert.Contains(t, log.String(), "first=\"bad: a pattern of its schema is longer than 8192 bytes")
	})
}
