package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func compiled(t *testing.T, schema string) boundTool {
	t.Helper()
	var cache schemaCache
	f := FrontEndTool{Name: "x", Parameters: json.RawMessage(schema)}
	s, err := cache.compileOnce(t.Context(), f, func(int) error { return nil })
	require.NoError(t, err)
	require.NotNil(t, s.resolved)
	return bind(f, f.Spec(), s)
}

// listOf returns a JSON array of n times the same.
func listOf(n int, one string) string { return "[" + strings.Repeat(one+",", n-1) + one + "]" }

// The validator quotes the value in each error, and the errors of all branches in the error of
// their keyword.
func TestArgumentsAreCheckedAtABoundedCost(t *testing.T) {
	long := `"` + strings.Repeat("x", 1<<20) + `"`
	numbers := listOf(500, `{"type":"number"}`)
	for _, tt := range []struct{ name, schema, args string }{
		{"many branches", `{"properties":{"a":{"anyOf":` + numbers + `}}}`, `{"a":` + long + `}`},
		{"one of many", `{"properties":{"a":{"oneOf":` + numbers + `}}}`, `{"a":` + long + `}`},
		{"branches in branches",
			`{"properties":{"a":{"anyOf":` + listOf(40, `{"anyOf":`+listOf(40, `{"type":"number"}`)+`}`) + `}}}`,
			`{"a":` + long + `}`},
		{"a chain of references", `{"properties":{"a":{"$ref":"#/$defs/0"}},"$defs":{` + chain(80) + `}}`,
			`{"a":` + long + `}`},
		{"every element against many schemas",
			`{"properties":{"a":{"items":{"allOf":` + listOf(200, `{"enum":[1,2,3]}`) + `}}}}`,
			`{"a":` + listOf(20_000, "1") + `}`},
		{"a large expression on a long text", withPattern("(?:abcdefgh){1000}"), `{"a":` + long + `}`},
		{"names of members", `{"patternProperties":{"(?:abcdefgh){1000}":{}}}`, `{` + long + `:1}`},
		{"elements of nested arrays", `{"properties":{"a":` + strings.Repeat(`{"items":`, 6) + `{"anyOf":` +
			listOf(30, `{"type":"null"}`) + `}` + strings.Repeat("}", 6) + `}}`, `{"a":` + strings.Repeat("[", 5) +
			listOf(60_000, "1") + strings.Repeat("]", 5) + `}`},
		{"additional members", `{"additionalProperties":{"anyOf":` + numbers + `}}`, `{"a":` + long + `}`},
		{"what one member demands", `{"dependentSchemas":{"a":{"properties":{"a":{"anyOf":` +
			numbers + `}}}}}`, `{"a":` + long + `}`},
		{"first elements", `{"properties":{"a":{"prefixItems":[{"not":{"anyOf":` + numbers + `}}]}}}`,
			`{"a":[` + long + `]}`},
		{"names against branches", `{"propertyNames":{"anyOf":` + listOf(500, `{"maxLength":1}`) + `}}`,
			`{` + long + `:1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := compiled(t, tt.schema)
			var err error
			took := allocated(func() { err = b.validate(t.Context(), json.RawMessage(tt.args)) })
			require.ErrorIs(t, err, errTooMuchToCheck)
			assert.Less(t, took, 2*maxCheckCost)
		})
	}
}

// chain returns the definitions of n schemas, each of which refers to the next.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		raw, _ := json.Marshal(i)
		next, _ := json.Marshal(i + 1)
		b.WriteString(`"` + string(raw) + `":{"$ref":"#/$defs/` + string(next) + `"},`)
	}
	raw, _ := json.Marshal(n)
	return b.String() + `"` + string(raw) + `":{"type":"number"}`
}

func TestLargeArgumentsAreCheckedWhereTheSchemaIsPlain(t *testing.T) {
	b := compiled(t, `{"type":"object","required":["path","content"],"additionalProperties":false,"properties":{
		"path":{"type":"string","pattern":"^[a-z/]{1,200}$"},"content":{"type":"string"},
		"mode":{"anyOf":[{"type":"null"},{"enum":["append","replace"]}]}}}`)
	args := func(content string) json.RawMessage {
		return json.RawMessage(`{"path":"a/b","mode":"append","content":` + content + `}`)
	}
	require.NoError(t, b.validate(t.Context(), args(`"`+strings.Repeat("x", 8<<20)+`"`)))
	assert.ErrorContains(t, b.validate(t.Context(), args(`1`)), "invalid arguments: validating")
}

func TestCheckingStopsWithItsTurn(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	b := compiled(t, `{"properties":{"a":{"type":"number"}}}`)
	assert.ErrorIs(t, b.validate(ctx, json.RawMessage(`{"a":1}`)), context.Canceled)
}
