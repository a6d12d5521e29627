package worker_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// languages are those of the document's programs, with what runs them.
func languages(t *testing.T) map[string][]string {
	return map[string][]string{"sh": {"bash", "-eu"}, "python": {"python3"}, "ts": {"node", apptest.TSX(t)}}
}

// example returns the program in a language that has the given place in the document, as a file.
func example(t *testing.T, language string, place int) string {
	t.Helper()
	blocks := apptest.Blocks(t, "docs/posting-reasoning.md", language)
	require.Greater(t, len(blocks), place, language)
	file := filepath.Join(t.TempDir(), "post."+map[string]string{"sh": "sh", "python": "py", "ts": "mts"}[language])
	require.NoError(t, os.WriteFile(file, []byte(blocks[place]), 0o600))
	return file
}

// The examples in the document run unchanged, produce the same log in every language, and
// have no further effect when they run again.
func TestPostingExamplesInTheDocumentRunUnchanged(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	logs := map[string][]apptest.JobEvent{}
	for language, command := range languages(t) {
		file := example(t, language, 0)
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

// The request that opens a finished job runs unchanged. It has the user's token.
func TestTheFinishedJobInTheDocumentIsOpenedUnchanged(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	cmd := exec.CommandContext(t.Context(), "bash", "-eu", example(t, "sh", 1))
	cmd.Env = append(os.Environ(), "CANDOR_SERVER="+s.HTTP.URL, "CANDOR_TOKEN="+apptest.TokenOf("ann"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	made := decoded(t, out[bytes.IndexByte(out, '{'):])
	assert.Equal(t, "completed", made["state"])
	assert.Len(t, made["posted"], 2)
	assert.Equal(t, []string{"started", "reasoning", "result"}, apptest.KindsOf(s.JobEvents(made["job_id"].(string))))
}

// The function around a tool says why before the tool runs, and what came of it afterwards.
func TestTheFunctionsAroundToolsInTheDocumentRunUnchanged(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	for language, command := range languages(t) {
		if language == "sh" {
			continue
		}
		id, token := s.NewJob("Which plan fits?")
		cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], example(t, language, 1))...)
		cmd.Env = append(os.Environ(), "CANDOR_SERVER="+s.HTTP.URL, "CANDOR_JOB="+id, "CANDOR_JOB_TOKEN="+token)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", language, out)
		log := s.JobEvents(id)
		require.Equal(t, []string{"started", "tool_use", "tool_result", "result"}, apptest.KindsOf(log), language)
		assert.Contains(t, string(log[1].Raw), `"rationale":"The sum decides which plan fits."`, language)
		assert.Contains(t, string(log[1].Raw), `"narrative":"First I need the sum."`, language)
		assert.Contains(t, string(log[2].Raw), `"call_id":"call_1"`, language)
		assert.Contains(t, string(log[2].Raw), `"output":3`, language)
	}
}
