//go:build realagents

package realtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
)

// endsOf returns how the calls ended, each of which does once.
func endsOf(t *testing.T, list []attach.Sighting) map[string]*attach.Returned {
	t.Helper()
	ends := map[string]*attach.Returned{}
	for _, s := range list {
		if s.Returned != nil {
			assert.NotContains(t, ends, s.Call, "a call ends once")
			ends[s.Call] = s.Returned
		}
	}
	return ends
}

// judgeFileResults holds how the calls ended that the plans let end in their ways.
func judgeFileResults(t *testing.T, file []attach.Sighting) {
	ends := endsOf(t, file)
	assert.Len(t, ends, 16)
	assert.JSONEq(t, `"port: 8080\n"`, string(ends[readCall].Result))
	assert.Positive(t, ends[readCall].Took)
	assert.JSONEq(t, `"notes.txt\n"`, string(ends[listCall].Result))
	assert.Equal(t, "Exit code 3\nno such port", ends[failedCall].Error)
	assert.Contains(t, string(ends[patchCall].Result), `-port: 8080\n+port: 9090`)
	assert.True(t, ends[longCall].Partial, "the program keeps 64 KiB")
	assert.JSONEq(t, `"late\n"`, string(ends[lateCall].Result), "what the command wrote in the background")
	for id, e := range ends {
		failed := id == failedCall || id == strayCall || id == badPatch
		assert.Equal(t, failed, e.Error != "", "%s: %+v", id, e)
	}
}

// judgeHookResults holds that what hooks tell of a result is the file's, but that they do not know which command
// failed, and say so; and that no hook tells the end of a patch that is piped through the shell.
func judgeHookResults(t *testing.T, file, hooks []attach.Sighting) {
	ends, told := endsOf(t, file), endsOf(t, hooks)
	assert.Len(t, told, 12)
	assert.NotContains(t, told, patchCall)
	assert.NotContains(t, told, badPatch)
	for id, h := range told {
		switch f := ends[id]; {
		case id == failedCall:
			assert.JSONEq(t, `"no such port\n"`, string(h.Result))
			assert.True(t, h.Partial)
		case id == longCall:
			assert.True(t, h.Partial)
		default:
			require.NotNil(t, f, id)
			assert.JSONEq(t, string(f.Result), string(h.Result), id)
		}
	}
}

// judgeSubs holds that a sub-agent's calls are its own, and that the call that began it is named.
func judgeSubs(t *testing.T, list []attach.Sighting) {
	for call, its := range map[string]struct{ inner, kind, answer string }{
		agentCall:  {"call_sub0a", "explorer", "They say 8080."},
		forkedCall: {"call_later0a", "default", "Later it is."},
	} {
		began := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Spawned != nil && s.Call == call })
		require.NotEmpty(t, began, call)
		assert.Equal(t, its.kind, began[0].Spawned.Kind)
		inner := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Call == its.inner && s.Called != nil })
		require.NotEmpty(t, inner, its.inner)
		assert.Equal(t, began[0].Sub, inner[0].Sub)
		assert.Equal(t, began[0].Session, inner[0].Session)
		// Hooks leave the turn to the server, since the program names there one that nobody prompted.
		assert.Contains(t, []string{began[0].Turn, ""}, inner[0].Turn)
		ends := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Ended != nil && s.Sub == began[0].Sub })
		if assert.Len(t, ends, 1) {
			assert.Equal(t, its.answer, ends[0].Ended.Answer)
		}
	}
	outer := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Called != nil && s.Call == listCall })
	assert.Empty(t, outer[0].Sub)
}

// judgeTurns holds that prompts begin turns, that what follows belongs to them, and that a fork is a session of its own
// without the turns that it was made of.
func judgeTurns(t *testing.T, list []attach.Sighting, session string) {
	prompts := map[string]attach.Sighting{}
	for _, s := range attachtest.Those(list, func(s *attach.Sighting) bool { return s.Prompted != nil }) {
		word, isPlan := strings.CutPrefix(s.Prompted.Text, "PLAN:")
		assert.True(t, isPlan, s.Prompted.Text)
		assert.NotContains(t, prompts, word, "a prompt is told once")
		prompts[word] = s
	}
	require.Len(t, prompts, 3)
	for word, plan := range map[string]struct {
		calls  []string
		answer string
	}{
		"one go":   {[]string{readCall, failedCall, agentCall}, "The port is 8080."},
		"two go":   {[]string{longCall, lateCall, forkedCall}, "Counted."},
		"three go": {[]string{"call_three0a"}, "Forked."},
	} {
		for _, call := range plan.calls {
			its := attachtest.Those(list, func(s *attach.Sighting) bool {
				return s.Call == call && (s.Called != nil || s.Returned != nil)
			})
			require.NotEmpty(t, its, call)
			for _, s := range its {
				assert.Equal(t, prompts[word].Turn, s.Turn, call)
				assert.Equal(t, prompts[word].Session, s.Session, call)
			}
		}
		ends := attachtest.Those(list, func(s *attach.Sighting) bool {
			return s.Ended != nil && s.Sub == "" && s.Turn == prompts[word].Turn
		})
		if assert.Len(t, ends, 1, word) {
			assert.Equal(t, plan.answer, ends[0].Ended.Answer)
		}
	}
	assert.Equal(t, session, prompts["one go"].Session)
	assert.Equal(t, session, prompts["two go"].Session)
	assert.NotEqual(t, session, prompts["three go"].Session)
}
