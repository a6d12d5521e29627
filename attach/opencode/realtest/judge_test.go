//go:build realagents

package realtest

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/opencode"
)

// TestTheRealProgramsDatabaseAndPluginTellWhatTheModelAskedFor plays the plans once with the real program, and judges
// both channels by what the stand-in sent.
func TestTheRealProgramsDatabaseAndPluginTellWhatTheModelAskedFor(t *testing.T) {
	p := newPlayer(t)
	p.play(t)
	require.GreaterOrEqual(t, len(p.model.sent), 11)
	attachtest.LogTally(t, "OpenCode: sent", tally(p.model.sent))
	for name, list := range map[string][]attach.Sighting{"file": p.inFile(t), "plugin": p.inHooks(t)} {
		attachtest.LogTally(t, "OpenCode: told by the "+name, attachtest.TallyOf(list))
		t.Run(name, func(t *testing.T) {
			judgeAnswers(t, p.model.sent, list)
			judgeResults(t, p.work, list)
			judgeSubs(t, list)
			judgeTurns(t, p.session, list)
		})
	}
	t.Run("both tell the same", func(t *testing.T) {
		assert.ElementsMatch(t, facts(t, p.inFile(t)), facts(t, p.inHooks(t)))
	})
}

// inHooks returns the sightings of what the plugin posted. What is told of one place twice was not whole at first.
func (p *player) inHooks(t *testing.T) (all []attach.Sighting) {
	t.Helper()
	at := map[string]int{}
	for _, raw := range p.model.Hooks() {
		list, err := opencode.Hook(raw)
		require.NoError(t, err, "%s", raw)
		for _, s := range list {
			place := fmt.Sprint(s.Session, s.Turn, s.Sub, s.Group, s.Index, s.Call, s.About != nil, s.Called != nil,
				s.Returned != nil, s.Spawned != nil, s.Used != nil, s.Ended != nil)
			if i, known := at[place]; known {
				all[i] = s
				continue
			}
			at[place] = len(all)
			all = append(all, s)
		}
	}
	return all
}

// facts returns what sightings tell, but for what is known of whole sessions, as JSON without the channel.
func facts(t *testing.T, list []attach.Sighting) (all []string) {
	t.Helper()
	for _, s := range list {
		if s.About != nil {
			continue
		}
		s.Channel = ""
		raw, err := json.Marshal(s)
		require.NoError(t, err)
		all = append(all, string(raw))
	}
	return all
}

// inFile returns the sightings of the database.
func (p *player) inFile(t *testing.T) (all []attach.Sighting) {
	t.Helper()
	r := opencode.NewReader(p.database())
	r.Told = func(what string) { assert.Fail(t, what) }
	for s, err := range r.Read(t.Context()) {
		require.NoError(t, err)
		all = append(all, s)
	}
	report := r.Report()
	assert.Zero(t, report.Malformed+report.Torn+report.TooLong+report.Cut, "%+v", report)
	assert.Empty(t, report.Skipped)
	assert.Positive(t, report.Copied, "the fork begins with copies")
	return all
}

// judgeAnswers holds that each answer that was sent is told once: its thought, its text, its calls with their
// parameters and in their order, its tokens, all of one group. Nothing else is.
func judgeAnswers(t *testing.T, sent []said, list []attach.Sighting) {
	t.Helper()
	facts := 0
	for _, a := range sent {
		var group string
		for i, c := range a.Calls {
			called := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Call == c.ID && s.Called != nil })
			require.Len(t, called, 1, c.ID)
			assert.Equal(t, c.Tool, called[0].Called.Tool)
			assert.Empty(t, called[0].Called.Reason, "a description is no reason")
			judgeParams(t, c, called[0])
			if i > 0 {
				assert.Equal(t, group, called[0].Group, "calls of one answer")
			}
			group = called[0].Group
		}
		if a.Text != "" {
			texts := attachtest.Those(list,
				func(s *attach.Sighting) bool { return s.Said != nil && s.Said.Text == a.Text })
			require.Len(t, texts, 1, a.Text)
			assert.Equal(t, len(a.Calls) == 0, texts[0].Said.Final)
			if group != "" {
				assert.Equal(t, group, texts[0].Group)
			}
			group = texts[0].Group
			facts++
		}
		if a.Thought != "" {
			thoughts := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Said != nil && s.Said.Summary })
			require.Len(t, thoughts, 1)
			assert.Equal(t, group+a.Thought, thoughts[0].Group+thoughts[0].Said.Text)
			facts++
		}
		cost := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Group == group && s.Used != nil })
		require.Len(t, cost, 1)
		assert.Equal(t, attach.Used{Input: 140, Output: a.Output, Reasoning: 5, Cached: 40}, *cost[0].Used)
		facts += len(a.Calls) + 1
	}
	grouped := attachtest.Those(list,
		func(s *attach.Sighting) bool { return s.Called != nil || s.Said != nil || s.Used != nil })
	assert.Len(t, grouped, facts, "what nobody sent")
}

