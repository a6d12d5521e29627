package attached_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/claude"
	"candor/cmd/candor/apptest"
)

// recorded is the session of Claude Code that attach/claude has as a recording, by hooks and by file.
const recorded = "11111111-2222-4333-8444-555555555555"

// hooksOf returns the payloads of the hooks of the recorded session, in order.
func hooksOf(t *testing.T) []string {
	t.Helper()
	all := slices.DeleteFunc(payloadsOf(t, "claude"), func(p string) bool { return !strings.Contains(p, recorded) })
	require.Greater(t, len(all), 30)
	return all
}

// fileOf returns the sightings of the recorded session's files: its own and those of its sub-agents.
func fileOf(t *testing.T) (all []attach.Sighting) {
	t.Helper()
	files, err := filepath.Glob("../../attach/claude/testdata/agent-*.jsonl")
	require.NoError(t, err)
	for _, name := range append(files, "../../attach/claude/testdata/session.jsonl") {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		for s, err := range claude.NewReader(nil, false).Read(bytes.NewReader(raw)) {
			require.NoError(t, err)
			all = append(all, s)
		}
	}
	metas, err := filepath.Glob("../../attach/claude/testdata/agent-*.meta.json")
	require.NoError(t, err)
	for _, name := range metas {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		sub := filepath.Base(name)[len("agent-") : len(filepath.Base(name))-len(".meta.json")]
		s, err := claude.Spawned(raw, recorded, sub)
		require.NoError(t, err)
		for _, of := range all {
			if of.Sub == sub {
				s.Turn = of.Turn
			}
		}
		all = append(all, s)
	}
	return all
}

// decisions writes the decisions of all turns: what was called, in which step and group, and how it ended.
func decisions(t *testing.T, s *apptest.Server) (lines []string) {
	t.Helper()
	for _, th := range s.Session("ann").Threads() {
		h := s.Get("ann", "/api/chat/history?thread_id="+th.ID).JSON()
		for _, one := range h["turns"].([]any) {
			turn := one.(apptest.M)
			lines = append(lines, fmt.Sprint(turn["user_input"], " => ", turn["response"]))
			r, _ := turn["reasoning"].(apptest.M)
			if r == nil {
				continue
			}
			for _, one := range r["tool_decisions"].([]any) {
				d := one.(apptest.M)
				// Hooks alone have the whole path.
				params := strings.ReplaceAll(fmt.Sprint(d["parameters"]), "/home/ann/notes/", "")
				lines = append(lines, fmt.Sprint("  ", d["agent"], d["step"], " ", d["tool_name"], " ", params, " ",
					d["outcome"], " ", d["parallel_group"]))
			}
		}
	}
	return lines
}

func TestARecordedSessionIsTheSameByHooksByItsFileAndByBoth(t *testing.T) {
	hooks, files := hooksOf(t), [][]attach.Sighting{fileOf(t)}
	byFile := decisions(t, toldBy(t, "claude", nil, files, 0))
	require.Greater(t, len(byFile), 8)
	for seed := range uint64(5) {
		assert.Equal(t, byFile, decisions(t, toldBy(t, "claude", hooks, files, seed)), "seed %d", seed)
	}
	// No hook tells that Claude Code refused a call by its own rules.
	for i, line := range byFile {
		byFile[i] = strings.Replace(line, " rejected ", " unknown ", 1)
	}
	alone := decisions(t, toldBy(t, "claude", hooks, nil, 0))
	assert.ElementsMatch(t, byFile, alone, "the hooks alone know the same decisions")
}
