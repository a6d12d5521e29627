package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
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
	assert.Contains(t, out, "The server added 0 and already had 67.\n", "the same files change nothing")
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

// TestATurnWithoutRoomKeepsNothingElseOut holds that of a turn with more facts than are kept the rest is said to be
// lost, and that the turn behind it and other files are taken.
func TestATurnWithoutRoomKeepsNothingElseOut(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	t.Setenv("CANDOR_SERVER", s.HTTP.URL)
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	dir := t.TempDir()
	prompt := func(session, turn string) string {
		return fmt.Sprintf(`{"type":"user","sessionId":%q,"promptId":%q,"message":{"content":"Do %s"}}`+"\n", session,
			turn, turn)
	}
	var long strings.Builder
	long.WriteString(prompt("s1", "p1"))
	for i := range session.MaxSightings + 100 {
		fmt.Fprintf(&long, `{"type":"assistant","sessionId":"s1","message":{"id":"m%d","content":[{"type":"tool_use",`+
			`"id":"c%d","name":"Bash","input":{}}]}}`+"\n", i, i)
	}
	long.WriteString(prompt("s1", "p2"))
	for name, text := range map[string]string{"1.jsonl": long.String(), "2.jsonl": prompt("s2", "p3")} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(t, os.Chtimes(filepath.Join(dir, "1.jsonl"), time.Unix(1, 0), time.Unix(1, 0)))
	stdout, _, err := importing(t, dir)
	require.NoError(t, err)
	assert.Regexp(t, `The server did not add \d+ facts\.`, stdout)
	turns := map[string]float64{}
	for _, one := range s.Get("ann", "/api/chat/threads").JSON()["threads"].([]any) {
		thread := one.(apptest.M)
		turns[fmt.Sprint(thread["title"])] = thread["turn_count"].(float64)
	}
	assert.Equal(t, map[string]float64{"Do p1": 2, "Do p3": 1}, turns)
}
