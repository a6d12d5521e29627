package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/secret"
	"candor/web/access"
)

func TestAServerWithAFolderHasTheSameKeyAndTokenAtEachStart(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	var first, next, alone serveSettings
	tokens, made, err := first.loadSecrets(folder)
	require.NoError(t, err)
	_, again, err := next.loadSecrets(folder)
	require.NoError(t, err)
	assert.Equal(t, first.Key, next.Key)
	assert.Equal(t, made, again)
	assert.Equal(t, "kept in "+filepath.Join(folder, "token"), made.note)
	who, ok := tokens.Lookup(made.value)
	assert.True(t, ok)
	assert.Equal(t, access.LocalUser, who.User)
	assert.Equal(t, []string{folder}, first.Private, "file tools refuse it")

	_, other, err := alone.loadSecrets("")
	require.NoError(t, err)
	assert.True(t, alone.Key.IsZero(), "the app makes one")
	assert.NotEqual(t, made.value, other.value)
	assert.Contains(t, other.note, "made for this run")
	assert.Empty(t, alone.Private)
}

// A script of the README would take the token that make run keeps in the folder, and be refused.
func TestAMadeTokenIsToldFromTheOneInTheFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	var s serveSettings
	_, made, err := s.loadSecrets("")
	require.NoError(t, err)
	assert.NotContains(t, made.note, defaultTokenFile, "there is none")
	require.NoError(t, os.MkdirAll(filepath.Dir(defaultTokenFile), 0o700))
	require.NoError(t, os.WriteFile(defaultTokenFile, []byte("a-token-of-another-server"), 0o600))
	_, made, err = s.loadSecrets("")
	require.NoError(t, err)
	assert.Contains(t, made.note, "the one in .candor/token is of another server, so export this as CANDOR_TOKEN")
}

func TestReplicasWithOneKeyFileHaveOneToken(t *testing.T) {
	first, second := serveSettings{keyFile: newKeyFile(t)}, serveSettings{}
	second.keyFile = first.keyFile
	_, made, err := first.loadSecrets("")
	require.NoError(t, err)
	_, same, err := second.loadSecrets(t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, first.Key, second.Key, "the flag's, although the second has a folder")
	assert.Equal(t, made, same)
	assert.Equal(t, "that of --key-file", made.note)
	assert.Equal(t, []string{first.keyFile}, first.Private)
}

func newKeyFile(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	_, err := secret.KeyIn(folder)
	require.NoError(t, err)
	return filepath.Join(folder, "key")
}

func TestAConfiguredTokenIsNotMadeAnewAndNotKept(t *testing.T) {
	folder := t.TempDir()
	s := serveSettings{token: "a-token-for-the-local-user"}
	tokens, made, err := s.loadSecrets(folder)
	require.NoError(t, err)
	assert.Equal(t, madeToken{}, made)
	_, ok := tokens.Lookup(s.token)
	assert.True(t, ok)
	assert.NoFileExists(t, filepath.Join(folder, "token"))
}

func TestASecretThatCannotBeReadStopsTheStart(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "token"), []byte("short"), 0o600))
	damaged := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(damaged, []byte("damaged"), 0o600))
	for want, try := range map[string]struct {
		s      serveSettings
		folder string
	}{
		"--key-file: " + damaged: {serveSettings{keyFile: damaged}, ""},
		damaged:                  {serveSettings{}, filepath.Dir(damaged)},
		folder + "/token":        {serveSettings{}, folder},
	} {
		_, _, err := try.s.loadSecrets(try.folder)
		require.Error(t, err, want)
		assert.Contains(t, err.Error(), want)
		assert.NotContains(t, err.Error(), "; ;")
	}
}
