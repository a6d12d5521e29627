package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// endsAfter is a context that ends after its Err method was called left times.
type endsAfter struct {
	context.Context
	left *int
}

func (c endsAfter) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestAnInterruptStopsASearchAtOnce(t *testing.T) {
	dir := t.TempDir()
	for i := range 50 {
		name := filepath.Join(dir, fmt.Sprintf("f%02d", i))
		require.NoError(t, os.WriteFile(name, []byte(strings.Repeat("x\n", 5000)), 0o644))
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	for _, calls := range []int{0, 3, 20} { // between files, and within a file
		left := calls
		_, err := workspace{root: root}.searchFiles(endsAfter{t.Context(), &left}, searchArgs{Query: "y"})
		require.ErrorIs(t, err, context.Canceled)
		assert.LessOrEqual(t, left, -1)
		assert.GreaterOrEqual(t, left, -2, "the search may ask once more to build its error")
	}
	for i := range 50 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%02d", i)), []byte("x\n"), 0o644))
	}
	left := 20
	_, err = workspace{root: root}.searchFiles(endsAfter{t.Context(), &left}, searchArgs{Query: "y"})
	require.ErrorIs(t, err, context.Canceled, "between short files, too")
}
