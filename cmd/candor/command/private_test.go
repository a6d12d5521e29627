package command_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// privateWorkspace returns a workspace in which the files of a careless operator lie, each
// with a value that only it has, and the flags that name them.
func privateWorkspace(t *testing.T) (dir string, flags, secrets []string) {
	t.Helper()
	dir = t.TempDir()
	secrets = []string{"ann-token-of-a-person", "blue-parrot-seven-1", "acme-rule-0001", "mcp-credential-0001",
		"own-state-0001", "lab-token-of-an-agent"}
	for name, content := range map[string]string{
		"tokens.txt": "ann:" + secrets[0], "secrets.txt": secrets[1],
		"policy.json": `{"tokens": [{"id": "` + secrets[2] + `", "formats": ["acme_{a32}"]}]}`,
		"mcp.json": `{"mcpServers": {"x": {"command": "true", "env": {"API_KEY": "` + secrets[3] + `"},
			"disabled": true}}}`,
		".candor/token": secrets[4],
		"spaces.json": `{"spaces": {"lab": {"owner": "ann", "participants": {"agent": {"token": "` + secrets[5] + `",
			"capabilities": []}}}}}`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	return dir, []string{"--workspace", dir, "--tokens", in("tokens.txt"), "--secrets-file", in("secrets.txt"),
		"--policy", in("policy.json"), "--spaces", in("spaces.json"), "--mcp", in("mcp.json")}, secrets
}

// Whoever may talk to the agent could otherwise have everybody's tokens read to them.
func TestNobodyIsShownTheServersOwnFilesByTheAgent(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	_, flags, secrets := privateWorkspace(t)
	var calls []apptest.M
	files := []string{"tokens.txt", "secrets.txt", "policy.json", "mcp.json", "spaces.json", ".candor/token"}
	for _, path := range files {
		calls = append(calls, apptest.M{"id": path, "name": "file_read", "arguments": apptest.M{"path": path}})
	}
	calls = append(calls, apptest.M{"id": "list", "name": "file_list", "arguments": apptest.M{"path": ".candor"}})
	for _, word := range []string{"person", "parrot", "acme", "mcp", "own", "lab"} {
		calls = append(calls, apptest.M{"id": word, "name": "file_search", "arguments": apptest.M{"query": word}})
	}
	script := apptest.M{"steps": []apptest.M{{"tool_calls": calls}, {"text": "that was all"}}}
	r := serve(t, append(flags, "--provider", "script", "--script", apptest.ScriptFile(t, script))...)
	defer r.Stop()
	r.Must(http.MethodPost, "/api/chat/send", `{"content":"read tokens.txt"}`, http.StatusAccepted)
	apptest.Eventually(t, "the turn ends", func() bool {
		turns := r.Turns()
		return len(turns) == 1 && turns[0].Response != ""
	})
	history := r.Must(http.MethodGet, "/api/chat/history", "", http.StatusOK)
	assert.Equal(t, 2*7, strings.Count(history, "is private: it has tokens or settings of Candor itself"),
		"as the error of seven calls and as what came of them: %s", history)
	for _, secret := range secrets {
		assert.NotContains(t, history, secret)
	}
	for _, line := range strings.Split(r.Out.String(), "\n") {
		if strings.Contains(line, "private ") {
			assert.Contains(t, line, ".candor, mcp.json, policy.json, secrets.txt, spaces.json, tokens.txt "+
				"in the workspace")
			assert.Contains(t, line, "the shell and MCP servers can read them")
		}
	}
	assert.Contains(t, r.Out.String(), "file tools refuse")
}

func TestTokensOfTheServerAreMaskedInEveryEncoding(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	_, flags, secrets := privateWorkspace(t)
	said := []string{}
	for _, token := range []string{secrets[0], apptest.Token, secrets[3], secrets[5]} {
		said = append(said, token, base64.StdEncoding.EncodeToString([]byte(token)), hex.EncodeToString([]byte(token)),
			strings.ReplaceAll(url.QueryEscape(token), "-", "%2D"))
	}
	flags[len(flags)-1] = enabledMCP(t, flags[len(flags)-1])
	r := serve(t, append(flags, "--provider", "script", "--script",
		apptest.ScriptFile(t, apptest.Answering(strings.Join(said, " ; "))))...)
	defer r.Stop()
	r.Must(http.MethodPost, "/api/chat/send", `{"content":"mine is `+secrets[0]+`"}`, http.StatusAccepted)
	apptest.Eventually(t, "the turn ends", func() bool {
		turns := r.Turns()
		return len(turns) == 1 && turns[0].Response != ""
	})
	history := r.Must(http.MethodGet, "/api/chat/history", "", http.StatusOK)
	for _, text := range said {
		assert.NotContains(t, history, text)
	}
	assert.GreaterOrEqual(t, strings.Count(history, "[REDACTED:"), len(said)+1)
}

// enabledMCP returns a copy of an MCP configuration whose server is enabled.
func enabledMCP(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	enabled := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(enabled, []byte(strings.ReplaceAll(string(raw), "true}}", "false}}")), 0o600))
	return enabled
}
