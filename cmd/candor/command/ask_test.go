package command_test

import (
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
)

// TestAnAgentAsksThroughTheCommand starts candor mcp as MCP clients do and asks it.
func TestAnAgentAsksThroughTheCommand(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.M{"steps": []apptest.M{
		{"tool_calls": []apptest.M{
			{"id": "c1", "name": "clock", "rationale": "You want the time.", "arguments": apptest.M{}}}},
		{"text": "Noon."},
	}, "tools": apptest.M{"clock": apptest.M{"result": "12:00"}}})
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	cmd := program.Command(t.Context(), t, "mcp", "--server", s.URL)
	cmd.Env = append(cmd.Environ(), "CANDOR_TOKEN="+apptest.TokenOf("ann"))
	why := ask(t, cmd, "why", apptest.M{"thread_id": thread})
	assert.Contains(t, why, "You want the time.")
}

// ask starts an MCP server, calls one of its tools, and ends it.
func ask(t *testing.T, cmd *exec.Cmd, tool string, arguments apptest.M) string {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(t, err)
	require.NoError(t, c.Close(), "it ends with its standard input, without an error")
	return r.Content[0].(*mcp.TextContent).Text
}

func TestAskingNeedsAToken(t *testing.T) {
	t.Chdir(t.TempDir())
	cmd := program.Command(t.Context(), t, "mcp")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "a token is needed")
}

// TestAWrongTokenIsSaidAsThePersonSetsIt holds that an agent beside the command is not told of headers.
func TestAWrongTokenIsSaidAsThePersonSetsIt(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	cmd := program.Command(t.Context(), t, "mcp", "--server", s.URL)
	cmd.Env = append(cmd.Environ(), "CANDOR_TOKEN="+apptest.TokenOf("nobody"))
	text := ask(t, cmd, "recent_decisions", apptest.M{})
	assert.Contains(t, text, "the server does not know this token: set CANDOR_TOKEN")
	assert.NotContains(t, text, "Bearer")
}
