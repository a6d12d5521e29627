package command_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/command"
)

func TestEveryCommandPrintsItsHelpTextWithExamples(t *testing.T) {
	for _, name := range []string{"serve", "login", "chat", "reasoning", "list", "tail", "export", "worker", "mew",
		"scan", "doctor"} {
		text, err := os.ReadFile(filepath.Join("help", name+".txt"))
		require.NoError(t, err)
		var out bytes.Buffer
		args := []string{"candor", name, "--help"}
		require.NoError(t, command.Run(t.Context(), args, strings.NewReader(""), &out, &out))
		first, _, _ := strings.Cut(string(text), "\n")
		assert.Contains(t, out.String(), first, name)
		assert.Contains(t, out.String(), "EXAMPLES\n", name)
		assert.Contains(t, out.String(), "   candor "+name, name)
	}
}

// TestTheLinesOfHelpTextsFitAsTheyAre holds the width: a page of help has 80 columns and indents its text by three, and
// a longer line would be broken a second time, in the middle of a paragraph.
func TestTheLinesOfHelpTextsFitAsTheyAre(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("help", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 77, "%s: %s", name, line)
		}
	}
}
