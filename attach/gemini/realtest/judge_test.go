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
	"candor/attach/gemini"
)

// TestTheRealProgramsFileAndHooksTellWhatTheModelAskedFor plays the plans once with the real program, and judges both
// channels by what the stand-in sent.
func TestTheRealProgramsFileAndHooksTellWhatTheModelAskedFor(t *testing.T) {
	p := newPlayer(t)
	p.play(t)
	require.Len(t, p.model.sent, 9)
	file, hooks := p.inFile(t), p.model.Told(t, gemini.Hook)
	attachtest.LogTally(t, "Gemini CLI: sent", tally(p.model.sent))
	attachtest.LogTally(t, "Gemini CLI: told by the file", attachtest.TallyOf(file))
	attachtest.LogTally(t, "Gemini CLI: told by hooks", attachtest.TallyOf(hooks))
	t.Run("hooks have each call, in its turn", func(t *testing.T) { judgeHooks(t, p.model.sent, hooks, file) })
	t.Run("it has each answer once", func(t *testing.T) { judgeAnswers(t, p.model.sent, file) })
	t.Run("it tells how calls ended", func(t *testing.T) { judgeResults(t, file) })
	t.Run("it tells of the sub-agent", func(t *testing.T) { judgeSub(t, file) })
	t.Run("it tells of turns", func(t *testing.T) { judgeTurns(t, file) })
}

// inFile returns the sightings of the session, whose files are read one after the other.
func (p *player) inFile(t *testing.T) (all []attach.Sighting) {
	t.Helper()
	for _, name := range p.files(t) {
		all = append(all, p.read(t, name)...)
	}
	return all
}

func (p *player) read(t *testing.T, name string) (all []attach.Sighting) {
	t.Helper()
	in, err := os.Open(name)
	require.NoError(t, err)
	defer in.Close()
	r := gemini.NewReader(os.DirFS(p.project(t)), false)
	for s, err := range r.Read(in) {
		require.NoError(t, err)
		all = append(all, s)
	}
	report := r.Report()
	assert.Zero(t, report.Malformed+report.Torn+report.TooLong+report.Cut, "%+v", report)
	assert.NotContains(t, report.Skipped, "sub-agent without a file")
	about := attachtest.Those(all, func(s *attach.Sighting) bool { return s.About != nil && s.About.Folder != "" })
	require.Len(t, about, 1)
	assert.Equal(t, p.work, about[0].About.Folder)
	return all
}

// judgeAnswers holds that each answer that was sent is in the file once, in one group: its thoughts, its text, its
// calls with their parameters and in their order, its usage. Nothing else is.
func judgeAnswers(t *testing.T, sent []said, file []attach.Sighting) {
	facts := map[string][]attach.Sighting{}
	var order []string // of the answers of each agent
	for _, s := range file {
		if s.Said == nil && s.Called == nil && s.Used == nil {
			continue
		}
		if facts[s.Group] == nil {
			order = append(order, s.Group)
		}
		facts[s.Group] = append(facts[s.Group], s)
	}
	require.Len(t, order, len(sent), "what nobody sent")
	// The file of a sub-agent is read when its call has ended, and its first answer was sent after that call.
	for i, a := range sent {
		got := facts[order[i]]
		var texts, thoughts, calls []string
		used := 0
		for _, s := range got {
			assert.Equal(t, a.Plan == "sub", s.Sub != "", "%s", a.Text)
			switch {
			case s.Said != nil && s.Said.Summary:
				thoughts = append(thoughts, s.Said.Text)
			case s.Said != nil:
				texts = append(texts, s.Said.Text)
			case s.Used != nil:
				used++
				assert.Equal(t, attach.Used{Input: 140, Output: 25, Reasoning: 5, Cached: 40}, *s.Used)
			default:
				calls = append(calls, callText(t, s.Called.Tool, s.Called.Params))
				assert.Empty(t, s.Called.Reason, "a description is no reason")
				assert.True(t, strings.HasPrefix(s.Call, s.Called.Tool+"__"), s.Call)
			}
		}
		assert.Equal(t, 1, used, a.Text)
		assert.Equal(t, a.Text, strings.Join(texts, "|"))
		assert.Equal(t, a.wantThoughts(), thoughts)
		assert.Equal(t, a.wantCalls(t), calls)
	}
}

