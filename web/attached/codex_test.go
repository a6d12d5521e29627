package attached_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/codex"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// codexRecordings is the folder of the sessions of Codex that are recorded by hooks and by file.
const codexRecordings = "../../attach/codex/testdata"

// codexToldBy returns a server that was told the recorded sessions of Codex by hooks, by their files, or both, in an
// order that seed decides.
func codexToldBy(t *testing.T, hooks, file bool, seed uint64) *apptest.Server {
	t.Helper()
	s := apptest.Start(t, app.Settings{}, nil)
	post := func(path, text string) func() {
		return func() {
			r := s.Post("ann", path, text)
			require.Equal(t, http.StatusOK, r.Status, r.Body)
		}
	}
	var posts, parts []func()
	raw, err := os.ReadFile(filepath.Join(codexRecordings, "hooks.jsonl"))
	require.NoError(t, err)
	for line := range bytes.Lines(raw) {
		if hooks {
			posts = append(posts, post("/api/hooks/codex", string(line)))
		}
	}
	for _, name := range []string{"session.jsonl", "sub1.jsonl", "sub2.jsonl", "fork.jsonl"} {
		facts := codexFacts(t, name)
		for file && len(facts) > 0 {
			n := min(7, len(facts))
			parts = append(parts, post("/api/attached", body(t, facts[:n])))
			facts = facts[n:]
		}
	}
	for _, post := range interleaved(rand.New(rand.NewPCG(seed, 7)), posts, parts) {
		post()
	}
	return s
}

// codexFacts returns the sightings of a recorded file.
func codexFacts(t *testing.T, name string) (facts []attach.Sighting) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(codexRecordings, name))
	require.NoError(t, err)
	for s, err := range codex.NewReader(false).Read(bytes.NewReader(raw)) {
		require.NoError(t, err)
		facts = append(facts, s)
	}
	return facts
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
	byFile := codexToldBy(t, false, true, 0)
	want := codexDecisions(t, byFile, true)
	require.Len(t, want, 3+16)
	for seed := range uint64(3) {
		assert.Equal(t, want, codexDecisions(t, codexToldBy(t, true, true, seed), true), "seed %d", seed)
	}
	var known []string
	for _, line := range codexDecisions(t, byFile, false) {
		if !strings.Contains(line, "nosuch_tool") && !strings.Contains(line, "write_stdin") {
			known = append(known, line)
		}
	}
	assert.ElementsMatch(t, known, codexDecisions(t, codexToldBy(t, true, false, 0), false))
}
