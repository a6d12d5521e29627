//go:build unix

package tool_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPipesAreNotOpened(t *testing.T) {
	dir := workspace(t, map[string]string{"a.txt": "x"})
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	tools := builtin(t, dir)
	assert.Equal(t, `"pipe" is not a regular file and cannot be read`,
		fails(t, t.Context(), tools["file_read"], `{"path":"pipe"}`))
	assert.Equal(t, "other", run[listing](t, t.Context(), tools["file_list"], `{}`).Entries[1].Kind)
	got := run[searching](t, t.Context(), tools["file_search"], `{"query":"x"}`)
	assert.Equal(t, 1, got.Searched)
	assert.Equal(t, 1, run[searching](t, t.Context(), tools["file_search"], `{"query":"x","path":"pipe"}`).Skipped)
}
