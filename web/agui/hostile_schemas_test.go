package agui_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// toolsWith returns n tools with the same kind of schema.
func toolsWith(n int, schema func(i int) m) (tools []m) {
	for i := range n {
		tools = append(tools, m{"name": fmt.Sprintf("tool_%d", i), "description": "d", "parameters": schema(i)})
	}
	return tools
}

// patterns returns a schema of n members, each with a regular expression of a hundred bytes that
// has times as many instructions once it is compiled.
func patterns(n, times int) func(int) m {
	return func(i int) m {
		members := m{}
		for k := range n {
			long := strings.Repeat("abcdefghij", 9)
			members[fmt.Sprint(k)] = m{"pattern": fmt.Sprintf("(?:%s%d_%d){%d}", long, i, k, times)}
		}
		return m{"type": "object", "properties": members}
	}
}

// One request of these may neither take memory far beyond its size nor begin a turn.
func TestHostileSchemasAreRefusedByTheirTool(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 10_000}, aTurn)
	s.Begin("ann")
	objects := func(int) m {
		return m{"allOf": make([]struct{}, 20_000)}
	}
	secret := "ghp_" + strings.Repeat("Ab3dEf7h", 4) + "Ij9k"
	for _, tt := range []struct {
		name      string
		tools     []m
		tool, why string
	}{
		{"45 KB of repetitions", toolsWith(20, patterns(17, 1000)), "tool_0", "8 MiB"},
		{"630 KB of repetitions", toolsWith(20, patterns(250, 1000)), "tool_0", "8 MiB"},
		{"many tools, each of which would do", toolsWith(20, patterns(1, 100)), "tool_5", "8 MiB"},
		{"many empty schemas", toolsWith(20, objects), "tool_0", "8 MiB"},
		{"a long expression", toolsWith(1, func(int) m { return m{"pattern": strings.Repeat("a", 9000)} }), "tool_0",
			"8192 bytes"},
		{"a deep schema", []m{{"name": "deep", "parameters": nested(70)}}, "deep", "64 levels"},
		{"another document", toolsWith(1, func(int) m { return m{"$ref": "https://example.com/s"} }), "tool_0",
			"no JSON Schema"},
		{"a name that is a secret", []m{{"name": secret, "parameters": nested(70)}}, "[REDACTED:github-pat]",
			"64 levels"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := anInput(m{"tools": tt.tools})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := s.Do("ann", http.MethodPost, "/agui", body)
			runtime.ReadMemStats(&after)
			t.Logf("%d bytes: %d MB allocated", len(body), (after.TotalAlloc-before.TotalAlloc)>>20)
			require.Equal(t, http.StatusBadRequest, r.Status, r.Body)
			got := r.JSON()
			assert.Equal(t, "bad_tool", got["error"])
			assert.Contains(t, got["message"], tt.why)
			assert.Equal(t, tt.tool, got["details"].(m)["tool"])
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
		})
	}
	assert.NotContains(t, s.Do("ann", http.MethodGet, "/agui/threads/theirs/events", "").Body, "RUN_STARTED")
}

// nested returns a schema with that many levels.
func nested(levels int) any {
	if levels == 0 {
		return m{}
	}
	return m{"not": nested(levels - 1)}
}
