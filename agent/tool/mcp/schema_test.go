package mcp

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSchemasKeepTheirKeywords(t *testing.T) {
	const schema = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",
		"required":["city"],"additionalProperties":false,
		"properties":{"city":{"type":"string","description":"where","minLength":1,"examples":["Bonn"]},
		"unit":{"type":"string","enum":["C","F"],"default":"C"},"x-own":{"x-vendor":{"a":1}},
		"days":{"type":"array","items":{"anyOf":[{"type":"integer","minimum":1},{"$ref":"#/definitions/day"}]}}},
		"definitions":{"day":{"type":"object","properties":{"name":{"const":"Monday"}}}}}`
	var given any
	require.NoError(t, json.Unmarshal([]byte(schema), &given))
	s, err := schemaOf(given)
	require.NoError(t, err)
	got, err := json.Marshal(s)
	require.NoError(t, err)
	assert.JSONEq(t, schema, string(got))

	s, err = schemaOf(map[string]any{})
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
			var in any
			require.NoError(t, json.Unmarshal([]byte(tt.given), &in))
			s, err := schemaOf(in)
			require.NoError(t, err)
			got, err := json.Marshal(s)
			require.NoError(t, err)
			assert.JSONEq(t, tt.want, string(got))
		})
	}
}

func TestPatternsUnderNotAreKept(t *testing.T) {
	_, err := schemaOf(map[string]any{"type": "object", "not": map[string]any{"pattern": "(?!x)"}})
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
