//go:build unix

package transcript_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAPipeThatAPersonNamesIsAnError holds that nobody waits for one to write, which not even Ctrl-C would end.
func TestAPipeThatAPersonNamesIsAnError(t *testing.T) {
	for _, name := range []string{"s.jsonl", "opencode.db"} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, syscall.Mkfifo(path, 0o600))
		k := &taker{t: t}
		require.ErrorContains(t, k.walk(path).Once(t.Context()), path+" cannot be read: it is no file with a size")
		w := k.walk(path)
		require.NoError(t, follow(t, w))
		assert.Len(t, k.told, 1)
	}
	k := &taker{t: t}
	require.ErrorContains(t, k.walk("/dev/zero").Once(t.Context()), "/dev/zero cannot be read: ")
}
