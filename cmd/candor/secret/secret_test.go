package secret

import (
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAKeyIsMadeOnceAndReadAtEachStart(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data", "candor")
	first, err := KeyIn(folder)
	require.NoError(t, err)
	again, err := KeyIn(folder)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	other, err := KeyIn(t.TempDir())
	require.NoError(t, err)
	assert.NotEqual(t, first, other)
	shared, err := ReadKey(filepath.Join(folder, "key"))
	require.NoError(t, err, "replicas share the file as it is")
	assert.Equal(t, first, shared)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 1, "no draft is left behind")
}

func TestTheFilesOfAFolderAreForTheirOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("which has no such modes")
	}
	folder := filepath.Join(t.TempDir(), "data")
	_, err := KeyIn(folder)
	require.NoError(t, err)
	_, err = TokenIn(folder)
	require.NoError(t, err)
	for name, want := range map[string]fs.FileMode{"": 0o700, "key": 0o600, "token": 0o600} {
		info, err := os.Stat(filepath.Join(folder, name))
		require.NoError(t, err)
		assert.Equal(t, want, info.Mode().Perm(), name)
	}
}

func TestATokenIsMadeOnceAndReadAtEachStart(t *testing.T) {
	folder := t.TempDir()
	first, err := TokenIn(folder)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(first), 26, "of 32 letters and digits: at least 128 bits")
	again, err := TokenIn(folder)
	require.NoError(t, err)
	assert.Equal(t, first, again)
}

func TestProcessesThatStartTogetherAgreeOnOneKey(t *testing.T) {
	folder := t.TempDir()
	var wg sync.WaitGroup
	keys := make([]Key, 16)
	for i := range keys {
		wg.Go(func() {
			var err error
			keys[i], err = KeyIn(folder)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	for _, k := range keys {
		assert.Equal(t, keys[0], k)
	}
}

func TestAFileThatIsNotWhatItWasIsRefused(t *testing.T) {
	good := NewKey().line()
	digit := "0"
	if good[20] == '0' {
		digit = "1"
	}
	for name, c := range map[string]struct{ content, want string }{
		"a key with another digit":     {good[:20] + digit + good[21:], "damaged"},
		"a key that was cut off":       {good[:60], "holds no key"},
		"a key without its checksum":   {good[:len(good)-checkLength], "holds no key"},
		"a checksum that was cut off":  {good[:len(good)-1], "damaged"},
		"a key of another version":     {strings.Replace(good, keyMark, "candor-key-2", 1), "holds no key"},
		"a file without anything":      {"", "holds no key"},
		"a file of another program":    {"\x00\x01\x02", "holds no key"},
		"digits alone in the folder":   {strings.Repeat("ab", size), "holds no key"},
		"a key of nothing but zeros":   {Key{}.line(), "holds no key"},
		"a file with two keys, joined": {good + "\n" + good, "holds no key"},
	} {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "key"), []byte(c.content), 0o600))
		_, err := KeyIn(folder)
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), c.want, name)
		assert.Contains(t, err.Error(), filepath.Join(folder, "key"), name)
		assert.Contains(t, err.Error(), "restore it from a backup", name)
		assert.NotContains(t, err.Error(), good[13:33], "no part of the key: %s", name)
		left, err := os.ReadFile(filepath.Join(folder, "key"))
		require.NoError(t, err)
		assert.Equal(t, c.content, string(left), "it is left as it is: %s", name)
	}
}

func TestDigitsAloneAreAKeyThatReplicasShare(t *testing.T) {
	k := NewKey()
	file := filepath.Join(t.TempDir(), "key")
	for name, c := range map[string]struct {
		content string
		ok      bool
	}{
		"as openssl prints it":  {hex.EncodeToString(k[:]) + "\n", true},
		"in capitals":           {strings.ToUpper(hex.EncodeToString(k[:])), true},
		"as a folder has it":    {k.line(), true},
		"half of the digits":    {hex.EncodeToString(k[:16]), false},
		"twice the digits":      {strings.Repeat(hex.EncodeToString(k[:]), 2), false},
		"what are no digits":    {strings.Repeat("xy", size), false},
		"nothing but zeros":     {strings.Repeat("00", size), false},
		"a file of no key":      {"", false},
		"a key that is damaged": {k.line() + "0", false},
	} {
		require.NoError(t, os.WriteFile(file, []byte(c.content), 0o600))
		got, err := ReadKey(file)
		assert.Equal(t, c.ok, err == nil, "%s: %v", name, err)
		if c.ok {
			assert.Equal(t, k, got, name)
		} else {
			assert.Contains(t, err.Error(), "openssl rand -hex 32", name)
		}
	}
}

func TestAFileThatOthersMayReadIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("which has no such modes")
	}
	for mode, want := range map[fs.FileMode]struct{ folder, shared bool }{
		0o600: {true, true}, 0o400: {true, true}, 0o640: {false, true}, 0o644: {false, false},
		0o660: {false, false}, 0o604: {false, false}, 0o602: {false, false},
	} {
		folder := t.TempDir()
		_, err := KeyIn(folder)
		require.NoError(t, err)
		file := filepath.Join(folder, "key")
		require.NoError(t, os.Chmod(file, mode))
		_, err = KeyIn(folder)
		assert.Equal(t, want.folder, err == nil, "%o: %v", mode, err)
		_, err = ReadKey(file)
		assert.Equal(t, want.shared, err == nil, "%o: %v", mode, err)
		if err != nil {
			assert.Contains(t, err.Error(), "chmod 600")
		}
	}
}

func TestAFileThatCannotBeUsedIsNamedWithARemedy(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "key"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "token"), []byte("short"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "plain"), nil, 0o600))
	inFile := filepath.Join(folder, "plain", "in")
	for want, try := range map[string]func() error{
		"name a file":                   func() error { _, err := KeyIn(folder); return err },
		"let the server's user read it": func() error { _, err := ReadKey(filepath.Join(folder, "none")); return err },
		"not a directory":               func() error { _, err := KeyIn(inFile); return err },
		"the server makes another":      func() error { _, err := TokenIn(folder); return err },
	} {
		err := try()
		require.Error(t, err, want)
		assert.Contains(t, err.Error(), want)
		assert.Contains(t, err.Error(), folder)
		assert.NotContains(t, err.Error(), "short")
	}
}

func TestAFolderThatCannotBeWrittenIsNamedWithARemedy(t *testing.T) {
	folder := filepath.Join(t.TempDir(), strings.Repeat("x", 300)) // a longer name than systems have
	for _, try := range []func() error{
		func() error { _, err := TokenIn(folder); return err },
		func() error { return write(filepath.Join(folder, "key"), "") },
	} {
		require.Error(t, try())
	}
	taken := filepath.Join(t.TempDir(), "key")
	require.NoError(t, write(taken, "first"))
	require.ErrorIs(t, write(taken, "second"), fs.ErrExist)
	content, err := os.ReadFile(taken)
	require.NoError(t, err)
	assert.Equal(t, "first", string(content))
}

func TestEachPurposeHasAKeyOfItsOwn(t *testing.T) {
	k := NewKey()
	assert.Len(t, k.For("codes"), 32)
	assert.Equal(t, k.For("codes"), k.For("codes"))
	assert.NotEqual(t, k.For("codes"), k.For("jobs"))
	assert.NotEqual(t, k.For("codes"), NewKey().For("codes"))
	assert.NotContains(t, string(k.For("codes")), string(k[:8]))
	assert.Equal(t, k.Token(), k.Token())
	assert.NotEqual(t, k.Token(), NewKey().Token())
	assert.GreaterOrEqual(t, len(k.Token()), 26)
}

func TestTheSpellingsOfAKeyAreKnown(t *testing.T) {
	k := NewKey()
	assert.Contains(t, k.line(), k.Values()[0])
	assert.Equal(t, strings.ToUpper(k.Values()[0]), k.Values()[1])
	assert.Empty(t, Key{}.Values())
	assert.True(t, Key{}.IsZero())
	assert.False(t, k.IsZero())
	assert.Equal(t, k, k.OrNew())
	assert.False(t, Key{}.OrNew().IsZero())
	assert.NotEqual(t, Key{}.OrNew(), Key{}.OrNew())
}
