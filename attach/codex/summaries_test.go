package codex_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/codex"
)

func TestSummariesAreSwitchedOnAndBackByteForByte(t *testing.T) {
	for _, before := range []string{"", "\n", "model = \"m\"\n", "model = \"m\"\r\n\r\n[otel]\r\n", "[a]\nb = 1",
		"# model_reasoning_summary = \"none\"\n"} {
		on, err := codex.SummariesOn([]byte(before))
		require.NoError(t, err)
		assert.Contains(t, string(on), "model_reasoning_summary = \"auto\" # candor")
		again, err := codex.SummariesOn(on)
		require.NoError(t, err)
		assert.Equal(t, string(on), string(again))
		back := codex.SummariesBack(on)
		assert.NotNil(t, back, "the file was there")
		assert.Equal(t, before, string(back))
	}
	made, err := codex.SummariesOn(nil)
	require.NoError(t, err)
	assert.Nil(t, codex.SummariesBack(made))
	assert.Equal(t, "a = 1\n", string(codex.SummariesBack(append(made, "a = 1\n"...))))
	for _, theirs := range []string{"model_reasoning_summary = \"detailed\"\n",
		"a = 1\n'model_reasoning_summary'='auto'\n"} {
		on, err := codex.SummariesOn([]byte(theirs))
		require.NoError(t, err)
		assert.Equal(t, theirs, string(on))
		assert.Equal(t, theirs, string(codex.SummariesBack(on)))
	}
	_, err = codex.SummariesOn([]byte("model_reasoning_summary = \"none\"\n"))
	assert.ErrorContains(t, err, "remove it first")
}
