package command_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestThePluginOfOpenCodeIsAFileThatIsOursAlone holds that it comes and goes as a whole, and that nobody else's does.
func TestThePluginOfOpenCodeIsAFileThatIsOursAlone(t *testing.T) {
	settingsFolder(t, "")
	dir := t.TempDir()
	t.Setenv("OPENCODE_CONFIG_DIR", dir)
	name := filepath.Join(dir, "plugin", "candor.js")
	out, err := attaching(t, "", "opencode", "--dry-run")
	require.NoError(t, err)
	assert.Contains(t, out, `const server = "http://127.0.0.1:8181"`)
	assert.NoFileExists(t, name)
	out, err = attaching(t, "y\n", "opencode")
	require.NoError(t, err)
	assert.Contains(t, out, "What the plugin cannot tell")
	assert.NotContains(t, contentOf(t, name), "SERVER")
	out, err = attaching(t, "", "--list")
	require.NoError(t, err)
	assert.Contains(t, out, name+": reports to http://127.0.0.1:8181\n")
	_, err = attaching(t, "", "opencode", "--undo", "--yes")
	require.NoError(t, err)
	assert.NoFileExists(t, name)
	require.NoError(t, os.WriteFile(name, []byte("export const Mine = 1\n"), 0o600))
	_, err = attaching(t, "y\n", "opencode")
	require.ErrorContains(t, err, "is not Candor's plugin")
	assert.Equal(t, "export const Mine = 1\n", contentOf(t, name))
}
