//go:build unix

package tool_test

import (
	"encoding/json"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPipesAreNotOpened(t *testing.T) {
	dir := workspace(t, map[string]string{"a.txt": "x"})
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	tools := builtin(t, dir)
	refused := make(chan error, 1)
	go func() {
		_, err := tools["file_read"].Run(t.Context(), json.RawMessage(`{"path":"pipe"}`))
		refused <- err
	}()
	select {
	case err := <-refused:
		assert.EqualError(t, err, `"pipe" is not a regular file and cannot be read`)
	case <-time.After(time.Minute):
		t.Fatal("the pipe was opened, and waits for somebody to write to it")
	}
	assert.Equal(t, "other", run[listing](t, t.Context(), tools["file_list"], `{}`).Entries[1].Kind)
	got := run[searching](t, t.Context(), tools["file_search"], `{"query":"x"}`)
	assert.Equal(t, 1, got.Searched)
	assert.Equal(t, 1, run[searching](t, t.Context(), tools["file_search"], `{"query":"x","path":"pipe"}`).Skipped)
}
