package apptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// Blocks returns the blocks of code in a language that a document of the repository has, in order.
func Blocks(t testing.TB, document, language string) (blocks []string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(Root(t), document))
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(raw), -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// TSX returns the path of a program that runs TypeScript without compiling it. If it is missing it is installed in
// the version of the lockfile.
func TSX(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(Root(t), "worker", "testdata", "posting")
	entry := filepath.Join(dir, "node_modules", "tsx", "dist", "cli.mjs")
	if _, err := os.Stat(entry); err != nil {
		cmd := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "npm ci: %s", out)
	}
	return entry
}
