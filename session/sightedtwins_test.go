package session_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/session"
)

// TestCallsThatShareAnIDAreNotOne holds that a call is never shown with the result of another one that a provider gave
// the same id, in whatever order the facts come.
func TestCallsThatShareAnIDAreNotOne(t *testing.T) {
	first, second := in("m1", 1, called("c", "Read", 1)), in("m2", 1, called("c", "Bash", 3))
	late := returned("c", 4)
	late.Returned.Error, late.Returned.Outcome = text("the longer of two texts"), session.Errored
	for name, c := range map[string]struct {
		facts []session.Sighting
		want  []string
	}{
		"results that name no answer": {[]session.Sighting{first, returned("c", 2), second, late},
			[]string{`1 "" Read:unknown:fallback:-`, `2 "" Bash:unknown:fallback:-`}},
		"results that do": {[]session.Sighting{first, in("m1", 2, returned("c", 2)), second, in("m2", 2, late)},
			[]string{`1 "" Read:success:fallback:-`, `2 "" Bash:error:fallback:-`}},
		"a result of one of them": {[]session.Sighting{first, second, in("m2", 2, late)},
			[]string{`1 "" Read:unknown:fallback:-`, `2 "" Bash:error:fallback:-`}},
		"one call in answers of two names": {[]session.Sighting{first, returned("c", 2),
			in("m2", 1, called("c", "Read", 1))}, []string{`1 "" Read:success:fallback:-`}},
		"a sub-agent's": {[]session.Sighting{first, returned("c", 2), of("a1", in("m2", 1, called("c", "Read", 3)))},
			[]string{`1 "" Read:unknown:fallback:-`, `agent_11 "" Read:unknown:fallback:-`}},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				s, id := attach(t)
				for _, fact := range c.facts {
					sight(t, s, id, session.FromFile, fact)
				}
				sight(t, s, id, session.FromHooks, called("c", "Bash", 3), ended("done", 9))
				assert.Equal(t, c.want, steps(firstTurn(t, s, id)))
				slices.Reverse(c.facts)
			}
		})
	}
}

// of returns a fact as one of a sub-agent.
func of(sub string, s session.Sighting) session.Sighting {
	s.Sub = sub
	return s
}

// TestTheFirstOfCallsThatShareAnIDKeepsIt holds that what a person said of it stays with it.
func TestTheFirstOfCallsThatShareAnIDKeepsIt(t *testing.T) {
	s, id := attach(t)
	sight(t, s, id, session.FromFile, in("m2", 1, called("c", "Bash", 3)), in("m1", 1, called("c", "Read", 1)))
	turn := firstTurn(t, s, id)
	call, ok := turn.Call("c")
	assert.True(t, ok)
	assert.Equal(t, "Read", call.Tool.String())
	assert.Equal(t, "c-m2", turn.Steps[1].Calls[0].ID)
}

// Hooks may tell of the calls of an answer as the file does. What telemetry has twice is two spans of one answer.
func TestWhoTellsOfCallsThatShareAnID(t *testing.T) {
	first, second := in("m1", 1, called("c", "Read", 1)), in("m2", 1, called("c", "Bash", 3))
	for channel, want := range map[session.Channel]int{
		session.FromFile: 2, session.FromHooks: 2, session.FromTelemetry: 1,
	} {
		s, id := attach(t)
		sight(t, s, id, channel, prompted("go"), first, second, ended("done", 9))
		turn, calls := firstTurn(t, s, id), 0
		for range turn.Calls() {
			calls++
		}
		assert.Equal(t, want, calls, channel)
	}
}
