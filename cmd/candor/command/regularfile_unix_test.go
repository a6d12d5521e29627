//go:build unix

package command_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"
)

// TestAttachLeavesAloneWhatIsNoRegularFile holds it for a pipe, on which nobody may wait, and a device, also behind a
// link; the superuser could replace either.
func TestAttachLeavesAloneWhatIsNoRegularFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, target := range []string{pipe, os.DevNull} {
		name := settingsFolder(t, "")
		require.NoError(t, os.Symlink(target, name))
		before, err := os.Lstat(target)
		require.NoError(t, err)
		for _, args := range []string{"claude --yes", "claude --yes --undo", "claude --dry-run"} {
			_, err := attaching(t, "y\n", strings.Fields(args)...)
			require.ErrorContains(t, err, "not a regular file")
		}
		out, err := attaching(t, "", "--list")
		require.NoError(t, err)
		assert.Contains(t, out, "cannot be read: it is not a regular file")
		after, err := os.Lstat(target)
		require.NoError(t, err)
		assert.True(t, os.SameFile(before, after))
		assert.Equal(t, before.Mode(), after.Mode())
	}
}

// TestAttachLeavesFilesOfOthersAlone takes a file of another user, which only the superuser can make.
func TestAttachLeavesFilesOfOthersAlone(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	name := settingsFolder(t, "{}\n")
	require.NoError(t, os.Chown(name, 12345, 12345))
	_, err := attaching(t, "", "claude", "--yes")
	require.ErrorContains(t, err, name+" belongs to another user: nothing was changed")
	assert.Equal(t, "{}\n", contentOf(t, name))
	require.NoError(t, os.Chown(name, 0, 12345))
	require.NoError(t, os.Chmod(name, 0o640))
	_, err = attaching(t, "", "claude", "--yes")
	require.NoError(t, err)
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.EqualValues(t, 12345, info.Sys().(*syscall.Stat_t).Gid, "the group stays")
	assert.Equal(t, os.FileMode(0o640), info.Mode())
}

// TestAHookWaitsForNoFile holds that an agent goes on by the deadline of its hook though the files that the hook reads,
// or its input, never come to an end.
func TestAHookWaitsForNoFile(t *testing.T) {
	h := startHooks(t)
	h.answer(200, `{}`)
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))

	payload := fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"c",`+
		`"transcript_path":%q}`, pipe)
	for _, agent := range []string{"codex", "gemini"} {
		_, errOut := hooked(t, payload, agent, "--approve")
		assert.Empty(t, errOut, "nothing is read of the pipe")
	}

	t.Setenv("CANDOR_TOKEN", "")
	_, errOut := hooked(t, `{}`, "claude", "--timeout", "50ms", "--token-file", pipe)
	assert.Contains(t, errOut, "no reply within 50ms")
	t.Setenv("CANDOR_TOKEN", "ann")

	gap := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "candor", "hooks-missed-gemini")
	require.NoError(t, os.MkdirAll(filepath.Dir(gap), 0o700))
	require.NoError(t, syscall.Mkfifo(gap, 0o600))
	for _, server := range []string{"http://127.0.0.1:1", h.URL} {
		hooked(t, `{}`, "gemini", "--server", server)
	}

	in, held := io.Pipe()
	defer held.Close()
	var out, said apptest.LogBuffer
	require.Zero(t, command.Execute(t.Context(), strings.Fields("candor hook claude --timeout 50ms"), in, &out, &said))
	assert.Equal(t, "{}\n", out.String())
	assert.Contains(t, said.String(), "no reply within 50ms")
}
