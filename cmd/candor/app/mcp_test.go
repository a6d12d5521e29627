package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// described adds a tool that answers with its server's name.
func described(s *sdk.Server, server, tool, description string) {
	s.AddTool(&sdk.Tool{Name: tool, Description: description, InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: server + " did it"}}}, nil
		})
}

// mcpServers are MCP servers over HTTP, by name.
type mcpServers map[string]*sdk.Server

// add adds a server with one tool.
func (m mcpServers) add(name, tool, description string) mcpServers {
	m[name] = sdk.NewServer(&sdk.Implementation{Name: name, Version: "1"}, nil)
	described(m[name], name, tool, description)
	return m
}

// config serves them until the test ends, and writes their configuration, with further entries.
func (m mcpServers) config(t *testing.T, further apptest.M) string {
	t.Helper()
	entries := apptest.M{}
	for name, s := range m {
		srv := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
		t.Cleanup(srv.Close)
		entries[name] = apptest.M{"url": srv.URL}
	}
	for name, entry := range further {
		entries[name] = entry
	}
	file := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(file, apptest.JSON(t, apptest.M{"mcpServers": entries}), 0o600))
	return file
}

// calling is a script that calls these tools at once and answers.
func calling(tools ...string) apptest.M {
	var calls []apptest.M
	for i, name := range tools {
		calls = append(calls, apptest.M{
			"id": fmt.Sprint(i), "name": name, "arguments": apptest.M{}, "rationale": "because",
		})
	}
	return apptest.M{"steps": []apptest.M{{"tool_calls": calls}, {"text": "done"}}}
}

// awaitOffer waits until the agent's tools are those that a text is part of.
func awaitOffer(t *testing.T, s *apptest.Server, text string) {
	t.Helper()
	apptest.Eventually(t, text, func() bool { return strings.Contains(s.Get("ann", "/agui/capabilities").Body, text) })
}

// Two servers offer a tool of one name. Every form of a rule holds for the tools that it is about.
func TestRulesHoldForTheToolsOfTwoServers(t *testing.T) {
	const rejected = "rejected by policy: this tool is not allowed here"
	for _, tt := range []struct {
		deny         string
		github, docs bool // whether they run
	}{
		{"deploy", false, false}, {"github/deploy", false, true}, {"docs/deploy", true, false},
		{"github__deploy", false, true}, {"docs__deploy", true, false},
	} {
		t.Run(tt.deny, func(t *testing.T) {
			servers := mcpServers{}.add("github", "deploy", "It deploys.").add("docs", "deploy", "It deploys.")
			s := apptest.Start(t, app.Settings{Tools: app.ToolSettings{
				MCPConfig: servers.config(t, nil), AwaitMCP: true, Deny: []string{tt.deny},
			}}, calling("github__deploy", "docs__deploy"))
			thread, _ := s.Begin("ann")
			s.RunTurns("ann", thread, 1)
			history := s.Get("ann", "/api/chat/history").Body
			assert.Equal(t, tt.github, strings.Contains(history, "github did it"))
			assert.Equal(t, tt.docs, strings.Contains(history, "docs did it"))
			assert.Contains(t, history, rejected)
		})
	}
	for rule, asked := range map[string]int{"deploy=always": 2, "github/deploy=always": 1, "docs__deploy=ask": 1} {
		t.Run(rule, func(t *testing.T) {
			servers := mcpServers{}.add("github", "deploy", "It deploys.").add("docs", "deploy", "It deploys.")
			s := apptest.Start(t, app.Settings{Tools: app.ToolSettings{
				MCPConfig: servers.config(t, nil), AwaitMCP: true, Approve: []string{rule},
			}}, calling("github__deploy", "docs__deploy"))
			thread, origin := s.Begin("ann")
			c, err := s.Subscribe(t.Context(), "ann", origin, "")
			require.NoError(t, err)
			defer c.Body.Close()
			s.Send("ann", thread, "go")
			for range asked {
				c.Until(t, "approval_needed")
			}
			open := s.Get("ann", "/api/chat/history").JSON()["pending_approvals"].([]any)
			assert.Len(t, open, asked)
		})
	}
}

// A second server joins later and takes the name away. What was denied stays denied.
func TestARuleHoldsWhenASecondServerJoins(t *testing.T) {
	servers := mcpServers{}.add("github", "deploy", "It deploys.").add("docs", "read", "It reads.")
	s := apptest.Start(t, app.Settings{Tools: app.ToolSettings{
		MCPConfig: servers.config(t, nil), AwaitMCP: true, Deny: []string{"deploy"},
	}}, calling("deploy", "github__deploy", "docs__deploy"))
	described(servers["docs"], "docs", "deploy", "It deploys.")
	awaitOffer(t, s, "docs__deploy")
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	history := s.Get("ann", "/api/chat/history").Body
	assert.NotContains(t, history, "did it")
	assert.Equal(t, 3, strings.Count(history, `"outcome":"rejected"`))
}

