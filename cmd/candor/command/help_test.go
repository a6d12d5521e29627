package command_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/command"
)

func TestEveryCommandPrintsItsHelpTextWithExamples(t *testing.T) {
	for _, name := range []string{"serve", "login", "chat", "reasoning", "tail", "export", "worker", "mew", "scan",
		"doctor"} {
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
