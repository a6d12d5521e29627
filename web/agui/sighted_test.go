package agui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// sightedFacts are those of a turn, as hooks tell them in order.
func sightedFacts() []session.Sighting {
	at := func(n int) time.Time { return time.Date(2026, 11, 1, 10, 0, n, 0, time.UTC) }
	call := func(n int, id string) session.Sighting {
		return session.Sighting{At: at(n), Group: "m" + id, Call: id, Called: &session.SightedCall{
			Tool: words("Bash"), Rationale: session.Fallback()}}
	}
	result := func(n int, id string) session.Sighting {
		return session.Sighting{At: at(n), Call: id, Returned: &session.SightedResult{Outcome: session.Errored,
			Error: words("exit " + id)}}
	}
	said := func(n int, group, text string) session.Sighting {
		return session.Sighting{At: at(n), Group: group, Said: &session.SightedText{
			Text: words(text), Source: session.FromModel}}
	}
	return []session.Sighting{
		{At: at(0), Prompted: &session.SightedPrompt{Text: words("Why does it fail?")}},
		said(1, "m1", "I run the test."), call(2, "1"), result(3, "1"),
		said(4, "m2", "I look at the port."), call(5, "2"), result(6, "2"),
		{At: at(7), Ended: &session.SightedEnd{State: session.Completed, Response: words("The port is taken.")}},
	}
}

// sightedRun returns what a client is shown of a turn whose facts come one by one, and what the log then has.
func sightedRun(t *testing.T, view View, facts []session.Sighting) (all []Event) {
	t.Helper()
	own, err := session.NewMemory(nil).Open(t.Context(), "ann")
	require.NoError(t, err)
	thread, err := own.OpenObserved("claude/1", session.Origin{Protocol: session.AttachedProtocol,
		Space: words("billing"), Participant: words("Claude Code")})
	require.NoError(t, err)
	for _, f := range facts {
		_, err := own.Sight(thread, session.Sighted{Key: "p1", Channel: session.FromHooks,
			Sightings: []session.Sighting{f}})
		require.NoError(t, err)
	}
	p, v := NewProjector(view), &verifier{}
	for up, err := range own.Watch(t.Context(), 0) {
		require.NoError(t, err)
		events := p.Project(up.Turn, up.Event)
		all = append(all, events...)
		check(t, v, events, all)
		if up.Event.Seq == own.Head() {
			break
		}
	}
	require.NoError(t, v.done())
	return all
}

func TestATurnOfAnAttachedAgentIsShownAsItIsHeardOf(t *testing.T) {
	view := View{Thread: "t", Version1: true, Reasoning: Full, UserMessages: true, Observed: true}
	all := sightedRun(t, view, sightedFacts())
	var said []string
	for _, m := range reduce(all) {
		text := ""
		if m.Content != nil {
			text = *m.Content
		}
		for _, c := range m.ToolCalls {
			text += c.Function.Name
		}
		said = append(said, m.Role+": "+text)
	}
	none := "reasoning: " + session.Fallback().Text.String()
	assert.Equal(t, []string{
		"user: Why does it fail?",
		"reasoning: I run the test.", none, "assistant: Bash", "tool: exit 1",
		"reasoning: I look at the port.", none, "assistant: Bash", "tool: exit 2",
		"assistant: The port is taken.",
	}, said)
	last, ok := all[len(all)-1].(*Run)
	require.True(t, ok)
	assert.Equal(t, RunFinished, last.Type)
}

func TestFactsOfAnAttachedAgentInAnyOrderMakeWellFormedRuns(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			facts := append(sightedFacts(), sightedFacts()...)
			random.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
			for _, view := range views() {
				view.Observed = true
				all := sightedRun(t, view, facts)
				checkWire(t, view, all)
				runs, calls := 0, map[string]int{}
				for _, e := range all {
					if r, ok := e.(*Run); ok && r.Type == RunStarted {
						runs++
					}
					if c, ok := e.(*Call); ok && c.Type == ToolStart {
						calls[c.ToolCallID]++
					}
				}
				assert.Equal(t, 1, runs)
				for id, n := range calls {
					assert.Equal(t, 1, n, id)
				}
			}
		})
	}
}

func TestAnAttachedAgentsTurnEndsAsItWasHeard(t *testing.T) {
	view := View{Thread: "t", Version1: true, Reasoning: Full, Observed: true}
	for state, want := range map[session.State]string{
		session.Failed: "turn_failed", session.Interrupted: "cancelled",
	} {
		facts := sightedFacts()[:4]
		facts = append(facts, session.Sighting{Ended: &session.SightedEnd{State: state, Error: words("no credit")}})
		all := sightedRun(t, view, facts)
		var code string
		switch last := all[len(all)-1].(type) {
		case *Failure:
			code = last.Code
			assert.Contains(t, strings.ToLower(last.Message), "no credit")
		case *Run:
			code = last.Outcome.Type
		}
		assert.Equal(t, want, code)
	}
}
