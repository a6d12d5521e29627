package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A witness that ends in the middle of a line would make the next line a damaged one.
func TestABrokenWitnessIsWrittenAnewFirst(t *testing.T) {
	w := witness{dir: t.TempDir()}
	none := func(func([]byte) error) error { return nil }
	require.NoError(t, w.renew(none))
	w.broken = errors.New("the disk was full")
	require.ErrorContains(t, w.write([]byte("a line\n")), "the disk was full")
	require.NoError(t, w.renew(none))
	require.NoError(t, w.write([]byte("a line\n")))
	require.NoError(t, w.close())
	written, err := os.ReadFile(filepath.Join(w.dir, witnessFile))
	require.NoError(t, err)
	assert.Equal(t, "a line\n", string(written))
}
