package codex_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/codex"
)

// TestSettingsRunACommandAndKeepWhatIsThere attaches, for paths that a shell would take apart, and detaches with the
// program of another folder: an entry is told by its arguments, wherever the program stood then.
func TestSettingsRunACommandAndKeepWhatIsThere(t *testing.T) {
	const before = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n" +
		"            \"type\": \"command\",\n            \"command\": \"say done\"\n          }\n        ]\n" +
		"      }\n    ]\n  }\n}\n"
	for _, candor := range []string{"/opt/candor", "/home/ann's files/candor"} {
		hooks := codex.Settings(candor)
		after, err := hooks.Attach([]byte(before), "http://127.0.0.1:8080/")
		require.NoError(t, err)
		assert.Equal(t, 7, strings.Count(string(after), ` hook codex --server 'http://127.0.0.1:8080'"`))
		assert.Equal(t, 2, strings.Count(string(after), `"matcher": "*"`))
		assert.Contains(t, string(after), "say done")
		server, err := hooks.AttachedTo(after)
		require.NoError(t, err)
		assert.Equal(t, "http://127.0.0.1:8080", server)
		detached, err := codex.Settings("/elsewhere/candor").Detach(after)
		require.NoError(t, err)
		assert.Equal(t, before, string(detached))
	}
	after, err := codex.Settings("/home/ann's files/candor").Attach(nil, "http://127.0.0.1:8080")
	require.NoError(t, err)
	assert.Contains(t, string(after), `"command": "'/home/ann'\\''s files/candor' hook codex`)
}
