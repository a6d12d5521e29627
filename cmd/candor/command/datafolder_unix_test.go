//go:build unix

package command_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
)

// TestAFolderOfOthersGetsNoSessions holds that serve leaves it as it was.
func TestAFolderOfOthersGetsNoSessions(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	foreign := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(foreign, "thesis.tex"), nil, 0o600))
	refused := map[string]string{foreign: `is in use for something else: it has "thesis.tex"`}
	for _, mode := range []fs.FileMode{0o777, 0o770, 0o702} {
		open := t.TempDir()
		require.NoError(t, os.Chmod(open, mode))
		refused[open] = "others can write to the folder " + open
	}
	if os.Geteuid() == 0 {
		others := t.TempDir()
		require.NoError(t, os.Chmod(others, 0o755))
		require.NoError(t, os.Chown(others, 12345, 12345))
		refused[others] = "belongs to another user"
	}
	for dir, why := range refused {
		before, err := os.ReadDir(dir)
		require.NoError(t, err)
		_, errOut, err := runCandor(t, "", "serve", "--addr", "127.0.0.1:0", "--data", dir)
		require.ErrorContains(t, err, "--data: ")
		require.ErrorContains(t, err, why)
		assert.Empty(t, errOut)
		after, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Equal(t, before, after)
	}
	// What is Candor's stays usable, whatever else is put there.
	dir := sessionsIn(t)
	require.NoError(t, os.Remove(filepath.Join(dir, "key")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "README"), nil, 0o600))
	program.Serve(t, "--data", dir).Stop()
	bare := filepath.Join(t.TempDir(), "bare")
	require.NoError(t, os.MkdirAll(filepath.Join(bare, "lost+found"), 0o700))
	program.Serve(t, "--data", bare).Stop()
}

// TestARestoreKeepsALink holds that the folder behind the link gets the sessions.
func TestARestoreKeepsALink(t *testing.T) {
	file := filepath.Join(t.TempDir(), "monday.backup")
	_, _, err := runCandor(t, "", "backup", "--data", sessionsIn(t), file)
	require.NoError(t, err)
	at, target := t.TempDir(), filepath.Join(t.TempDir(), "disk")
	link := filepath.Join(at, "data")
	require.NoError(t, os.Symlink(target, link))
	_, _, err = runCandor(t, "", "restore", "--data", link, file)
	require.ErrorContains(t, err, link+" is a link to "+target)
	require.NoError(t, os.Mkdir(target, 0o700))
	_, _, err = runCandor(t, "", "restore", "--data", link, file)
	require.NoError(t, err)
	is, err := os.Readlink(link)
	require.NoError(t, err)
	assert.Equal(t, target, is)
	assert.FileExists(t, filepath.Join(target, "candor.db"))
	left, err := os.ReadDir(at)
	require.NoError(t, err)
	assert.Len(t, left, 1)
}
