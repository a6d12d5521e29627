package page_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page's pure modules have unit tests in unit/, which Node runs without a build step.
func TestThePagesModules(t *testing.T) {
	files, err := filepath.Glob("unit/*.test.js")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	out, err := exec.CommandContext(t.Context(), "node", append([]string{"--test"}, files...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `(?m)^\S+ pass [1-9]`, string(out), "some ran")
}
