//go:build realagents

package realtest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
)

// judgeHooks holds that hooks tell of each call that was sent, with its parameters and in the turn that the file has it
// in, how it ended, as the file has it, and of the ends of turns. Which call it is they do not tell.
func judgeHooks(t *testing.T, sent []said, hooks, file []attach.Sighting) {
	var want, got []string
	for _, a := range sent {
		want = append(want, a.wantCalls(t)...)
	}
	results := map[bool][]string{}
	for _, list := range [][]attach.Sighting{hooks, file} {
		for _, s := range list {
			byHooks := s.Channel == attach.Hooks
			switch {
			case s.Called != nil && byHooks:
				call := callText(t, s.Called.Tool, s.Called.Params)
				got = append(got, call)
				assert.True(t, s.Unnamed)
				assert.True(t, slices.ContainsFunc(file, func(f attach.Sighting) bool {
					return f.Called != nil && f.Turn == s.Turn && !f.At.After(s.At) &&
						callText(t, f.Called.Tool, f.Called.Params) == call
				}), "the file has %s in this turn, in an answer before it", call)
			case s.Returned != nil:
				results[byHooks] = append(results[byHooks], string(s.Returned.Result)+s.Returned.Error)
			}
		}
	}
	assert.ElementsMatch(t, want, got)
	assert.ElementsMatch(t, results[false], results[true])
	for i, prompt := range attachtest.Those(file, func(s *attach.Sighting) bool { return s.Prompted != nil }) {
		ends := attachtest.Those(hooks,
			func(s *attach.Sighting) bool { return s.Ended != nil && s.Turn == prompt.Turn })
		require.Len(t, ends, 1)
		assert.Equal(t, []string{"The port is 8080.", "Counted."}[i], ends[0].Ended.Answer)
		assert.NotEmpty(t, attachtest.Those(hooks, func(s *attach.Sighting) bool {
			return s.Prompted != nil && s.Turn == prompt.Turn && *s.Prompted == *prompt.Prompted
		}))
	}
}
