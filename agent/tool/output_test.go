package tool

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/safety"
)

func TestTheEndsOfAnOutputAreKeptHoweverItIsWritten(t *testing.T) {
	words := strings.Repeat("a-word-that-may-be-credential ", 40_000)
	for _, chunk := range []int{1000, 32 << 10, 50_000, len(words)} {
		var c clippedOutput
		for part := range slices.Chunk([]byte(words), chunk) {
			n, err := c.Write(part)
			require.NoError(t, err)
			require.Len(t, part, n)
			require.LessOrEqual(t, len(c.tail), max(2*shellOutput, len(part)), "memory is bounded")
		}
		head, tail := c.parts()
		assert.True(t, strings.HasPrefix(words, head), "chunks of %d", chunk)
		assert.True(t, strings.HasSuffix(words, tail), "chunks of %d", chunk)
		assert.LessOrEqual(t, len(head)+len(tail), shellOutput)
		assert.True(t, strings.HasSuffix(head, " ") && strings.HasPrefix(tail, " "), "no word is cut in two")
		assert.Equal(t, len(words), len(head)+c.missing()+len(tail))
	}
}

func TestBuiltinToolsHaveATimeLimit(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer root.Close()
	for _, b := range Builtin(root, safety.NewLayer()) {
		limited, ok := b.(*timeLimited)
		require.True(t, ok, b.Spec().Name)
		assert.Equal(t, 20*time.Second, limited.limit, b.Spec().Name)
	}
}

func TestShellAlwaysNeedsApproval(t *testing.T) {
	assert.Equal(t, agent.ApprovalAlways, Shell(t.TempDir()).Spec().Approval)
}
