package command_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/command"
)

// TestAttachMakesNoFolderThatNobodyHas holds that a typing error in --project is said and makes nothing.
func TestAttachMakesNoFolderThatNobodyHas(t *testing.T) {
	agentFolders(t)
	dir := t.TempDir()
	missing, file := filepath.Join(dir, "nope"), filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, project := range []string{missing, file} {
		for _, args := range []string{"claude --yes", "opencode --undo --yes", "--list"} {
			_, err := attaching(t, "", append(strings.Fields(args), "--project", project)...)
			require.ErrorContains(t, err, `--project: there is no folder "`+project+`"`)
		}
	}
	assert.NoDirExists(t, missing)
}

// TestAttachLeavesAProtectedFileAlone holds it before anybody is asked, and for the way back, too.
func TestAttachLeavesAProtectedFileAlone(t *testing.T) {
	name := settingsFolder(t, "{}\n")
	require.NoError(t, os.Chmod(name, 0o444))
	out, err := attaching(t, "y\n", "claude")
	require.ErrorContains(t, err, name+" is read-only: nothing was changed")
	assert.Empty(t, out)
	assert.Equal(t, "{}\n", contentOf(t, name))
	require.NoError(t, os.Chmod(name, 0o644))
	_, err = attaching(t, "y\n", "claude")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(name, 0o444))
	_, err = attaching(t, "", "claude", "--yes", "--undo")
	require.ErrorContains(t, err, "is read-only")
	assert.Contains(t, contentOf(t, name), " hook claude ")
}

// TestAttachKeepsALinkToNothing holds that no file comes into its place.
func TestAttachKeepsALinkToNothing(t *testing.T) {
	name := settingsFolder(t, "")
	away := filepath.Join(t.TempDir(), "dotfile.json")
	require.NoError(t, os.Symlink(away, name))
	_, err := attaching(t, "", "claude", "--yes")
	require.ErrorContains(t, err, name+" is a link to "+away+", which does not exist")
	info, err := os.Lstat(name)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink)
	assert.NoFileExists(t, away)
}

// TestAFileThatWasEmptyStays tells it from one that was not there.
func TestAFileThatWasEmptyStays(t *testing.T) {
	name := settingsFolder(t, "")
	for _, before := range []string{"", " \n"} {
		require.NoError(t, os.WriteFile(name, []byte(before), 0o600))
		_, err := attaching(t, "y\n", "claude")
		require.NoError(t, err)
		out, err := attaching(t, "y\n", "claude", "--undo")
		require.NoError(t, err)
		assert.Contains(t, out, "Removed Candor's hooks from "+name)
		assert.Equal(t, before, contentOf(t, name))
	}
	require.NoError(t, os.Remove(name))
	_, err := attaching(t, "y\n", "claude")
	require.NoError(t, err)
	out, err := attaching(t, "y\n", "claude", "--undo")
	require.NoError(t, err)
	assert.Contains(t, out, "remove this file, which has only what attach wrote? [y/N] Removed "+name)
	assert.NoFileExists(t, name)
}

// TestThereIsNothingToUndoInAFileThatCannotBeRead holds that a broken file is in nobody's way who never attached.
func TestThereIsNothingToUndoInAFileThatCannotBeRead(t *testing.T) {
	name := settingsFolder(t, `{"a":1,}`)
	out, err := attaching(t, "", "claude", "--undo")
	require.NoError(t, err)
	assert.Equal(t, name+" has no hooks of Candor: nothing was changed.\n", out)
	list, err := attaching(t, "", "--list")
	require.NoError(t, err)
	assert.Contains(t, list,
		name+": cannot be read: correct the file first: line 1, column 8: this character cannot stand here")
}

// answering is a person who says yes after something has happened.
type answering struct {
	happens func()
	said    bool
}

// Read implements io.Reader.
func (a *answering) Read(p []byte) (int, error) {
	if a.said {
		return 0, io.EOF
	}
	a.said = true
	a.happens()
	return copy(p, "y\n"), nil
}

// TestAttachLosesNothingThatWasWrittenWhileItAsked holds that what the program writes meanwhile stays.
func TestAttachLosesNothingThatWasWrittenWhileItAsked(t *testing.T) {
	for _, before := range []string{"", "{}\n"} {
		name := settingsFolder(t, before)
		for _, args := range []string{"attach claude", "attach claude --undo"} {
			meanwhile := `{"model":"` + args + `"}`
			writes := &answering{happens: func() { assert.NoError(t, os.WriteFile(name, []byte(meanwhile), 0o600)) }}
			err := command.Run(t.Context(), append([]string{"candor"}, strings.Fields(args)...), writes, io.Discard,
				io.Discard)
			require.ErrorContains(t, err, name+" was changed by somebody else meanwhile")
			assert.Equal(t, meanwhile, contentOf(t, name))
			_, err = attaching(t, "", "claude", "--yes")
			require.NoError(t, err)
			assert.Contains(t, contentOf(t, name), `"model":"`+args)
		}
	}
}
