package command_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A model that may run commands, and an MCP server, must not find the keys in the
// environment of the process that started them.
func TestKeysCannotBeReadFromTheEnvironmentByCommandsAndMCPServers(t *testing.T) {
	apptest.HideProviders(t)
	dir := t.TempDir()
	save := func(name string) string {
		to := filepath.Join(dir, name)
		return "{ tr '\\0' '\\n' </proc/$PPID/environ; env; } >" + to + ".part; mv " + to + ".part " + to
	}
	config, err := json.Marshal(apptest.M{"mcpServers": apptest.M{"nosy": apptest.M{
		"command": "sh", "args": []string{"-c", save("server")}}}})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(file, config, 0o600))
	script := apptest.M{"steps": []apptest.M{{"tool_calls": []apptest.M{
		{"id": "a", "name": "shell", "arguments": apptest.M{"command": save("shell")}}}}, {"text": "done"}}}

	cmd := program.Command(t.Context(), t, "serve", "--addr", "127.0.0.1:0", "--workspace", dir, "--mcp", file,
		"--enable", "shell", "--provider", "script", "--script", apptest.ScriptFile(t, script))
	keys := []string{"provider-key-0001", "other-key-0001", apptest.Token}
	cmd.Env = append(cmd.Env, "OPENAI_API_KEY="+keys[0], "MY_OWN_KEY="+keys[1], "CANDOR_TOKEN="+keys[2])
	var out apptest.LogBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	defer func() {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		assert.NoError(t, cmd.Wait(), out.String())
	}()
	address := regexp.MustCompile(`serves at (http://\S+)`)
	apptest.Eventually(t, "the server runs", func() bool { return address.MatchString(out.String()) })
	approveShell(t, address.FindStringSubmatch(out.String())[1])
	for _, name := range []string{"server", "shell"} {
		var seen []byte
		apptest.Eventually(t, name+" has looked", func() bool {
			seen, err = os.ReadFile(filepath.Join(dir, name))
			return err == nil
		})
		assert.Contains(t, string(seen), "PATH=", "it has an environment of its own")
		for _, key := range keys {
			assert.NotContains(t, string(seen), key, name)
		}
	}
}

// approveShell sends a message to the server and approves the call that it leads to.
func approveShell(t *testing.T, server string) {
	t.Helper()
	call := func(method, path, body string) string {
		req, err := http.NewRequestWithContext(t.Context(), method, server+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+apptest.Token)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		var answer json.RawMessage
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&answer))
		require.Less(t, resp.StatusCode, 300, string(answer))
		return string(answer)
	}
	call(http.MethodPost, "/api/chat/send", `{"content":"look around"}`)
	request := regexp.MustCompile(`"request_id":"([^"]+)"`)
	var asked []string
	apptest.Eventually(t, "the call is asked about", func() bool {
		asked = request.FindStringSubmatch(call(http.MethodGet, "/api/chat/history", ""))
		return asked != nil
	})
	call(http.MethodPost, "/api/chat/approval", `{"request_id":"`+asked[1]+`","action":"approve"}`)
}
