package codex_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/codex"
)

func TestSummariesAreAskedForAndTheFileIsAsItWasAfterwards(t *testing.T) {
	for name, before := range map[string]string{
		"no file":           "",
		"a key":             "model = \"gpt-5-codex\"\r\n",
		"a table first":     "[otel]\nlog_user_prompt = true\n",
		"a key of a table":  "[profiles.a]\nmodel_reasoning_summary = \"none\"\n",
		"without a newline": "model = \"a\"",
	} {
		after, err := codex.WithSummaries([]byte(before))
		require.NoError(t, err, name)
		assert.Contains(t, string(after), `model_reasoning_summary = "auto"`, name)
		again, err := codex.WithSummaries(after)
		require.NoError(t, err, name)
		assert.Equal(t, string(after), string(again), name)
		assert.Equal(t, before, string(codex.WithoutSummaries(after)), name)
	}
}

func TestWhatAPersonSetStays(t *testing.T) {
	for _, theirs := range []string{"model_reasoning_summary = \"detailed\"\n", "\"model_reasoning_summary\"='concise'\n[a]\n"} {
		after, err := codex.WithSummaries([]byte(theirs))
		require.NoError(t, err)
		assert.Equal(t, theirs, string(after))
		assert.Equal(t, theirs, string(codex.WithoutSummaries(after)))
	}
	_, err := codex.WithSummaries([]byte("model_reasoning_summary = \"none\"\n"))
	require.ErrorContains(t, err, "remove that line first")
}
