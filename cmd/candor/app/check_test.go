package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
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

// The tools of MCP servers count as existing, under the names that the model knows.
func TestToolsOfMCPServersCanBeDeniedAndApproved(t *testing.T) {
	up := mcpServer(t, "look_up", "search")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, tt := range []struct {
		name, deny, approve string
		servers             []string
		fails, warns        string
	}{
		{"a tool of a server", "look_up", "search=ask", []string{up}, "", ""},
		{"a tool that no server has", "lookup", "search=ask", []string{up},
			`--deny: there is no tool "lookup"; take file_list, file_read, file_search, http_get, look_up, `, ""},
		{"a tool that may be of a server that is down", "lookup", "search=ask", []string{up, gone.URL}, "",
			"tool=lookup servers=[two]"},
		{"a tool that two servers have", "search", "look_up=ask", []string{up, mcpServer(t, "search")},
			`--deny: there is no tool "search"; take file_list, file_read, file_search, http_get, look_up, ` +
				"memory_save, memory_search, one__search, shell, time, two__search", ""},
		{"one of the two", "one__search", "look_up=ask", []string{up, mcpServer(t, "search")}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := offlineSettings(t)
			s.Tools.Deny, s.Tools.Approve = []string{tt.deny}, []string{tt.approve}
			s.Tools.MCPConfig = mcpConfig(t, tt.servers...)
			var log bytes.Buffer
			_, closeAgent, err := NewAgent(s, safety.NewLayer(), slog.New(slog.NewTextHandler(&log, nil)))
			if err == nil {
				closeAgent() // it ends the supervisors, which log, and the connections to the test's servers
			}
			if tt.fails != "" {
				require.ErrorContains(t, err, tt.fails)
				return
			}
			require.NoError(t, err)
			assert.Contains(t, log.String(), tt.warns)
			assert.Equal(t, tt.warns != "", bytes.Contains(log.Bytes(), []byte("no tool has this name yet")))
		})
	}
}

// namedTools are tools of which only the names matter.
func namedTools(names ...string) []agent.Tool {
	var all []agent.Tool
	for _, name := range names {
		all = append(all, agent.Delegate{Name: name, Description: "d", Agent: &agent.Dispatcher{}})
	}
	return all
}

// A second server that brings a tool of a denied name renames the first one's. The agent
// keeps the tools it has, because the flag would hold for neither.
func TestADeniedToolKeepsItsName(t *testing.T) {
	for _, flags := range []ToolSettings{{Deny: []string{"search"}}, {Approve: []string{"search=ask"}}} {
		var one team
		d, err := one.add(model{name: "m"}, flags, safety.NewLayer(), slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		require.NoError(t, one.reequip(flags, namedTools("search", "time")))
		for _, renamed := range []string{"one__search", "one__search_1a2b3c4d"} {
			err = one.reequip(flags, namedTools(renamed, "time"))
			require.ErrorContains(t, err, fmt.Sprintf("search would not hold for %s", renamed))
			assert.Equal(t, []string{"search", "time"}, d.Tools.Names())
		}
		require.NoError(t, one.reequip(flags, namedTools("search", "two__search")))
		require.NoError(t, one.reequip(flags, namedTools("time", "research")), "its server no longer has the tool")
		assert.Equal(t, []string{"research", "time"}, d.Tools.Names())
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
	require.ErrorContains(t, err, `there is no tool "delegate"; take clock, file_list, file_read, `)
}
