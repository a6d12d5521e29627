package session

import (
	"strings"
	"time"

	"candor/safety"
)

// This file has the agents of a worker that work within a call of another.

// calledBy notes that a call of another agent began an agent's work in the call's turn. The first such call of an agent
// counts, so that what the agent did stands in one place, and none that the agent itself caused.
func (f *jobFold) calledBy(e Event, agent safety.Text, caller string) {
	c, to, turn := f.call(caller), agent.String(), f.places[caller].turn
	if c == nil || to == "" || turn != f.current || f.callers[speaker{turn, to}] != "" {
		return
	}
	for above := c; above != nil; above = f.call(f.callers[speaker{turn, above.Agent}]) {
		if above.Agent == to {
			return
		}
	}
	f.callers[speaker{turn, to}] = caller
	if f.within[caller] == "" {
		f.within[caller] = to
	}
	name := agent.Part(strings.LastIndexByte(to, '/')+1, len(to))
	f.handOver(turn, Handoff{Call: c.ID, From: c.Agent, To: to, Who: Profile{Name: name}}, e.At)
}

// handBack notes that a call has ended within which another agent worked. What that agent made of its task is the
// call's result.
func (f *jobFold) handBack(c *Call, at time.Time) {
	if of := f.within[c.ID]; of != "" {
		delete(f.within, c.ID)
		f.handOver(f.places[c.ID].turn, Handoff{Call: c.ID, From: of, To: c.Agent, Text: c.Error}, at)
	}
}

// handOver adds a hand-off to a turn.
func (f *jobFold) handOver(turn int, passed Handoff, at time.Time) {
	t := &f.turns[turn]
	t.Handoffs = append(t.Handoffs, HandoffAt{passed, at})
}
