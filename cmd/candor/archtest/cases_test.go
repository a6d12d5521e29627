package archtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryCaseSaysWhatItPins holds that three lines of prose stand beside each script of testdata/turns.
func TestEveryCaseSaysWhatItPins(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join(moduleRoot(), "testdata", "turns", "*", "script.json"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(scripts), 19)
	for _, s := range scripts {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(s), "case.md"))
		if assert.NoError(t, err) {
			assert.Equal(t, 3, bytes.Count(text, []byte("\n")), "%s: case.md has three lines", filepath.Dir(s))
		}
	}
}
