package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRelayedToolsAreCheckedAndNamedAfterTheirOwner(t *testing.T) {
	masked := func(text string) string { return strings.ReplaceAll(text, "hush", "[MASKED]") }
	list := `{"tools":[
		{"name":"weigh","description":"Weighs hush.","inputSchema":{"type":"object"}},
		{"name":"weigh","inputSchema":{"type":"object"}},
		{"name":"we.igh","inputSchema":{"type":"object"}},
		{"name":"we igh","inputSchema":{"type":"object"}},
		{"name":"broken","inputSchema":{"type":"string"}},
		{"name":"far","inputSchema":{"type":"object","properties":{"a":{"$ref":"https://example.org/x"}}}}]}`
	specs, err := RelayedTools("bert", json.RawMessage(list), masked)
	require.NoError(t, err)
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
		assert.Equal(t, "bert", s.Origin.Server)
		assert.NotEmpty(t, s.Origin.Definition)
	}
	require.Len(t, names, 5)
	assert.Equal(t, []string{"bert__broken", "bert__far"}, names[3:], "what they take is not known")
	assert.Equal(t, []string{"bert__weigh", "bert__we_igh"}, names[:2])
	assert.Regexp(t, `^bert__we_igh_[0-9a-f]{8}$`, names[2], "two tools never share a name")
	assert.Equal(t, "Weighs [MASKED].", specs[0].Description)
	assert.Equal(t, "we.igh", specs[1].Origin.Tool, "its owner knows it by its own name")
	_, err = RelayedTools("bert", json.RawMessage(`{"tools":7}`), masked)
	require.Error(t, err)
}

func TestTheSchemasOfARelayedListHaveASmallBudget(t *testing.T) {
	var tools []string
	wide := strings.Repeat(`"p":{"type":"object"},`, 40)
	for i := range 100 {
		properties := strings.ReplaceAll(wide, `"p"`, fmt.Sprintf(`"p%d"`, i))
		for j := range 40 {
			properties = strings.Replace(properties, fmt.Sprintf(`"p%d":`, i), fmt.Sprintf(`"q%d_%d":`, i, j), 1)
		}
		tools = append(tools, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object","properties":{%s}}}`, i,
			strings.TrimSuffix(properties, ",")))
	}
	specs, err := RelayedTools("bert", json.RawMessage(`{"tools":[`+strings.Join(tools, ",")+`]}`), asItIs)
	require.NoError(t, err)
	assert.NotEmpty(t, specs)
	assert.Less(t, len(specs), 50)
}

func TestARelayedResultIsReadLikeAServers(t *testing.T) {
	for _, tt := range []struct{ name, answer, want, err string }{
		{"text", `{"content":[{"type":"text","text":"4 kg"}]}`, `{"content":[{"type":"text","text":"4 kg"}]}`, ""},
		{"structure", `{"structuredContent":{"kg":4}}`, `{"structured":{"kg":4}}`, ""},
		{"the tool's own error", `{"isError":true,"content":[{"type":"text","text":"broken"}]}`, "", "broken"},
		{"another shape", `{"kg":4}`, `{"kg":4}`, ""},
		{"a text alone", `"4 kg"`, `"4 kg"`, ""},
		{"nothing", ``, "", "the result cannot be read"},
		{"too much", `"` + strings.Repeat("x", maxResult) + `"`, "", "too long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := RelayedResult(json.RawMessage(tt.answer))
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.JSONEq(t, tt.want, string(got))
		})
	}
}
