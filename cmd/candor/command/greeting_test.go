package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/terminal"
)

func TestAConversationSaysWhichPrivateFilesItsWorkspaceHas(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".candor"), 0o700))
	secrets := filepath.Join(dir, "secrets.txt")
	require.NoError(t, os.WriteFile(secrets, []byte("blue-parrot-7"), 0o600))
	greeted := func(s app.Settings) string {
		var r terminal.REPL
		s.Model.Provider = "offline"
		disconnect, err := chatSettings{Settings: s}.openInProcess(&r)
		require.NoError(t, err)
		disconnect()
		return strings.Join(r.Greeting, "\n")
	}
	s := app.Settings{Tools: app.ToolSettings{Workspace: dir}, Safety: app.SafetySettings{SecretsFile: secrets}}
	assert.Contains(t, greeted(s), "file tools refuse .candor, secrets.txt in the workspace")
	assert.NotContains(t, greeted(s), "keep them outside", "nothing is to be done where nothing reaches them")
	s.Tools.Enable = []string{"shell"}
	assert.Contains(t, greeted(s), "the shell and MCP servers can read them, so keep them outside of it")
	elsewhere := app.Settings{Tools: app.ToolSettings{Workspace: t.TempDir()}, Safety: s.Safety}
	assert.NotContains(t, greeted(elsewhere), "file tools refuse")
}
