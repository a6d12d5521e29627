package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// main is the only code that ends the process; everything else is tested through
// command.Run.
func TestMainPrintsTheErrorAndExitsWithItsStatus(t *testing.T) {
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	defer stderr.Close()
	args, stream := os.Args, os.Stderr
	defer func() { os.Args, os.Stderr, exit = args, stream, os.Exit }()
	status := -1
	os.Args, os.Stderr, exit = []string{"candor", "frobnicate"}, stderr, func(code int) { status = code }
	main()
	assert.Equal(t, 2, status)
	printed, err := os.ReadFile(stderr.Name())
	require.NoError(t, err)
	assert.Equal(t, "candor: there is no command \"frobnicate\"; see candor --help\n",
		string(printed))
}