// judgeParams holds that a call has the parameters that were sent. Those of a tool that does not exist are not kept.
func judgeParams(t *testing.T, c asked, s attach.Sighting) {
	t.Helper()
	if c.ID == unknownCall {
		assert.Empty(t, s.Called.Params)
		return
	}
	input, err := json.Marshal(c.Input)
	require.NoError(t, err)
	assert.JSONEq(t, string(input), string(s.Called.Params))
}

// judgeResults holds how the calls ended that the plans let end in their ways.
func judgeResults(t *testing.T, work string, list []attach.Sighting) {
	t.Helper()
	ended := map[string]*attach.Returned{}
	for _, s := range list {
		if s.Returned != nil {
			assert.NotContains(t, ended, s.Call, "a call ends once")
			ended[s.Call] = s.Returned
		}
	}
	assert.Len(t, ended, 11)
	assert.Contains(t, string(ended[readCall].Result), "port: 8080")
	assert.JSONEq(t, `{"output":"notes.txt\n","exitCode":0}`, string(ended[listCall].Result))
	assert.JSONEq(t, `{"output":"no such port\n","exitCode":3}`, string(ended[exitCall].Result))
	assert.Contains(t, ended[missingCall].Error, filepath.Join(work, "missing.txt"))
	assert.Contains(t, ended[unknownCall].Error, "nosuch")
	assert.Contains(t, string(ended[agentCall].Result), "They say 8080.")
	assert.True(t, ended[deniedCall].Denied, "%+v", ended[deniedCall])
	assert.True(t, ended[longCall].Partial)
	assert.Contains(t, string(ended[editCall].Result), "+port: 9090")
}

// judgeSubs holds that a sub-agent's calls are its own, in the turn and under the call that began it.
func judgeSubs(t *testing.T, list []attach.Sighting) {
	t.Helper()
	began := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Spawned != nil })
	require.NotEmpty(t, began)
	assert.Equal(t, agentCall+" general m", strings.Join([]string{began[0].Call, began[0].Spawned.Kind,
		began[0].Spawned.Model}, " "))
	outer := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Called != nil && s.Call == agentCall })[0]
	inner := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Called != nil && s.Call == innerCall })[0]
	assert.Empty(t, outer.Sub)
	assert.Equal(t, began[0].Sub, inner.Sub)
	assert.Equal(t, outer.Turn+outer.Session, inner.Turn+inner.Session)
	ends := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Ended != nil && s.Sub == inner.Sub })
	require.Len(t, ends, 1)
	assert.Equal(t, "They say 8080.", ends[0].Ended.Answer)
}

// judgeTurns holds that prompts begin turns, that what follows belongs to them, and that those of a fork are a session
// of their own.
func judgeTurns(t *testing.T, session string, list []attach.Sighting) {
	t.Helper()
	asked := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Prompted != nil })
	require.Len(t, asked, 3)
	for i, c := range []struct{ word, call, answer string }{
		{"one", readCall, "The port is 8080."}, {"two", editCall, "Counted."}, {"three", forkedCall, "Forked."},
	} {
		assert.Contains(t, asked[i].Prompted.Text, "PLAN:"+c.word)
		assert.Equal(t, c.word != "three", asked[i].Session == session)
		its := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Call == c.call })
		require.NotEmpty(t, its)
		for _, s := range its {
			assert.Equal(t, asked[i].Session+asked[i].Turn, s.Session+s.Turn, c.call)
		}
		ends := attachtest.Those(list, func(s *attach.Sighting) bool {
			return s.Ended != nil && s.Sub == "" && s.Turn == asked[i].Turn
		})
		require.Len(t, ends, 1)
		assert.Equal(t, c.answer, ends[0].Ended.Answer)
	}
}

// tally counts what the stand-in sent.
func tally(sent []said) (n attachtest.Tally) {
	for _, a := range sent {
		n.Add(len(a.Calls), a.Text, a.Thought)
	}
	return n
}
