package transcript_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheFolderOfCodexIsReadWithItsSubAgents holds that rollouts are read where Codex keeps them, those that it
// compressed are counted, and that nothing else of the folder is taken for a session of somebody.
func TestTheFolderOfCodexIsReadWithItsSubAgents(t *testing.T) {
	dir := t.TempDir()
	for from, to := range map[string]string{"session.jsonl": "sessions/2026/11/20/rollout-1.jsonl",
		"sub1.jsonl": "sessions/2026/11/20/rollout-2.jsonl", "fork.jsonl": "archived_sessions/rollout-3.jsonl"} {
		raw, err := os.ReadFile(filepath.Join("..", "codex", "testdata", from))
		require.NoError(t, err)
		write(t, dir, to, string(raw))
	}
	write(t, dir, "sessions/2025/01/01/rollout-0.jsonl.zst", "zst")
	write(t, dir, "history.jsonl", `{"session_id":"s","text":"x"}`+"\n")
	write(t, dir, "sessions/notes.jsonl", prompt("s", "of somebody else"))
	k := &taker{t: t}
	w := k.walk(dir)
	require.NoError(t, w.Once(t.Context()))
	assert.ElementsMatch(t, []string{"PLAN:one go", "PLAN:two go", "PLAN:three go"}, k.prompts())
	report := w.Report()
	assert.Equal(t, 3, report.Files)
	assert.Equal(t, 1, report.Compressed)
	assert.Zero(t, report.Malformed)
	subs := 0
	for _, s := range k.list {
		if s.Sub != "" && s.Called != nil {
			subs++
			// A sub-agent is in the session that began it.
			assert.Equal(t, "01a20000-0000-7000-8000-000000000000", s.Session)
		}
	}
	assert.Equal(t, 1, subs)
	assert.Empty(t, k.told)
}
