package command_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/command"
	"candor/session/journal"
	"candor/session/journal/sqlite"
)

// sessionsIn makes a folder with the session of a user.
func sessionsIn(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	e, err := sqlite.Open(dir, sqlite.Options{})
	require.NoError(t, err)
	_, err = e.Open(t.Context(), "ann", "one")
	require.NoError(t, err)
	require.NoError(t, journal.Open(e, "one", uuid.New()).Append(t.Context(), 3, []byte("three events")))
	require.NoError(t, e.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "key"), []byte("a key"), 0o600))
	return dir
}

// The file and the stream have the same sessions; with --no-keys the folder that is restored gets no key.
func TestABackupIsRestoredFromAFileAndFromStandardInput(t *testing.T) {
	dir := sessionsIn(t)
	file := filepath.Join(t.TempDir(), "monday.backup")
	out, errOut, err := runCandor(t, "", "backup", "--data", dir, file)
	require.NoError(t, err)
	assert.Empty(t, out)
	assert.Contains(t, errOut, "1 sessions with 3 events")
	assert.Contains(t, errOut, "the server's key")
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	streamed, errOut, err := runCandor(t, "", "backup", "--no-keys", "--data", dir, "-")
	require.NoError(t, err)
	assert.NotContains(t, errOut, "the server's key")
	for stdin, name := range map[string]string{"": file, streamed: "-"} {
		to := filepath.Join(t.TempDir(), "data")
		_, errOut, err = runCandor(t, stdin, "restore", "--data", to, name)
		require.NoError(t, err)
		assert.Contains(t, errOut, "Restored 1 sessions with 3 events")
		_, err = os.Stat(filepath.Join(to, "key"))
		assert.Equal(t, name == "-", os.IsNotExist(err))
		left, err := os.ReadDir(filepath.Dir(to))
		require.NoError(t, err)
		assert.Len(t, left, 1, "nothing but the folder is left")
	}
}

// Each refusal names what was wrong, and leaves files and folders as they were.
func TestABackupThatCannotBeMadeOrRestoredSaysWhy(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := sessionsIn(t)
	there := filepath.Join(t.TempDir(), "there")
	require.NoError(t, os.WriteFile(there, []byte("precious"), 0o600))
	empty := t.TempDir()
	statuses := map[string]int{"takes one file": 2, "see candor restore --help": 2}
	for says, args := range map[string][]string{
		"takes one file":             {"backup", "--data", dir},
		"see candor restore --help":  {"restore", "--data", dir, "a", "b"},
		"--data DIR or --nats URL":   {"backup", "new"},
		"there is no candor.db":      {"backup", "--data", empty, filepath.Join(empty, "new")},
		"exists; name another file":  {"backup", "--data", dir, there},
		"no such file":               {"restore", "--data", filepath.Join(empty, "data"), "none.backup"},
		"not a backup of Candor":     {"restore", "--data", filepath.Join(empty, "data"), there},
		"there are sessions already": {"restore", "--data", dir, there},
	} {
		_, _, err := runCandor(t, "", args...)
		require.ErrorContains(t, err, says)
		assert.Equal(t, max(1, statuses[says]), command.ExitStatus(err), says)
	}
	left, err := os.ReadDir(empty)
	require.NoError(t, err)
	assert.Empty(t, left)
	content, err := os.ReadFile(there)
	require.NoError(t, err)
	assert.Equal(t, "precious", string(content))
}

// Of two appends one is damaged. A salvage has the other, names what it lacks, and is restored.
func TestASalvageNamesWhatIsLost(t *testing.T) {
	dir := sessionsIn(t)
	e, err := sqlite.Open(dir, sqlite.Options{})
	require.NoError(t, err)
	j := journal.Open(e, "one", uuid.New())
	for b, err := range j.Read(t.Context(), 1, nil) {
		require.NoError(t, err)
		j.Advance(b.Last, b.Sum)
	}
	require.NoError(t, j.Append(t.Context(), 1, []byte("a pear")))
	require.NoError(t, j.Append(t.Context(), 1, []byte("an apple")))
	require.NoError(t, e.Close())
	name := filepath.Join(dir, "candor.db")
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	raw[bytes.Index(raw, []byte("a pear"))] ^= 1
	require.NoError(t, os.WriteFile(name, raw, 0o600))

	folder := t.TempDir()
	_, errOut, err := runCandor(t, "", "backup", "--data", dir, filepath.Join(folder, "whole"))
	require.Error(t, err)
	assert.Contains(t, errOut, "0 sessions")
	file := filepath.Join(folder, "salvaged")
	_, errOut, err = runCandor(t, "", "backup", "--salvage", "--data", dir, file)
	require.Error(t, err)
	assert.Equal(t, 1, command.ExitStatus(err))
	assert.Contains(t, errOut, "1 sessions with 5 events")
	assert.Contains(t, errOut, "damaged at event 4 of session one")
	_, errOut, err = runCandor(t, "", "restore", "--data", filepath.Join(folder, "data"), file)
	require.NoError(t, err)
	assert.Contains(t, errOut, "Restored 1 sessions with 5 events")
}