// "Always" was given to what a tool was. Its server describes it in another way, and a person is asked again.
func TestAlwaysEndsWhenAServerChangesItsTool(t *testing.T) {
	servers := mcpServers{}.add("github", "deploy", "It shows what would be deployed.")
	s := apptest.Start(t, app.Settings{Tools: app.ToolSettings{
		MCPConfig: servers.config(t, nil), AwaitMCP: true, Approve: []string{"deploy=ask"},
	}}, calling("deploy"))
	thread, origin := s.Begin("ann")
	c, err := s.Subscribe(t.Context(), "ann", origin, "")
	require.NoError(t, err)
	defer c.Body.Close()
	s.Send("ann", thread, "go")
	asked := c.Until(t, "approval_needed")
	request := apptest.Decode(t, []byte(asked[len(asked)-1].Data))["request_id"]
	answer := s.Post("ann", "/api/chat/approval", fmt.Sprintf(`{"request_id":%q,"action":"always"}`, request))
	require.Equal(t, http.StatusAccepted, answer.Status, answer.Body)
	c.Until(t, "response")

	s.Send("ann", thread, "again")
	for _, frame := range c.Until(t, "response") {
		assert.NotEqual(t, "approval_needed", frame.Event, "it was approved for the rest of the session")
	}
	described(servers["github"], "github", "deploy", "It deletes everything.")
	awaitOffer(t, s, "deletes")
	s.Send("ann", thread, "and again")
	c.Until(t, "approval_needed")
}

// One server never answers, one prints a banner, one lists tools without end. Candor is up at once,
// and those that answer join.
func TestServeStartsWithServersThatMisbehave(t *testing.T) {
	over := make(chan struct{})
	mute := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(mute.Close)
	defer close(over)
	servers := mcpServers{}.add("good", "look", "It looks.").add("endless", "same", "It is one of many.")
	servers["endless"].AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			list, ok := r.GetParams().(*sdk.ListToolsParams)
			if !ok {
				return next(ctx, method, r)
			}
			same := &sdk.Tool{Name: "same", InputSchema: json.RawMessage(`{"type":"object"}`)}
			return &sdk.ListToolsResult{Tools: []*sdk.Tool{same, same}, NextCursor: list.Cursor + "x"}, nil
		}
	})
	file := servers.config(t, apptest.M{
		"mute":   apptest.M{"url": mute.URL},
		"banner": apptest.M{"command": "sh", "args": []string{"-c", "echo Welcome; while read -r _; do :; done"}},
	})
	s := apptest.Start(t, app.Settings{Tools: app.ToolSettings{MCPConfig: file}}, nil)
	apptest.Eventually(t, "what the servers offer", func() bool {
		tools := s.Get("ann", "/agui/capabilities").Body
		return strings.Contains(tools, "look") && strings.Contains(tools, "same") &&
			strings.Contains(s.Logs.String(), "is skipped")
	})
	assert.Equal(t, []any{
		map[string]any{"name": "banner", "state": "starting", "tools": 0.0},
		map[string]any{"name": "endless", "state": "up", "tools": 1.0},
		map[string]any{"name": "good", "state": "up", "tools": 1.0},
		map[string]any{"name": "mute", "state": "starting", "tools": 0.0},
	}, s.Get("bob", "/api/gateway/status").JSON()["mcp_servers"])
	assert.Less(t, strings.Count(s.Logs.String(), "MCP server"), 12, s.Logs.String())
}

// A server that never answers a call holds up a turn for the time of the flag, or for its own.
func TestASlowCallIsCutAtItsLimit(t *testing.T) {
	servers := mcpServers{}.add("fast", "look", "It looks.")
	mute := servers["fast"]
	mute.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if method == "tools/call" {
				<-ctx.Done()
			}
			return next(ctx, method, r)
		}
	})
	srv := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mute }, nil))
	t.Cleanup(srv.Close)
	file := servers.config(t, apptest.M{"slow": apptest.M{"url": srv.URL, "callTimeout": "70ms"}})
	s := apptest.Start(t, app.Settings{Tools: app.ToolSettings{
		MCPConfig: file, AwaitMCP: true, MCPTimeout: 50 * time.Millisecond,
	}}, calling("fast__look", "slow__look"))
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	history := s.Get("ann", "/api/chat/history").Body
	assert.Contains(t, history, `the MCP server \"fast\" gave no answer within 50ms`)
	assert.Contains(t, history, `the MCP server \"slow\" gave no answer within 70ms`)
}

// What a server calls itself and its tools is hostile text, in whatever place it is shown.
func TestNoSecretInAnMCPServersWordsIsShown(t *testing.T) {
	secret := "ghp_" + strings.Repeat("aB3dE6gH", 4) + "4Qz9"
	servers := mcpServers{}.add("srv-"+secret, "send_"+secret, "Send "+secret+" along.")
	described(servers["srv-"+secret], "it", "plain", "A plain one, with "+secret)
	s := apptest.Start(t, app.Settings{Tools: app.ToolSettings{
		MCPConfig: servers.config(t, nil), AwaitMCP: true,
	}}, calling("plain", "plain"))
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	capable := s.Get("bob", "/agui/capabilities").Body
	assert.Contains(t, capable, "A plain one, with [REDACTED:")
	for where, shown := range map[string]string{
		"capabilities": capable, "status": s.Get("bob", "/api/gateway/status").Body,
		"metrics": s.Get("bob", "/metrics").Body, "log": s.Logs.String(),
		"history": s.Get("ann", "/api/chat/history").Body,
	} {
		assert.NotContains(t, shown, secret, where)
	}
}
