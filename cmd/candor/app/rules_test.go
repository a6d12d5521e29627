package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/tool/mcp"
)

// brought returns a tool of an MCP server, as a model knows it.
func brought(server, tool, shownAs string) agent.Spec {
	return agent.Spec{Name: shownAs, Schema: &jsonschema.Schema{}, Origin: agent.Origin{
		Server: server, Tool: tool, Names: []string{strings.ReplaceAll(tool, ".", "_"), server + "__" + tool},
	}}
}

// A second server with a tool of the same name renames both, and a rule for one, or for all,
// means what it meant before.
func TestRulesHoldUnderEveryNameOfTheirTool(t *testing.T) {
	alone, renamed := brought("github", "deploy", "deploy"), brought("github", "deploy", "github__deploy")
	others, own := brought("docs", "deploy", "docs__deploy"), agent.Spec{Name: "time", Schema: &jsonschema.Schema{}}
	for _, tt := range []struct {
		name          string
		github, other bool // whether the rule is about them
	}{
		{"deploy", true, true}, {"github/deploy", true, false}, {"github__deploy", true, false},
		{"docs/deploy", false, true}, {"github/github__deploy", true, false}, {"github/docs__deploy", false, false},
		{"github/time", false, false}, {"time", false, false},
	} {
		servers := []string{"docs", "github"}
		denied, err := parseRules(ToolSettings{Deny: []string{tt.name}}, servers)
		require.NoError(t, err)
		asked, err := parseRules(ToolSettings{Approve: []string{tt.name + "=always"}}, servers)
		require.NoError(t, err)
		deny, ask := newRules(denied, quiet), newRules(asked, quiet)
		for spec, want := range map[*agent.Spec]bool{
			&alone: tt.github, &renamed: tt.github, &others: tt.other, &own: tt.name == "time",
		} {
			assert.Equal(t, want, deny.deny(t.Context(), *spec, nil) != nil, "--deny %s: %s", tt.name, spec.Name)
			assert.Equal(t, want, ask.approval(*spec) == agent.ApprovalAlways, "--approve %s: %s", tt.name, spec.Name)
			assert.NoError(t, ask.deny(t.Context(), *spec, nil))
		}
	}
}

func TestARuleForOneServerBeatsOneForAll(t *testing.T) {
	for _, tt := range []struct {
		flags        []string
		github, docs agent.Approval
	}{
		{[]string{"deploy=ask"}, agent.ApprovalAsk, agent.ApprovalAsk},
		{[]string{"deploy=ask", "deploy=always"}, agent.ApprovalAlways, agent.ApprovalAlways},
		{[]string{"github/deploy=always", "deploy=never"}, agent.ApprovalAlways, agent.ApprovalNever},
		{[]string{"deploy=always", "github/deploy=never"}, agent.ApprovalNever, agent.ApprovalAlways},
	} {
		flags, err := parseRules(ToolSettings{Approve: tt.flags}, []string{"docs", "github"})
		require.NoError(t, err)
		r := newRules(flags, quiet)
		assert.Equal(t, tt.github, r.approval(brought("github", "deploy", "github__deploy")), tt.flags)
		assert.Equal(t, tt.docs, r.approval(brought("docs", "deploy", "docs__deploy")), tt.flags)
	}
}

// Where a server's name is the beginning of another's, the longer one is meant.
func TestAServersNameMayHaveASlash(t *testing.T) {
	flags, err := parseRules(ToolSettings{Deny: []string{"a/b/c"}}, []string{"a", "a/b"})
	require.NoError(t, err)
	assert.Equal(t, "a/b", flags[0].server)
	assert.Equal(t, "c", flags[0].tool)
}

// Fail closed: what a rule was made for is gone, and whatever has its name now is not that.
func TestARuleThatLostItsToolDeniesAndIsLoggedOnce(t *testing.T) {
	frontEnd := agent.Spec{Name: "deploy", Schema: &jsonschema.Schema{}, FrontEnd: true}
	unknown, tool := agent.Spec{Name: "deploy"}, brought("github", "deploy", "deploy")
	elsewhere := brought("docs", "deploy", "deploy")
	up := []mcp.State{{Server: "docs", Listed: true}, {Server: "github", Listed: true}}
	starting := []mcp.State{{Server: "docs", Listed: true}, {Server: "github"}}
	for _, s := range []ToolSettings{
		{Approve: []string{"github/deploy=never"}}, {Approve: []string{"deploy=always"}},
		{Deny: []string{"github/deploy"}},
	} {
		flags, err := parseRules(s, []string{"docs", "github"})
		require.NoError(t, err)
		var log bytes.Buffer
		r := newRules(flags, slog.New(slog.NewTextHandler(&log, nil)))
		r.update(nil, starting)
		assert.Empty(t, log.String(), "the server may still list it")
		r.update([]agent.Spec{tool}, up)
		assert.Empty(t, log.String())
		denies := len(s.Deny) > 0
		assert.Equal(t, denies, r.deny(t.Context(), tool, nil) != nil)
		for range 3 {
			r.update([]agent.Spec{brought("docs", "read", "read")}, up)
			for _, one := range []agent.Spec{frontEnd, unknown, tool} {
				assert.ErrorContains(t, r.deny(t.Context(), one, nil), "rejected by policy", "%v %v", flags, one)
			}
			r.update([]agent.Spec{tool}, up)
			assert.Equal(t, denies, r.deny(t.Context(), tool, nil) != nil, "it is back")
		}
		assert.Equal(t, 1, strings.Count(log.String(), "a rule matches no tool; calls under its name are rejected"))
		if flags[0].server != "" {
			r.update([]agent.Spec{elsewhere}, up)
			assert.NoError(t, r.deny(t.Context(), elsewhere, nil), "another server's tool is another tool")
		}
	}
}
