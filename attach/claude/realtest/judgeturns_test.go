//go:build realagents

package realtest

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
)

// judgeHooks holds that hooks tell of each call with its parameters, in which the program has made paths absolute, of
// the calls of an answer together, and of the texts of the agent that the person speaks to.
func judgeHooks(t *testing.T, sent []said, hooks []attach.Sighting, work string) {
	for _, a := range sent {
		var ids []string
		for _, c := range a.Calls {
			ids = append(ids, c.ID)
			if path, ok := c.Input["file_path"].(string); ok {
				c.Input["file_path"] = filepath.Join(work, path)
			}
			input, err := json.Marshal(c.Input)
			require.NoError(t, err)
			called := attachtest.Those(hooks,
				func(s *attach.Sighting) bool { return s.Call == c.ID && s.Called != nil })
			require.NotEmpty(t, called, c.ID)
			for _, s := range called {
				assert.Equal(t, c.Tool, s.Called.Tool)
				assert.JSONEq(t, string(input), string(s.Called.Params))
			}
		}
		batches := attachtest.Those(hooks,
			func(s *attach.Sighting) bool { return s.Batched != nil && len(ids) > 0 && s.Batched.Calls[0] == ids[0] })
		if len(ids) > 0 && assert.Len(t, batches, 1, a.ID) {
			assert.Equal(t, ids, batches[0].Batched.Calls)
		}
		told := attachtest.Those(hooks, func(s *attach.Sighting) bool { return s.Said != nil && s.Said.Text == a.Text })
		if a.Text != "" && a.Plan != "sub" && a.Plan != "later" {
			assert.Len(t, told, 1, a.Text)
		}
	}
}

// judgeResults holds how the calls ended that the plans let end in their ways.
func judgeResults(t *testing.T, channel string, list []attach.Sighting) {
	ended := map[string]*attach.Returned{}
	for _, s := range list {
		if s.Returned != nil {
			assert.NotContains(t, ended, s.Call, "a call ends once")
			ended[s.Call] = s.Returned
		}
	}
	assert.Contains(t, string(ended[readCall].Result), "port: 8080")
	assert.Contains(t, string(ended[listCall].Result), "notes.txt")
	assert.Equal(t, "Exit code 3\nno such port", ended[failedCall].Error)
	assert.Contains(t, string(ended[agentCall].Result), "They say 8080.")
	assert.True(t, ended[longCall].Partial)
	assert.Contains(t, string(ended[editCall].Result), "structuredPatch")
	assert.NotContains(t, string(ended[editCall].Result), "originalFile")
	if channel == "hooks" {
		assert.NotContains(t, ended, refusedCall, "no hook tells of a call that the settings refuse")
		return
	}
	assert.True(t, ended[refusedCall].Denied)
	assert.NotEmpty(t, ended[refusedCall].Error)
	assert.Len(t, ended, 11)
}

// judgeSubs holds that a sub-agent's calls are its own, and that the call that began it is named.
func judgeSubs(t *testing.T, list []attach.Sighting) {
	for call, inner := range map[string]string{agentCall: "toolu_sub0a", laterCall: "toolu_later0a"} {
		began := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Spawned != nil && s.Call == call })
		require.NotEmpty(t, began, call)
		assert.Equal(t, call == laterCall, began[0].Spawned.Background)
		its := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Call == inner && s.Called != nil })
		require.NotEmpty(t, its, inner)
		assert.NotEmpty(t, its[0].Sub)
		assert.Equal(t, began[0].Sub, its[0].Sub)
		answers := attachtest.Those(list,
			func(s *attach.Sighting) bool { return s.Ended != nil && s.Sub == began[0].Sub })
		if assert.Len(t, answers, 1) {
			assert.Contains(t, []string{"They say 8080.", "Later it is."}, answers[0].Ended.Answer)
		}
	}
	outer := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Called != nil && s.Call == listCall })
	assert.Empty(t, outer[0].Sub)
}

// judgeTurns holds that prompts begin turns, that what follows belongs to them, and that the turns of a fork are a
// session of their own.
func judgeTurns(t *testing.T, list []attach.Sighting) {
	asked := map[string]attach.Sighting{}
	for _, s := range list {
		if s.Prompted == nil {
			continue
		}
		word, isPlan := strings.CutPrefix(s.Prompted.Text, "PLAN:")
		assert.Equal(t, isPlan, s.Prompted.By == "", "%s by %s", s.Prompted.Text, s.Prompted.By)
		if isPlan {
			assert.NotContains(t, asked, word, "a prompt is told once")
			asked[word] = s
		}
	}
	require.Len(t, asked, 3)
	for word, calls := range map[string][]string{"one go": {readCall, refusedCall, "toolu_sub0a"},
		"two go": {longCall, editCall}, "three go": {"toolu_three0a"}} {
		for _, call := range calls {
			its := attachtest.Those(list,
				func(s *attach.Sighting) bool { return s.Call == call && (s.Called != nil || s.Returned != nil) })
			require.NotEmpty(t, its, call)
			for _, s := range its {
				assert.Equal(t, asked[word].Turn, s.Turn, call)
				assert.Equal(t, asked[word].Session, s.Session, call)
			}
		}
		over := attachtest.Those(list, func(s *attach.Sighting) bool {
			return s.Ended != nil && s.Sub == "" && s.Turn == asked[word].Turn
		})
		assert.NotEmpty(t, over, "%s has no end", word)
	}
	assert.Equal(t, session, asked["one go"].Session)
	assert.Equal(t, session, asked["two go"].Session)
	assert.NotEqual(t, session, asked["three go"].Session)
}

// judgeBoth holds that a result is the same in both channels. That of a sub-agent's call is not: its file has the
// text that the model read, and the hook what the program keeps.
func judgeBoth(t *testing.T, file, hooks []attach.Sighting) {
	compared := 0
	for _, h := range hooks {
		if h.Returned == nil || h.Sub != "" {
			continue
		}
		f := attachtest.Those(file, func(s *attach.Sighting) bool { return s.Returned != nil && s.Call == h.Call })
		require.Len(t, f, 1)
		compared++
		assert.Equal(t, h.Returned.Error, f[0].Returned.Error)
		assert.Equal(t, h.Returned.Partial, f[0].Returned.Partial, h.Call)
		if h.Returned.Error == "" {
			assert.JSONEq(t, string(f[0].Returned.Result), string(h.Returned.Result))
		}
	}
	assert.Equal(t, 8, compared)
	forks := attachtest.Those(file, func(s *attach.Sighting) bool { return s.About != nil && s.About.ForkOf != "" })
	require.Len(t, forks, 1)
	assert.Equal(t, session, forks[0].About.ForkOf)
	assert.NotEqual(t, session, forks[0].Session)
}
