package attached_test

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/gemini"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// geminiPosts returns what posts the recorded session of Gemini CLI to a server: a hook each, and the file in parts.
func geminiPosts(t *testing.T, s *apptest.Server) (hooks, file []func()) {
	t.Helper()
	raw, err := os.ReadFile("../../attach/gemini/testdata/hooks.jsonl")
	require.NoError(t, err)
	for line := range bytes.Lines(raw) {
		hooks = append(hooks, func() {
			r := s.Post("ann", "/api/hooks/gemini", string(line))
			require.Equal(t, http.StatusOK, r.Status, r.Body)
		})
	}
	in, err := os.Open("../../attach/gemini/testdata/chats/session.jsonl")
	require.NoError(t, err)
	defer in.Close()
	var facts []attach.Sighting
	for one, err := range gemini.NewReader(os.DirFS("../../attach/gemini/testdata"), false).Read(in) {
		require.NoError(t, err)
		facts = append(facts, one)
	}
	for len(facts) > 0 {
		n := min(7, len(facts))
		text := body(t, facts[:n])
		facts = facts[n:]
		file = append(file, func() {
			r := s.Post("ann", "/api/attached", text)
			require.Equal(t, http.StatusOK, r.Status, r.Body)
		})
	}
	return hooks, file
}

// geminiTold returns the decisions of the recorded session by hooks, by its file, or by both in an order that seed
// decides.
func geminiTold(t *testing.T, byHooks, byFile bool, seed uint64) []string {
	t.Helper()
	s := apptest.Start(t, app.Settings{}, nil)
	hooks, file := geminiPosts(t, s)
	if !byHooks {
		hooks = nil
	}
	if !byFile {
		file = nil
	}
	for _, post := range interleaved(rand.New(rand.NewPCG(seed, 7)), hooks, file) {
		post()
	}
	return decisions(t, s)
}

// toolOf finds a decision's tool in its line.
var toolOf = regexp.MustCompile(`[a-z_]+ map\[`)

// TestASessionWithoutIDsInItsHooksIsTheSameByHooksByItsFileAndByBoth holds for the recorded session of Gemini CLI, in
// which equal calls run side by side, and a sub-agent makes a call that its caller made before.
func TestASessionWithoutIDsInItsHooksIsTheSameByHooksByItsFileAndByBoth(t *testing.T) {
	byFile := geminiTold(t, false, true, 0)
	require.Len(t, byFile, 13)
	for seed := range uint64(5) {
		assert.Equal(t, byFile, geminiTold(t, true, true, seed), "seed %d", seed)
	}
	alone := geminiTold(t, true, false, 0)
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
