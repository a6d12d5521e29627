package attached_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/gemini"
)

// geminiFacts returns the sightings of the recorded session file of Gemini CLI.
func geminiFacts(t *testing.T) (facts []attach.Sighting) {
	t.Helper()
	in, err := os.Open("../../attach/gemini/testdata/chats/session.jsonl")
	require.NoError(t, err)
	defer in.Close()
	for one, err := range gemini.NewReader(os.DirFS("../../attach/gemini/testdata"), false).Read(in) {
		require.NoError(t, err)
		facts = append(facts, one)
	}
	return facts
}

// toolOf finds a decision's tool in its line.
var toolOf = regexp.MustCompile(`[a-z_]+ map\[`)

// TestASessionWithoutIDsInItsHooksIsTheSameByHooksByItsFileAndByBoth holds for the recorded session of Gemini CLI, in
// which equal calls run side by side, and a sub-agent makes a call that its caller made before.
func TestASessionWithoutIDsInItsHooksIsTheSameByHooksByItsFileAndByBoth(t *testing.T) {
	hooks, files := payloadsOf(t, "gemini"), [][]attach.Sighting{geminiFacts(t)}
	byFile := decisions(t, toldBy(t, "gemini", nil, files, 0))
	require.Len(t, byFile, 13)
	for seed := range uint64(5) {
		assert.Equal(t, byFile, decisions(t, toldBy(t, "gemini", hooks, files, seed)), "seed %d", seed)
	}
	alone := decisions(t, toldBy(t, "gemini", hooks, nil, 0))
	// Hooks know neither whose a sub-agent's calls are nor which were made together.
	for _, list := range [][]string{byFile, alone} {
		for i, line := range list {
			if at := toolOf.FindStringIndex(line); at != nil {
				list[i] = line[at[0]:strings.LastIndex(line, " ")]
			}
		}
	}
	assert.ElementsMatch(t, byFile, alone, "the hooks alone know the same decisions")
}