// wantThoughts returns an answer's thoughts as the program takes them apart.
func (a said) wantThoughts() (list []string) {
	for _, t := range a.Thoughts {
		list = append(list, strings.Replace(strings.TrimPrefix(t, "**"), "** ", "\n", 1))
	}
	return list
}

// wantCalls returns an answer's calls.
func (a said) wantCalls(t *testing.T) (list []string) {
	t.Helper()
	for _, c := range a.Calls {
		raw, err := json.Marshal(c.Args)
		require.NoError(t, err)
		list = append(list, callText(t, c.Tool, raw))
	}
	return list
}

// callText returns a call as a text, with its parameters in one order.
func callText(t *testing.T, tool string, params []byte) string {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal(params, &value))
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	return tool + " " + string(raw)
}

// judgeResults holds how the calls ended that the plans let end in their ways.
func judgeResults(t *testing.T, list []attach.Sighting) {
	ended := map[string]*attach.Returned{}
	for _, s := range list {
		if s.Returned != nil {
			assert.NotContains(t, ended, s.Call, "a call ends once")
			ended[s.Call] = s.Returned
		}
	}
	require.Len(t, ended, 11)
	assert.JSONEq(t, `"port: 8080\n"`, string(ended[readCall].Result))
	assert.Contains(t, string(ended[listCall].Result), "notes.txt")
	assert.Contains(t, ended[failedCall].Error, "absent.txt")
	assert.Empty(t, ended[failedCall].Result)
	assert.Contains(t, string(ended[agentCall].Result), "They say 8080.")
	assert.Contains(t, string(ended[shellCall].Result), `1\n2\n3`)
	assert.Contains(t, string(ended[exitCall].Result), `Exit Code: 3`, "the program does not call it a failure")
	assert.Contains(t, string(ended[editCall].Result), `-port: 8080\n+port: 9090`)
	assert.NotContains(t, string(ended[editCall].Result), "originalContent")
}

// judgeSub holds that the sub-agent's calls are its own, and that the call that began it is named.
func judgeSub(t *testing.T, list []attach.Sighting) {
	began := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Spawned != nil })
	require.Len(t, began, 1)
	assert.Equal(t, agentCall, began[0].Call)
	assert.Equal(t, "generalist", began[0].Spawned.Kind)
	its := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Called != nil && s.Sub == began[0].Sub })
	require.Len(t, its, 2)
	assert.Equal(t, "read_file__sub0a", its[0].Call)
	ended := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Ended != nil && s.Sub == began[0].Sub })
	require.Len(t, ended, 1)
	assert.Contains(t, ended[0].Ended.Answer, "They say 8080.")
}

// judgeTurns holds that prompts begin turns, that what follows belongs to them, and that a session that is resumed goes
// on.
func judgeTurns(t *testing.T, list []attach.Sighting) {
	prompts := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Prompted != nil })
	require.Len(t, prompts, 2, "what the program tells the model is no prompt")
	assert.Equal(t, prompts[0].Session, prompts[1].Session)
	for i, want := range []struct {
		text, answer string
		calls        int
	}{{"PLAN:one go", "The port is 8080.", 6}, {"PLAN:two go", "Counted.", 5}} {
		assert.Equal(t, want.text, prompts[i].Prompted.Text)
		its := attachtest.Those(list,
			func(s *attach.Sighting) bool { return s.Turn == prompts[i].Turn && s.Called != nil })
		assert.Len(t, its, want.calls)
		ends := attachtest.Those(list, func(s *attach.Sighting) bool {
			return s.Turn == prompts[i].Turn && s.Ended != nil && s.Sub == ""
		})
		require.Len(t, ends, 1)
		assert.Equal(t, want.answer, ends[0].Ended.Answer)
	}
}

// tally counts what the stand-in sent.
func tally(sent []said) (n attachtest.Tally) {
	for _, a := range sent {
		n.Add(len(a.Calls), a.Text, a.Thoughts...)
	}
	return n
}
