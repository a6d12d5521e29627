//go:build realagents

package realtest

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/transcript"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// TestTheRealProgramAsksItsModelForReasons counts how many calls have a reason when the model gives all that it is
// asked for, those of every other answer, or none, and when nobody asks. Every reason has to be that of its call, by
// hooks alone and with the session file beside them. How real models answer cannot be measured here.
func TestTheRealProgramAsksItsModelForReasons(t *testing.T) {
	always := func(int) bool { return true }
	for name, c := range map[string]struct {
		asks                bool
		obeys               func(step int) bool
		byHooks, withReason int // of six calls, one of them a sub-agent's
	}{
		"a model that obeys":           {true, always, 5, 6},
		"one that obeys half the time": {true, func(step int) bool { return step%2 == 0 }, 4, 5},
		"one that does not":            {true, nil, 0, 0},
		"one that nobody asks":         {false, always, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			p.model.obeys = c.obeys
			s := apptest.Start(t, app.Settings{}, nil)
			p.token = apptest.TokenOf("ann")
			hooks := commands(t).Reporting()
			if c.asks {
				hooks = commands(t).Reminding(hooks)
			}
			p.attach(t, hooks, s.HTTP.URL)
			p.prompt(t, "PLAN:one go", "--session-id", session)
			assert.Equal(t, c.byHooks, explained(t, s), "by hooks")
			files := transcript.Walk{Places: []string{p.home}, Send: func(_ context.Context, b []byte, _ int) error {
				r := s.Post("ann", "/api/attached", string(b))
				assert.Equal(t, http.StatusOK, r.Status, r.Body)
				return nil
			}}
			require.NoError(t, files.Once(t.Context()))
			assert.Equal(t, c.withReason, explained(t, s), "with the session file")
			assert.Empty(t, p.model.Strayed())
		})
	}
}

// explained returns how many calls of ann's only turn have a reason. Each is that of its call, and stands in no
// narrative.
func explained(t *testing.T, s *apptest.Server) (n int) {
	t.Helper()
	threads := s.Session("ann").Threads()
	require.Len(t, threads, 1)
	turns := s.Get("ann", "/api/chat/history?thread_id="+threads[0].ID).JSON()["turns"].([]any)
	require.Len(t, turns, 1)
	reasons := turns[0].(apptest.M)["reasoning"].(apptest.M)
	left := map[string]int{}
	for _, one := range plans()["one"] {
		for _, c := range one.Calls {
			left[c.Tool+": "+reasonOf(c.ID)]++
		}
	}
	left["Read: "+reasonOf("toolu_sub0a")]++
	for _, one := range reasons["tool_decisions"].([]any) {
		d := one.(apptest.M)
		if d["rationale_source"] != "model" {
			continue
		}
		n++
		key := d["tool_name"].(string) + ": " + d["rationale"].(string)
		assert.Positive(t, left[key], "%s was not given for a call", key)
		left[key]--
	}
	for _, one := range reasons["narratives"].([]any) {
		assert.False(t, strings.Contains(one.(apptest.M)["narrative"].(string), "Reason for") && n > 0)
	}
	return n
}
