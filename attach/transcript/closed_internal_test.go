package transcript

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAFolderThatIsClosedToUsIsTold has the disk refuse a folder, which it does not if a test runs as root.
func TestAFolderThatIsClosedToUsIsTold(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.MkdirAll(sub, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "s.jsonl"), nil, 0o600))
	var told []string
	closed := true
	walk := func(place string) *Walk {
		told = nil
		return &Walk{Places: []string{place}, Send: func(context.Context, []byte, int) error { return nil },
			Told: func(path, what string) { told = append(told, path+" "+what) },
			walk: func(root string, fn fs.WalkDirFunc) error {
				return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
					if path == sub && closed {
						err = &fs.PathError{Op: "open", Path: sub, Err: fs.ErrPermission}
					}
					return fn(path, d, err)
				})
			}}
	}
	w := walk(dir)
	want := []string{sub + " cannot be read: permission denied"}
	require.NoError(t, w.Once(t.Context()))
	assert.Equal(t, want, told)
	// It is told once, and again only if it was open meanwhile.
	require.NoError(t, w.Once(t.Context()))
	assert.Equal(t, want, told)
	closed = false
	require.NoError(t, w.Once(t.Context()))
	closed = true
	require.NoError(t, w.Once(t.Context()))
	assert.Equal(t, append(want, want...), told)

	err := walk(sub).Once(t.Context())
	require.ErrorIs(t, err, ErrNoFiles)
	require.ErrorContains(t, err, "that can be read in "+sub)
	assert.Equal(t, want, told)
}
