package worker_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tsx returns the path of a program that runs TypeScript without compiling it. If it is
// missing it is installed in the version of the lockfile.
func tsx(t *testing.T) string {
	t.Helper()
	const dir = "../worker/testdata/posting"
	entry, err := filepath.Abs(filepath.Join(dir, "node_modules", "tsx", "dist", "cli.mjs"))
	require.NoError(t, err)
	if _, err := os.Stat(entry); err != nil {
		cmd := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "npm ci: %s", out)
	}
	return entry
}

// The examples in the document run unchanged, produce the same log in every language, and
// have no further effect when they run again.
func TestPostingExamplesInTheDocumentRunUnchanged(t *testing.T) {
	doc, err := os.ReadFile("../docs/posting-reasoning.md")
	require.NoError(t, err)
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	logs := map[string][]apptest.JobEvent{}
	for language, command := range map[string][]string{
		"sh": {"bash", "-eu"}, "python": {"python3"}, "ts": {"node", tsx(t)},
	} {
		blocks := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(doc, -1)
		require.Len(t, blocks, 1, language)
		file := filepath.Join(t.TempDir(), "post."+map[string]string{"sh": "sh", "python": "py", "ts": "mts"}[language])
		require.NoError(t, os.WriteFile(file, blocks[0][1], 0o600))
		id, token := s.NewJob("Summarise the last commits.")
		var first string
		for range 2 {
			cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], file)...)
			cmd.Env = append(os.Environ(), "CANDOR_SERVER="+s.HTTP.URL, "CANDOR_JOB="+id, "CANDOR_JOB_TOKEN="+token)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s: %s", language, out)
			assert.Contains(t, string(out), `"seqs":[`)
			if first == "" {
				first = string(out)
			}
			assert.Equal(t, first, string(out), "%s: a second run has the same result", language)
		}
		logs[language] = s.JobEvents(id)
		require.Equal(t, []string{"started", "reasoning", "result"}, apptest.KindsOf(logs[language]))
	}
	for language, log := range logs {
		for i, e := range log[1:] {
			want, got := decoded(t, logs["sh"][i+1].Raw), decoded(t, e.Raw)
			for _, own := range []string{"job_id", "at"} {
				delete(want, own)
				delete(got, own)
			}
			assert.Equal(t, want, got, language)
		}
	}
	assert.Contains(t, string(logs["ts"][1].Raw),
		`"rationale":"the summary was asked for as a file","rationale_source":"model"`)
}
