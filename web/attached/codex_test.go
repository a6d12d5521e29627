package attached_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/codex"
	"candor/cmd/candor/apptest"
)

// codexFiles returns the sightings of the recorded files of Codex, those of each.
func codexFiles(t *testing.T) (files [][]attach.Sighting) {
	t.Helper()
	for _, name := range []string{"session.jsonl", "sub1.jsonl", "sub2.jsonl", "fork.jsonl"} {
		raw, err := os.ReadFile("../../attach/codex/testdata/" + name)
		require.NoError(t, err)
		var facts []attach.Sighting
		for s, err := range codex.NewReader(false).Read(bytes.NewReader(raw)) {
			require.NoError(t, err)
			facts = append(facts, s)
		}
		files = append(files, facts)
	}
	return files
}

// asFileTells are the words of hooks, and those that the file has in their place.
var asFileTells = strings.NewReplacer("Bash map[command:", "exec_command map[cmd:", " yield_time_ms:250", "",
	"multi_agent_v1wait_agent", "wait_agent")

// codexDecisions writes the decisions of all turns as they are the same by all channels: the agent and the call, and
// of the file how it ended. Hooks know no steps.
func codexDecisions(t *testing.T, s *apptest.Server, outcomes bool) (lines []string) {
	t.Helper()
	for _, th := range s.Session("ann").Threads() {
		for _, one := range s.Get("ann", "/api/chat/history?thread_id="+th.ID).JSON()["turns"].([]any) {
			turn := one.(apptest.M)
			lines = append(lines, fmt.Sprint(turn["user_input"], " => ", turn["response"]))
			for _, one := range turn["reasoning"].(apptest.M)["tool_decisions"].([]any) {
				d := one.(apptest.M)
				line := asFileTells.Replace(fmt.Sprint(d["agent"], " ", d["tool_name"], " ", d["parameters"]))
				if outcomes {
					line += fmt.Sprint(" ", d["step"], " ", d["outcome"], " ", d["parallel_group"])
				}
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// TestARecordedSessionOfCodexIsTheSameByItsFileAndByBoth holds that hooks, in any order beside the file, add no
// decision and change none; and that hooks alone know the same calls of the same agents in the same turns, but for
// those that the program has no hooks for: of a tool that does not exist and of what goes on with a command.
func TestARecordedSessionOfCodexIsTheSameByItsFileAndByBoth(t *testing.T) {
	hooks, files := payloadsOf(t, "codex"), codexFiles(t)
	byFile := toldBy(t, "codex", nil, files, 0)
	want := codexDecisions(t, byFile, true)
	require.Len(t, want, 3+16)
	for seed := range uint64(3) {
		assert.Equal(t, want, codexDecisions(t, toldBy(t, "codex", hooks, files, seed), true), "seed %d", seed)
	}
	var known []string
	for _, line := range codexDecisions(t, byFile, false) {
		if !strings.Contains(line, "nosuch_tool") && !strings.Contains(line, "write_stdin") {
			known = append(known, line)
		}
	}
	assert.ElementsMatch(t, known, codexDecisions(t, toldBy(t, "codex", hooks, nil, 0), false))
}
