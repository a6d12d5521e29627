package command_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// agentFolders gives each program that attach knows a folder of its own.
func agentFolders(t *testing.T) {
	t.Helper()
	settingsFolder(t, "")
	t.Setenv("CODEX_HOME", t.TempDir())
	t.Setenv("GEMINI_CLI_HOME", t.TempDir())
	t.Setenv("OPENCODE_CONFIG_DIR", t.TempDir())
	t.Setenv("QWEN_HOME", t.TempDir())
}

// TestADryRunSaysThatNothingWouldChange holds that it says the same as the command itself, for each program.
func TestADryRunSaysThatNothingWouldChange(t *testing.T) {
	agentFolders(t)
	for _, agent := range []string{"claude", "codex", "gemini", "opencode", "qwen"} {
		_, err := attaching(t, "", agent, "--yes")
		require.NoError(t, err)
		out, err := attaching(t, "", agent, "--dry-run")
		require.NoError(t, err)
		assert.Contains(t, out, " is up to date: nothing was changed.\n", agent)
		assert.NotContains(t, out, "would change", agent)
		_, err = attaching(t, "", agent, "--undo", "--yes")
		require.NoError(t, err)
		out, err = attaching(t, "", agent, "--undo", "--dry-run")
		require.NoError(t, err)
		assert.Contains(t, out, " has no hooks of Candor: nothing was changed.\n", agent)
		assert.NotContains(t, out, "would change", agent)
	}
}

// TestTheListGoesOnBehindAFileThatCannotBeRead holds it for one that is a folder, which nobody can read.
func TestTheListGoesOnBehindAFileThatCannotBeRead(t *testing.T) {
	agentFolders(t)
	name := filepath.Join(os.Getenv("CLAUDE_CONFIG_DIR"), "settings.json")
	require.NoError(t, os.Mkdir(name, 0o700))
	_, err := attaching(t, "", "opencode", "--approve=bash", "--yes")
	require.NoError(t, err)
	out, err := attaching(t, "", "--list")
	require.NoError(t, err)
	assert.Contains(t, out, name+": cannot be read: it is not a regular file, so that candor leaves it alone\n")
	assert.Contains(t, out, "candor.js: reports to http://127.0.0.1:8181; calls wait for approval\n")
	assert.Contains(t, out, "Could not ask the server", "the rest of the list")
}

// TestTheListTakesTheTokenOfAFile holds that the advice to name a file can be followed.
func TestTheListTakesTheTokenOfAFile(t *testing.T) {
	agentFolders(t)
	s := apptest.Start(t, app.Settings{}, nil)
	t.Setenv("CANDOR_TOKEN", "") // the folder of this package has no token either
	out, err := attaching(t, "", "--list", "--server", s.HTTP.URL)
	require.NoError(t, err)
	assert.Contains(t, out, "name a file with --token-file")
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte(apptest.TokenOf("ann")+"\n"), 0o600))
	out, err = attaching(t, "", "--list", "--server", s.HTTP.URL, "--token-file", token)
	require.NoError(t, err)
	assert.Contains(t, out, "none yet")

	out, err = attaching(t, "", "claude", "--yes", "--token-file", token)
	require.NoError(t, err)
	assert.Contains(t, out, `export CANDOR_TOKEN="$(cat '`+token+`')"`, "what is left to do names the same file")
}
