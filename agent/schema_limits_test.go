package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exponential returns a schema in which each level refers to the next twice.
func exponential(levels int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	for i := range levels {
		fmt.Fprintf(&b, `"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"a%d":{"type":"object"}}}`, levels)
	return b.String()
}

// A schema whose validation may not end is shown to the model, but arguments are only
// checked to be an object.
func TestRecursiveSchemasCannotHangValidation(t *testing.T) {
	for _, tt := range []struct {
		name, schema, args string
		fits               bool
	}{
		{"the schema is itself", `{"$ref":"#"}`, `{"a":1}`, true},
		{"the schema is a part of itself", `{"allOf":[{"$ref":"#"}]}`, `{"a":1}`, true},
		{"two definitions are each other",
			`{"anyOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"$ref":"#/$defs/y"},"y":{"$ref":"#/$defs/x"}}}`, `{}`, true},
		{"a member is the schema", `{"properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":{}}}`, true},
		{"references expand exponentially", exponential(60), `{}`, true},
		{"a dynamic reference is not followed",
			`{"$dynamicAnchor":"x","properties":{"a":{"$dynamicRef":"#x"}}}`, `{"a":{}}`, true},
		{"arguments are an object in any case", `{"$ref":"#"}`, `[]`, false},
		{"a finite reference is followed",
			`{"properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"number"}}}`, `{"a":"x"}`, false},
		{"a finite reference may occur twice",
			`{"properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"number"}}}`,
			`{"a":1,"b":"x"}`, false},
		{"a property may be named like a keyword",
			`{"properties":{"$ref":{"type":"string"},"$id":{"type":"number"}}}`, `{"$id":"x"}`, false},
		{"references may contain escapes",
			`{"properties":{"a":{"$ref":"#/$defs/x~1y"}},"$defs":{"x/y":{"type":"number"}}}`, `{"a":"x"}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := FrontEndTool{Name: "x", Parameters: json.RawMessage(tt.schema)}
			var cache schemaCache
			schema, err := cache.compileOnce(t.Context(), f, func(int) error { return nil })
			require.NoError(t, err)
			b := bind(f, f.Spec(), schema)
			assert.Equal(t, tt.fits, b.validate(t.Context(), json.RawMessage(tt.args)) == nil)
		})
	}
}

func TestASchemaThatIsTooDeepIsRefused(t *testing.T) {
	deep := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"not":`, n) + `{}` + strings.Repeat(`}`, n))
	}
	_, err := SchemaCost(deep(maxSchemaDepth - 1))
	require.NoError(t, err)
	_, err = SchemaCost(deep(maxSchemaDepth))
	require.ErrorIs(t, err, errDeepSchema)
	_, err = SchemaCost([]byte(`{"description":"` + strings.Repeat(`[\"{`, 100) + `"}`))
	require.NoError(t, err, "brackets within strings do not count")
}
