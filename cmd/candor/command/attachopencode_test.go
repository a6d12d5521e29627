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
	assert.Contains(t, out, "What the plugin does not report")
	assert.NotContains(t, contentOf(t, name), "SERVER")
	out, err = attaching(t, "", "--list")
	require.NoError(t, err)
	assert.Contains(t, out, name+": reports to http://127.0.0.1:8181; no call waits\n")
	assert.NotContains(t, out, "wait for an answer")
	out, err = attaching(t, "", "opencode", "--undo", "--yes")
	require.NoError(t, err)
	assert.Equal(t, "Removed "+name+", which attach had created. Running sessions use it until they end.\n",
		out)
	assert.NoFileExists(t, name)
	require.NoError(t, os.WriteFile(name, nil, 0o600))
	_, err = attaching(t, "", "opencode", "--undo", "--yes")
	require.NoError(t, err)
	assert.FileExists(t, name, "it is somebody else's")
	require.NoError(t, os.WriteFile(name, []byte("export const Mine = 1\n"), 0o600))
	_, err = attaching(t, "y\n", "opencode")
	require.ErrorContains(t, err, "is not Candor's plugin")
	assert.Equal(t, "export const Mine = 1\n", contentOf(t, name))
}

// TestAttachLetsCallsOfOpenCodeWait holds that --approve writes another plugin in the same place, that its user reads
// what an approval means, and that the flags of attach mean the same with it.
func TestAttachLetsCallsOfOpenCodeWait(t *testing.T) {
	settingsFolder(t, "")
	dir := t.TempDir()
	t.Setenv("OPENCODE_CONFIG_DIR", dir)
	name := filepath.Join(dir, "plugin", "candor.js")
	out, err := attaching(t, "", "opencode", "--approve", "--dry-run")
	require.NoError(t, err)
	assert.Contains(t, out, "tool.execute.before")
	assert.NoFileExists(t, name)
	_, err = attaching(t, "", "opencode", "--yes")
	require.NoError(t, err)
	plain := contentOf(t, name)
	out, err = attaching(t, "", "opencode", "--approve", "--yes")
	require.NoError(t, err)
	assert.Contains(t, out, "Calls of all tools except those that read, search or plan\nwait for an answer")
	assert.Contains(t, out, "can only deny a call")
	assert.Contains(t, contentOf(t, name), "/api/hooks/opencode/ask")
	out, err = attaching(t, "", "opencode", "--approve=bash,notes_.*", "--yes")
	require.NoError(t, err)
	assert.Contains(t, out, "Calls of bash, notes_.*\nwait for an answer")
	assert.Contains(t, contentOf(t, name), `new RegExp("^(?:bash|notes_.*)$")`)
	out, err = attaching(t, "", "opencode", "--approve=bash,notes_.*", "--yes")
	require.NoError(t, err)
	assert.Contains(t, out, "nothing was changed")
	out, err = attaching(t, "", "--list")
	require.NoError(t, err)
	assert.Contains(t, out, name+": reports to http://127.0.0.1:8181; calls wait for approval\n")
	_, err = attaching(t, "", "opencode", "--yes")
	require.NoError(t, err)
	assert.Equal(t, plain, contentOf(t, name), "attaching without the flag ends it")
	project := t.TempDir()
	_, err = attaching(t, "", "opencode", "--approve", "--project", project, "--yes")
	require.NoError(t, err)
	theirs := filepath.Join(project, ".opencode", "plugin", "candor.js")
	assert.Contains(t, contentOf(t, theirs), "/api/hooks/opencode/ask")
	_, err = attaching(t, "", "opencode", "--project", project, "--undo", "--yes")
	require.NoError(t, err)
	assert.NoFileExists(t, theirs)
}
