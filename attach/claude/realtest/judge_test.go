//go:build realagents

package realtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/claude"
)

// TestTheRealProgramsFilesAndHooksTellWhatTheModelAskedFor plays the plans once with the real program, and judges both
// channels by what the stand-in sent.
func TestTheRealProgramsFilesAndHooksTellWhatTheModelAskedFor(t *testing.T) {
	p := newPlayer(t)
	p.play(t)
	require.GreaterOrEqual(t, len(p.model.sent), 13)
	file, hooks := p.inFiles(t), p.model.Told(t, claude.Hook)
	attachtest.LogTally(t, "Claude Code: sent", tally(p.model.sent))
	attachtest.LogTally(t, "Claude Code: told by the file", attachtest.TallyOf(file))
	attachtest.LogTally(t, "Claude Code: told by hooks", attachtest.TallyOf(hooks))
	t.Run("the file has each answer once", func(t *testing.T) { judgeAnswers(t, p.model.sent, file) })
	t.Run("hooks have each call, and the calls of an answer as a batch", func(t *testing.T) {
		judgeHooks(t, p.model.sent, hooks, p.work)
	})
	for name, channel := range map[string][]attach.Sighting{"file": file, "hooks": hooks} {
		t.Run(name+" tells how calls ended", func(t *testing.T) { judgeResults(t, name, channel) })
		t.Run(name+" tells of sub-agents", func(t *testing.T) { judgeSubs(t, channel) })
		t.Run(name+" tells of turns", func(t *testing.T) { judgeTurns(t, channel) })
	}
	t.Run("both tell the same results", func(t *testing.T) { judgeBoth(t, file, hooks) })
	t.Run("a folder's files in any order, and each alone, give the same", func(t *testing.T) {
		assert.ElementsMatch(t, attachtest.Lines(t, file), attachtest.Lines(t, p.inFilesBackwards(t)))
	})
}

// inFiles returns the sightings of the session files.
func (p *player) inFiles(t *testing.T) []attach.Sighting {
	t.Helper()
	return p.read(t, p.files(t), &claude.Rows{})
}

// inFilesBackwards reads the files in reverse, and compares no file with another.
func (p *player) inFilesBackwards(t *testing.T) []attach.Sighting {
	t.Helper()
	list := p.files(t)
	var back []string
	for _, f := range list {
		back = append([]string{f}, back...)
	}
	return p.read(t, back, nil)
}

func (p *player) read(t *testing.T, files []string, others *claude.Rows) (all []attach.Sighting) {
	t.Helper()
	for _, name := range files {
		in, err := os.Open(name)
		require.NoError(t, err)
		r := claude.NewReader(others, false)
		for s, err := range r.Read(in) {
			require.NoError(t, err)
			all = append(all, s)
		}
		require.NoError(t, in.Close())
		report := r.Report()
		assert.Zero(t, report.Malformed+report.Torn+report.TooLong+report.Cut, "%s: %+v", name, report)
		all = append(all, spawned(t, name)...)
	}
	return all
}

// spawned returns what stands beside the session file of a sub-agent.
func spawned(t *testing.T, name string) []attach.Sighting {
	t.Helper()
	sub, isSub := strings.CutPrefix(strings.TrimSuffix(filepath.Base(name), ".jsonl"), "agent-")
	if !isSub {
		return nil
	}
	meta, err := os.ReadFile(strings.TrimSuffix(name, ".jsonl") + ".meta.json")
	require.NoError(t, err)
	s, err := claude.Spawned(meta, session, sub)
	require.NoError(t, err)
	return []attach.Sighting{s}
}

// judgeAnswers holds that each answer that was sent is in the file once: its thought, its text, its calls
// with their parameters and places, its usage. Nothing else is.
func judgeAnswers(t *testing.T, sent []said, file []attach.Sighting) {
	all := 0
	for _, a := range sent {
		mine := attachtest.Those(file, func(s *attach.Sighting) bool { return s.Group == a.ID && s.Ended == nil })
		var want []attach.Sighting
		switch {
		case a.Thinking == "-":
			want = append(want, attach.Sighting{Sealed: &attach.Sealed{Bytes: 64}})
		case a.Thinking != "":
			want = append(want, attach.Sighting{Said: &attach.Said{Text: a.Thinking, Summary: true}})
		}
		if a.Text != "" {
			want = append(want, attach.Sighting{Said: &attach.Said{Text: a.Text, Final: len(a.Calls) == 0}})
		}
		for _, c := range a.Calls {
			input, err := json.Marshal(c.Input)
			require.NoError(t, err)
			want = append(want, attach.Sighting{Call: c.ID, Called: &attach.Called{Tool: c.Tool, Params: input}})
		}
		blocks := len(want)
		want = append(want, attach.Sighting{Used: &attach.Used{Input: 140, Output: 20 + blocks, Cached: 40}})
		require.Len(t, mine, len(want), "%s", attachtest.Lines(t, mine))
		for i, s := range mine {
			if i < blocks {
				assert.Equal(t, i, s.Index, a.ID)
			}
			attachtest.AssertSame(t, want[i], s)
		}
		all += len(want)
	}
	grouped := attachtest.Those(file, func(s *attach.Sighting) bool { return s.Group != "" && s.Ended == nil })
	assert.Len(t, grouped, all, "what nobody sent")
}

// tally counts what the stand-in sent.
func tally(sent []said) (n attachtest.Tally) {
	for _, a := range sent {
		n.Add(len(a.Calls), a.Text, a.Thinking)
	}
	return n
}
