package command_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAttachGeminiSetsTheCommandThatPassesItsHooksOn holds that the settings get hooks, keep the rest, and lose the
// hooks again.
func TestAttachGeminiSetsTheCommandThatPassesItsHooksOn(t *testing.T) {
	t.Setenv("GEMINI_CLI_HOME", t.TempDir())
	t.Setenv("CANDOR_SERVER", "http://127.0.0.1:8181")
	const mine = "{\n  \"model\": {\n    \"name\": \"mine\"\n  }\n}\n"
	name := filepath.Join(os.Getenv("GEMINI_CLI_HOME"), ".gemini", "settings.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, os.WriteFile(name, []byte(mine), 0o600))
	out, err := attaching(t, "", "gemini", "--yes")
	require.NoError(t, err)
	assert.Contains(t, out, "which are a sub-agent's")
	assert.Contains(t, contentOf(t, name), "hook gemini --server 'http://127.0.0.1:8181'")
	assert.Contains(t, contentOf(t, name), `"name": "mine"`)
	out, err = attaching(t, "", "--list")
	require.NoError(t, err)
	assert.Contains(t, out, name+": reports to http://127.0.0.1:8181; does not ask for reasons; no call waits\n")
	_, err = attaching(t, "", "gemini", "--undo", "--yes")
	require.NoError(t, err)
	assert.Equal(t, mine, contentOf(t, name))
}

// TestAHookOfGeminiIsPassedOnWithItsTurn holds that the command adds to a hook what the session file tells of the turn.
func TestAHookOfGeminiIsPassedOnWithItsTurn(t *testing.T) {
	h := startHooks(t)
	h.answer(http.StatusOK, "{}")
	file := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(`{"id":"p1","type":"user","content":"Why?"}`+"\n"), 0o600))
	payload := `{"hook_event_name":"BeforeTool","transcript_path":` + strconv.Quote(file) + `}`
	_, errOut := hooked(t, payload, "gemini")
	assert.Empty(t, errOut)
	_, _ = hooked(t, payload, "claude")
	require.Len(t, h.posted, 2)
	assert.Contains(t, h.posted[0], `"candor":{"turn":"p1","prompt":"Why?"}`)
	assert.Equal(t, "/api/hooks/claude Bearer ann "+payload, h.posted[1])
}
