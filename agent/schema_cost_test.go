package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// withPattern returns a schema with a regular expression.
func withPattern(p string) string {
	raw, _ := json.Marshal(map[string]any{"properties": map[string]any{"a": map[string]any{"pattern": p}}})
	return string(raw)
}

// allocated returns how many bytes f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// hostileSchemas are expensive in different ways; n is how much so.
var hostileSchemas = map[string]func(n int) string{
	"a repetition": func(n int) string { return withPattern(strings.Repeat("(?:[a-z]b|c){100}", n)) },
	"repetitions in one another": func(n int) string {
		return withPattern(strings.Repeat("(?:(?:(?:ab?c){10}){10}){10}", n))
	},
	"an optional repetition": func(n int) string { return withPattern(strings.Repeat("(?:abcd){1,500}", n)) },
	"a class, anchored":      func(n int) string { return withPattern(`^\pL{` + fmt.Sprint(20*n) + `}$`) },
	"classes without case": func(n int) string {
		return withPattern(strings.Repeat(`(?i)[\pL\pN]`, n/40+1))
	},
	"a long alternation": func(n int) string { return withPattern(strings.Repeat("abc|abd|", 20*n)) },
	"names with repetitions": func(n int) string {
		return `{"patternProperties":{"` + strings.Repeat("(?:xy){200}", n) + `":{}}}`
	},
	"schemas": func(n int) string {
		return `{"allOf":[{}` + strings.Repeat(`,{}`, 100*n) + `]}`
	},
	"schemas that are false": func(n int) string {
		return `{"allOf":[{}` + strings.Repeat(`,false`, 100*n) + `]}`
	},
	"values": func(n int) string {
		return `{"enum":[0` + strings.Repeat(`,[1,"x",{"a":null}]`, 100*n) + `]}`
	},
	"schemas with long paths": func(n int) string {
		return `{"properties":{"` + strings.Repeat("k", 200*n) + `":{"allOf":[{}` +
			strings.Repeat(`,{}`, 100*n) + `]}}}`
	},
	"schemas far below": func(n int) string {
		return strings.Repeat(`{"not":`, 50) + `{"allOf":[{}` + strings.Repeat(`,{}`, 20*n) + `]}` +
			strings.Repeat(`}`, 50)
	},
	"unknown keywords": func(n int) string { return `{` + strings.Repeat(`"x":[[]],`, 50*n) + `"y":1}` },
	"references": func(n int) string {
		return `{"$defs":{"a":{}},"allOf":[{"$ref":"#/$defs/a"}` + strings.Repeat(`,{"$ref":"#/$defs/a"}`, 50*n) + `]}`
	},
}

// What compiling allocates includes what is dropped at once, so the estimate bounds time as well.
func TestASchemaTakesNoMoreThanItsEstimate(t *testing.T) {
	for name, schema := range hostileSchemas {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 10, 40} {
				f := FrontEndTool{Name: "x", Parameters: json.RawMessage(schema(n))}
				cost, err := SchemaCost(f.Parameters)
				require.NoError(t, err)
				var cache schemaCache
				took := allocated(func() { _, err = cache.compileOnce(t.Context(), f, func(int) error { return nil }) })
				require.NoError(t, err)
				t.Logf("%d bytes: estimate %d kB, allocated %d kB", len(f.Parameters), cost>>10, took>>10)
				assert.Less(t, took, 4*cost+100<<10, "%d", n)
			}
		})
	}
}

func TestToolsOfATurnHaveOneBudgetForTheirSchemas(t *testing.T) {
	inChat(t, &stepwise{}, func(t *testing.T, c *Chat, _ *session.Session) {
		var own []FrontEndTool
		for i := range 20 {
			schema := withPattern(fmt.Sprintf("(?:abcdefgh%d){1000}", i))
			own = append(own, FrontEndTool{Name: fmt.Sprint("tool_", i), Parameters: json.RawMessage(schema)})
		}
		require.NoError(t, c.CheckTools(t.Context(), own[:3]))
		err, ok := errors.AsType[*ToolError](c.CheckTools(t.Context(), own))
		require.True(t, ok)
		assert.Equal(t, 3, err.Place)
		assert.Contains(t, err.Why, "8 MiB")
		assert.Len(t, c.dispatcher.schemas.known, 3, "what is refused is not compiled")
	})
}

func TestASchemaIsCompiledOnceForAllTurns(t *testing.T) {
	p := &stepwise{responses: []Response{{Text: "one"}, {Text: "two"}}}
	inChat(t, p, func(t *testing.T, c *Chat, _ *session.Session) {
		own := TurnOptions{Tools: []FrontEndTool{{Name: "x", Parameters: json.RawMessage(withPattern("^a{9}$"))}}}
		for range 2 {
			require.NoError(t, c.CheckTools(t.Context(), own.Tools))
			_, err := c.SendWith(t.Context(), "ann", "", "hi", own)
			require.NoError(t, err)
			synctest.Wait()
		}
		require.Len(t, p.requests, 2)
		assert.Same(t, p.requests[0].Tools[0].Schema, p.requests[1].Tools[0].Schema)
	})
}

func TestCompiledSchemasAreKeptWithinABudget(t *testing.T) {
	var cache schemaCache
	for i := range 12 {
		f := FrontEndTool{Parameters: json.RawMessage(withPattern(fmt.Sprintf("(?:abcdefghijklmnop%d){1000}", i)))}
		_, err := cache.compileOnce(t.Context(), f, func(int) error { return nil })
		require.NoError(t, err)
	}
	assert.LessOrEqual(t, cache.cost, maxCachedSchemas)
	assert.Greater(t, cache.cost, maxCachedSchemas/2)
	assert.Len(t, cache.known, len(cache.order))
}

func TestNothingIsCompiledForAClientThatHasGone(t *testing.T) {
	var cache schemaCache
	ctx, leave := context.WithCancel(t.Context())
	leave()
	_, err := cache.compileOnce(ctx, FrontEndTool{Parameters: json.RawMessage(`{}`)}, func(int) error { return nil })
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, cache.known)
}

func TestAToolboxCompilesASchemaOnce(t *testing.T) {
	schema := &jsonschema.Schema{Type: "object"}
	same := func(name string) Tool { return funcTool{spec: Spec{Name: name, Schema: schema}} }
	var box Toolbox
	require.NoError(t, box.Replace(same("a")))
	before := box.current().byName["a"].schema
	require.NoError(t, box.Replace(same("a"), same("b")))
	assert.Same(t, before, box.current().byName["a"].schema)
	other := Spec{Name: "a", Schema: &jsonschema.Schema{Type: "object"}}
	require.NoError(t, box.Replace(funcTool{spec: other}))
	assert.NotSame(t, before, box.current().byName["a"].schema)
}
