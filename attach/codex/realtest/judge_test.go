//go:build realagents

package realtest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/codex"
)

// TestTheRealProgramsFilesAndHooksTellWhatTheModelAskedFor plays the plans once with the real program, and judges both
// channels by what the stand-in sent.
func TestTheRealProgramsFilesAndHooksTellWhatTheModelAskedFor(t *testing.T) {
	p := newPlayer(t)
	p.play(t)
	require.Len(t, p.model.sent, 18)
	file, hooks := p.inFiles(t), p.model.Told(t, codex.Hook)
	attachtest.LogTally(t, "Codex: sent", tally(p.model.sent))
	attachtest.LogTally(t, "Codex: told by the file", attachtest.TallyOf(file))
	attachtest.LogTally(t, "Codex: told by hooks", attachtest.TallyOf(hooks))
	t.Run("the file has each answer once", func(t *testing.T) { judgeAnswers(t, p.model.sent, file) })
	t.Run("hooks have each call that the program runs", func(t *testing.T) { judgeHooks(t, p.model.sent, hooks) })
	t.Run("the file tells how calls ended", func(t *testing.T) { judgeFileResults(t, file) })
	t.Run("hooks tell what calls gave", func(t *testing.T) { judgeHookResults(t, file, hooks) })
	for name, channel := range map[string][]attach.Sighting{"file": file, "hooks": hooks} {
		t.Run(name+" tells of sub-agents", func(t *testing.T) { judgeSubs(t, channel) })
		t.Run(name+" tells of turns", func(t *testing.T) { judgeTurns(t, channel, p.session) })
	}
}

// TestHooksThatNobodyTrustsDoNotRun holds what candor attach tells its user: the program runs no hook of a person who
// has not said yes to it, and without a terminal does not ask.
func TestHooksThatNobodyTrustsDoNotRun(t *testing.T) {
	p := newPlayer(t)
	p.run(t, "PLAN:three go")
	assert.NotEmpty(t, p.model.sent)
	assert.Empty(t, p.model.Hooks())
}

// inFiles returns the sightings of the rollouts.
func (p *player) inFiles(t *testing.T) (all []attach.Sighting) {
	t.Helper()
	for _, name := range p.files(t) {
		in, err := os.Open(name)
		require.NoError(t, err)
		r := codex.NewReader(false)
		for s, err := range r.Read(in) {
			require.NoError(t, err)
			all = append(all, s)
		}
		require.NoError(t, in.Close())
		report := r.Report()
		assert.Zero(t, report.Malformed+report.Torn+report.TooLong+report.Cut, "%s: %+v", name, report)
	}
	return all
}

// judgeAnswers holds that each answer that was sent is in the file once, under the API's name: its reasoning, its text,
// its calls with their parameters and places, its usage. Nothing else is.
func judgeAnswers(t *testing.T, sent []said, file []attach.Sighting) {
	all := 0
	for _, a := range sent {
		mine := attachtest.Those(file, func(s *attach.Sighting) bool { return s.Group == a.ID })
		var want []attach.Sighting
		switch {
		case a.Summary == "-":
			want = append(want, attach.Sighting{Sealed: &attach.Sealed{Bytes: len(sealed)}})
		case a.Summary != "":
			want = append(want, attach.Sighting{Said: &attach.Said{Text: a.Summary, Summary: true}})
		}
		if a.Text != "" {
			want = append(want, attach.Sighting{Said: &attach.Said{Text: a.Text, Final: len(a.Calls) == 0}})
		}
		for _, c := range a.Calls {
			input, err := json.Marshal(c.Input)
			require.NoError(t, err)
			want = append(want, attach.Sighting{Call: c.ID, Called: &attach.Called{Tool: c.Tool, Params: input}})
		}
		items := len(want)
		used := &attach.Used{Input: 140, Output: 20 + items, Cached: 40, Reasoning: 5}
		want = append(want, attach.Sighting{Used: used})
		require.Len(t, mine, len(want), a.ID)
		for i, s := range mine {
			if i < items {
				assert.Equal(t, i, s.Index, a.ID)
			}
			attachtest.AssertSame(t, want[i], s)
		}
		all += len(want)
	}
	grouped := attachtest.Those(file, func(s *attach.Sighting) bool { return s.Group != "" })
	assert.Len(t, grouped, all, "what nobody sent")
}

// judgeHooks holds that hooks tell of each call that the program runs, a command by the name and the parameter that
// they have for it. They tell of no tool that does not exist, and not of what goes on with a command.
func judgeHooks(t *testing.T, sent []said, hooks []attach.Sighting) {
	for _, a := range sent {
		for _, c := range a.Calls {
			called := attachtest.Those(hooks,
				func(s *attach.Sighting) bool { return s.Call == c.ID && s.Called != nil })
			if c.Tool == "nosuch_tool" || c.Tool == "write_stdin" {
				assert.Empty(t, called, c.ID)
				continue
			}
			tool, input := c.Tool, c.Input
			if tool == "exec_command" {
				tool, input = "Bash", object{"command": c.Input["cmd"]}
			}
			want, err := json.Marshal(input)
			require.NoError(t, err)
			require.NotEmpty(t, called, c.ID)
			for _, s := range called {
				assert.True(t, strings.HasSuffix(s.Called.Tool, tool), s.Called.Tool)
				assert.JSONEq(t, string(want), string(s.Called.Params))
			}
		}
	}
}

// tally counts what the stand-in sent.
func tally(sent []said) (n attachtest.Tally) {
	for _, a := range sent {
		n.Add(len(a.Calls), a.Text, a.Summary)
	}
	return n
}
