package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// laughs is a schema in which each level refers to the next twice.
func laughs(levels int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	for i := range levels {
		fmt.Fprintf(&b, `"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"a%d":{"type":"object"}}}`, levels)
	return b.String()
}

// A schema that would keep its validator busy for ever is shown to the model, and
// arguments are then checked to be an object only.
func TestNoSchemaCanHangTheLoop(t *testing.T) {
	for _, tt := range []struct {
		name, schema, args string
		fits               bool
	}{
		{"it is itself", `{"$ref":"#"}`, `{"a":1}`, true},
		{"it is a part of itself", `{"allOf":[{"$ref":"#"}]}`, `{"a":1}`, true},
		{"it is itself by a detour", `{"anyOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"$ref":"#/$defs/y"},"y":{"$ref":"#/$defs/x"}}}`, `{}`, true},
		{"its members are itself", `{"properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":{}}}`, true},
		{"its references multiply", laughs(60), `{}`, true},
		{"it goes where we cannot see", `{"$dynamicAnchor":"x","properties":{"a":{"$dynamicRef":"#x"}}}`, `{"a":{}}`, true},
		{"whatever it is, arguments are an object", `{"$ref":"#"}`, `[]`, false},
		{"a reference that ends is followed", `{"properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"number"}}}`, `{"a":"x"}`, false},
		{"and may be followed twice", `{"properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"number"}}}`, `{"a":1,"b":"x"}`, false},
		{"a property may have the name of a keyword", `{"properties":{"$ref":{"type":"string"},"$id":{"type":"number"}}}`, `{"$id":"x"}`, false},
		{"references may have escapes", `{"properties":{"a":{"$ref":"#/$defs/x~1y"}},"$defs":{"x/y":{"type":"number"}}}`, `{"a":"x"}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := FrontEndTool{Name: "x", Parameters: json.RawMessage(tt.schema)}
			b, err := bind(f, f.Spec(), false)
			require.NoError(t, err)
			assert.Equal(t, tt.fits, b.check(json.RawMessage(tt.args)) == nil)
		})
	}
}

func TestASchemaThatIsTooDeepIsRefused(t *testing.T) {
	deep := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"not":`, n) + `{}` + strings.Repeat(`}`, n))
	}
	_, err := FrontEndTool{Parameters: deep(maxSchemaDepth - 1)}.schema()
	require.NoError(t, err)
	_, err = FrontEndTool{Parameters: deep(maxSchemaDepth)}.schema()
	require.ErrorIs(t, err, errDeepSchema)
	_, err = FrontEndTool{Parameters: json.RawMessage(`{"description":"` + strings.Repeat(`[\"{`, 100) + `"}`)}.schema()
	require.NoError(t, err, "brackets in text are text")
}
