//go:build unix

package tool_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
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

// A path that leads to a pipe by the time it is opened must not hold up the turn: opening
// a pipe for reading waits for somebody who writes.
func TestAPipeSwappedInBeforeTheOpenIsNotWaitedFor(t *testing.T) {
	for name, args := range map[string]string{
		"file_read": `{"path":"sub/it"}`, "file_list": `{"path":"sub/it"}`, "file_search": `{"query":"x","path":"sub"}`,
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"sub/it": "x"}
			if name != "file_read" {
				files = map[string]string{"sub/it/": ""}
			}
			dir := workspace(t, files)
			it := filepath.Join(dir, "sub", "it")
			require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
			tools, done := builtin(t, dir), make(chan struct{})
			var swapper sync.WaitGroup
			defer swapper.Wait()
			swapper.Go(func() { // swaps what the path leads to while the tool looks at it
				for {
					select {
					case <-done:
						return
					default:
						_ = os.Rename(it, filepath.Join(dir, "aside"))
						_ = os.Rename(filepath.Join(dir, "pipe"), it)
						_ = os.Rename(it, filepath.Join(dir, "pipe"))
						_ = os.Rename(filepath.Join(dir, "aside"), it)
					}
				}
			})
			finished := make(chan struct{})
			go func() {
				defer close(finished)
				for range 1000 {
					_, _ = tools[name].Run(t.Context(), json.RawMessage(args))
				}
			}()
			select {
			case <-finished:
				close(done)
			case <-time.After(time.Minute):
				close(done)
				t.Fatal("a pipe was opened, and waits for somebody to write to it")
			}
		})
	}
}
