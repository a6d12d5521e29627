package mcp

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSchemasKeepTheirKeywords(t *testing.T) {
	const schema = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","required":["city"],"additionalProperties":false,
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

func TestAPatternOfJavaScriptDoesNotCostTheTool(t *testing.T) {
	for given, want := range map[string]string{
		`{"type":"object","properties":{
			"mail":{"type":"string","format":"email","pattern":"^(?!\\.)[a-z]+$"},
			"pattern":{"type":"string","pattern":"^[a-z]$","default":{"pattern":"(?!"}},
			"more":{"anyOf":[{"pattern":"(?=a)"},{"patternProperties":{"(?<=b)":{},"^c":{"type":"string"}}}]}}}`: `{"type":"object","properties":{
			"mail":{"type":"string","format":"email"},
			"pattern":{"type":"string","pattern":"^[a-z]$","default":{"pattern":"(?!"}},
			"more":{"anyOf":[true,{"patternProperties":{"^c":{"type":"string"}}}]}}}`,
	} {
		var in any
		require.NoError(t, json.Unmarshal([]byte(given), &in))
		s, err := schemaOf(in)
		require.NoError(t, err)
		got, err := json.Marshal(s)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(got))
	}
}

func TestAPatternUnderNotIsNotDropped(t *testing.T) {
	_, err := schemaOf(map[string]any{"type": "object", "not": map[string]any{"pattern": "(?!x)"}})
	assert.EqualError(t, err, "its schema cannot be resolved", "without it the schema would refuse everything")
}
