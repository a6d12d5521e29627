package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// claudeSessions lays the recorded files out as Claude Code keeps them.
func claudeSessions(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	list, err := os.ReadDir(claudeTestdata)
	require.NoError(t, err)
	for _, f := range list {
		name := f.Name()
		place := filepath.Join("projects", "-home-ann-notes")
		switch {
		case strings.HasPrefix(name, "agent-"):
			place = filepath.Join(place, "11111111-2222-4333-8444-555555555555", "subagents")
		case name != "session.jsonl" && name != "fork.jsonl" || strings.HasSuffix(name, ".want"):
			continue
		}
		raw, err := os.ReadFile(filepath.Join(claudeTestdata, name))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, place), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, place, name), raw, 0o600))
	}
	return dir
}

// TestARealServerTakesASessionOnceFromItsFilesAndItsHooks imports the recorded files twice, and posts the recorded
// hooks.
func TestARealServerTakesASessionOnceFromItsFilesAndItsHooks(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	t.Setenv("CANDOR_SERVER", s.HTTP.URL)
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	dir := claudeSessions(t)
	_, errOut, err := importing(t, dir)
	require.NoError(t, err)
	assert.Empty(t, errOut)
	before := decisions(t, s)
	assert.Len(t, before, 11, "the calls that the model asked for, each once")
	for _, channels := range before {
		assert.Equal(t, []any{"file"}, channels)
	}

	out, _, err := importing(t, dir)
	require.NoError(t, err)
	assert.Contains(t, out, "The server took 0 as new and had 67.\n", "the same files change nothing")
	assert.Contains(t, out, "gave 67 facts.\n")
	assert.Equal(t, before, decisions(t, s))

	for line := range strings.Lines(contentOf(t, filepath.Join(claudeTestdata, "hooks.jsonl"))) {
		r := s.Post("ann", "/api/hooks/claude", line)
		require.Equal(t, 200, r.Status, r.Body)
	}
	after := decisions(t, s)
	assert.Len(t, after, 11, "hooks tell of the same calls")
	for _, channels := range after {
		assert.Equal(t, []any{"file", "hooks"}, channels)
	}
}

// decisions returns the channels that told of each call of ann's conversations, by its id.
func decisions(t *testing.T, s *apptest.Server) map[string]any {
	t.Helper()
	all, calls := map[string]any{}, 0
	for _, thread := range s.Session("ann").Threads() {
		history := s.Get("ann", "/api/chat/history?thread_id="+thread.ID).JSON()
		for _, turn := range history["turns"].([]any) {
			reasoning, _ := turn.(apptest.M)["reasoning"].(apptest.M)
			for _, d := range reasoning["tool_decisions"].([]any) {
				d := d.(apptest.M)
				all[d["call_id"].(string)] = d["sighted"].(apptest.M)["called"]
				calls++
			}
		}
	}
	assert.Len(t, all, calls)
	return all
}
