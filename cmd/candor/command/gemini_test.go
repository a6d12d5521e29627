package command_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAttachSetsTheCommandThatPassesHooksOn holds for Gemini CLI, and for Qwen Code, which was made of it, that the
// settings get hooks, keep the rest, and lose the hooks again.
func TestAttachSetsTheCommandThatPassesHooksOn(t *testing.T) {
	for agent, untold := range map[string]string{"gemini": "which are a sub-agent's", "qwen": "texts and thoughts"} {
		t.Run(agent, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("GEMINI_CLI_HOME", home)
			t.Setenv("QWEN_HOME", filepath.Join(home, ".qwen"))
			t.Setenv("CANDOR_SERVER", "http://127.0.0.1:8181")
			const mine = "{\n  \"model\": {\n    \"name\": \"mine\"\n  }\n}\n"
			name := filepath.Join(home, "."+agent, "settings.json")
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
			require.NoError(t, os.WriteFile(name, []byte(mine), 0o600))
			out, err := attaching(t, "", agent, "--yes")
			require.NoError(t, err)
			assert.Contains(t, out, untold)
			assert.Contains(t, contentOf(t, name), "hook "+agent+" --server 'http://127.0.0.1:8181'")
			assert.Contains(t, contentOf(t, name), `"name": "mine"`)
			out, err = attaching(t, "", "--list")
			require.NoError(t, err)
			assert.Contains(t, out,
				name+": reports to http://127.0.0.1:8181; does not ask for reasons; no call waits\n")
			_, err = attaching(t, "", agent, "--undo", "--yes")
			require.NoError(t, err)
			assert.Equal(t, mine, contentOf(t, name))
		})
	}
}

// TestAHookOfGeminiIsPassedOnWithItsTurn holds that the command adds to a hook what the session file tells of the turn,
// also for Qwen Code.
func TestAHookOfGeminiIsPassedOnWithItsTurn(t *testing.T) {
	h := startHooks(t)
	h.answer(http.StatusOK, "{}")
	file := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(`{"id":"p1","type":"user","content":"Why?"}`+"\n"), 0o600))
	payload := `{"hook_event_name":"BeforeTool","transcript_path":` + strconv.Quote(file) + `}`
	_, errOut := hooked(t, payload, "gemini")
	assert.Empty(t, errOut)
	_, _ = hooked(t, payload, "claude")
	require.NoError(t, os.WriteFile(file, []byte(`{"uuid":"q1","sessionId":"s","type":"user","message":{"parts":`+
		`[{"text":"Why?"}]}}`+"\n"), 0o600))
	_, _ = hooked(t, strings.Replace(payload, "BeforeTool", "PreToolUse", 1), "qwen")
	require.Len(t, h.posted, 3)
	assert.Contains(t, h.posted[0], `"candor":{"turn":"p1","prompt":"Why?"}`)
	assert.Equal(t, "/api/hooks/claude Bearer ann "+payload, h.posted[1])
	assert.Contains(t, h.posted[2], `"candor":{"turn":"q1","prompt":"Why?"}`)
}
