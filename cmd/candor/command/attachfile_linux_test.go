package command_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAFolderInWhichNothingCanBeWrittenIsNamed takes one of the kernel's, where nobody can, and holds that the name of
// the draft, which means nothing to a person, is not in the message.
func TestAFolderInWhichNothingCanBeWrittenIsNamed(t *testing.T) {
	settingsFolder(t, "")
	t.Setenv("CLAUDE_CONFIG_DIR", "/proc/self")
	_, err := attaching(t, "", "claude", "--yes")
	require.ErrorContains(t, err, "/proc/self/settings.json: cannot create a file in the folder /proc/self: ")
	assert.NotContains(t, err.Error(), ".settings-")
}
