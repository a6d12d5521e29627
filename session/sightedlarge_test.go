package session_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/session"
)

// TestManySubAgentsOfACallAreShown takes a quarter of a minute if the cost grows with the square of the facts.
func TestManySubAgentsOfACallAreShown(t *testing.T) {
	const n = 6600 // three facts each, of as many as a turn may have
	s, id := attach(t)
	var facts []session.Sighting
	for i := range n {
		facts = append(facts, in(fmt.Sprintf("m%05d", i), 0, called("c", "Task", 1)))
		begun := of(fmt.Sprintf("a%05d", i), session.Sighting{At: second(2), Call: "c"})
		begun.Spawned = &session.SightedAgent{Kind: text("k")}
		end := of(begun.Sub, ended("done", 3))
		facts = append(facts, begun, end)
	}
	sight(t, s, id, session.FromFile, facts...)
	turn := firstTurn(t, s, id)
	assert.Len(t, turn.Handoffs, 2*n)
}
