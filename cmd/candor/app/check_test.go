package app

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"candor/safety"
)

// mcpServer returns the address of an MCP server that offers tools of these names.
func mcpServer(t *testing.T, tools ...string) string {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "docs", Version: "1"}, nil)
	for _, name := range tools {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	}
	srv := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(srv.Close)
	return srv.URL
}

// mcpConfig writes a configuration of the servers at these addresses: one, two and so on.
func mcpConfig(t *testing.T, addresses ...string) string {
	t.Helper()
	servers := map[string]any{}
	for i, url := range addresses {
		servers[[]string{"one", "two"}[i]] = map[string]any{"type": "http", "url": url}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": servers})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(file, raw, 0o600))
	return file
}

// The tools of MCP servers count as existing, under every name that a model may know them by.
func TestToolsOfMCPServersCanBeDeniedAndApproved(t *testing.T) {
	up := mcpServer(t, "look_up", "search")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, tt := range []struct {
		name, deny, approve string
		servers             []string
		fails               string
	}{
		{"a tool of a server", "look_up", "search=ask", []string{up}, ""},
		{"a tool that no server has", "lookup", "search=ask", []string{up},
			`--deny: there is no tool "lookup"; take decide, file_list, file_read, file_search, http_get, look_up, `},
		{"a tool that may be of a server that is down", "lookup", "search=ask", []string{up, gone.URL}, ""},
		{"a tool that two servers have", "search", "look_up=ask", []string{up, mcpServer(t, "search")}, ""},
		{"one of the two", "one__search", "two/search=ask", []string{up, mcpServer(t, "search")}, ""},
		{"a tool that its server does not have", "two/look_up", "look_up=ask", []string{up, mcpServer(t, "search")},
			`--deny: there is no tool "two/look_up"; take `},
		{"a tool of a server that is down", "two/lookup", "search=ask", []string{up, gone.URL}, ""},
		{"a server that nobody configured", "three/search", "search=ask", []string{up, gone.URL},
			"--deny three/search: there is no such MCP server or tool; the servers are one, two"},
		{"no tool of a server", "one/", "search=ask", []string{up, gone.URL}, "--deny one/: there is no such MCP"},
		{"a server although there are none", "one/search", "time=ask", nil,
			"--deny one/search: there are no MCP servers; configure them with --mcp"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := offlineSettings(t)
			s.Tools.Deny, s.Tools.Approve = []string{tt.deny}, []string{tt.approve}
			if len(tt.servers) > 0 {
				s.Tools.MCPConfig, s.Tools.AwaitMCP = mcpConfig(t, tt.servers...), true
			}
			_, closeAgent, err := NewAgent(s, safety.NewLayer(), quiet)
			if err == nil {
				closeAgent() // it ends the supervisors, which log, and the connections to the test's servers
			}
			if tt.fails != "" {
				require.ErrorContains(t, err, tt.fails)
				return
			}
			require.NoError(t, err)
		})
	}
}

func TestTheAgentsOfAScriptCanBeDenied(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"steps":[{"text":"hi"}],"tools":{"clock":{"result":1}},
		"agents":{"helper":{"steps":[{"text":"hi"}],"tools":{"probe":{"result":1}}}}}`), 0o600))
	s := offlineSettings(t)
	s.Model = ModelSettings{Provider: "script", Script: file}
	s.Tools.Deny = []string{"clock", "helper", "probe", "time", "shell"}
	newTestAgent(t, s)
	s.Tools.Deny = []string{"delegate"}
	_, _, err := NewAgent(s, safety.NewLayer(), slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, `there is no tool "delegate"; take clock, decide, file_list, file_read, `)
}
