package openwop

import "candor/session"

// Mode is which events of a run a stream shows.
type Mode string

// The modes. OpenWOP's table has the agents' events and the start of a node in debug only; updates
// shows them as well, since clients of other hosts look for them there.
const (
	Updates  Mode = "updates"  // every event that OpenWOP knows
	Values   Mode = "values"   // a snapshot of the run for each event of the run or of a node
	Messages Mode = "messages" // the answer
	Debug    Mode = "debug"    // every event
)

// Modes returns the names of all modes.
func Modes() []Mode { return []Mode{Updates, Values, Messages, Debug} }

// Show returns the event as a stream of this mode has it, and whether it has it. t is the turn at
// that event. What it shows in place of an event has that event's number and id, so that a stream
// resumes at the same place in each mode.
func (m Mode) Show(v View, t session.Turn, e Event) (Event, bool) {
	switch m {
	case Debug:
		return e, true
	case Updates:
		return e, e.Kind != EscalationSuppressed
	case Values:
		return asSnapshot(v, t, e)
	case Messages:
		return asChunk(t, e)
	}
	return Event{}, false
}

// asSnapshot returns a snapshot in place of an event that changes the state of the run or of a node.
func asSnapshot(v View, t session.Turn, e Event) (Event, bool) {
	if e.Kind > NodeResumed && e.Kind != OrchestratorDecided {
		return Event{}, false
	}
	e.Kind, e.Payload = StateSnapshot, Snapshot(v, t)
	return e, true
}

// asChunk returns the answer in place of the event that ends a run which has one.
func asChunk(t session.Turn, e Event) (Event, bool) {
	if e.Kind != RunCompleted || t.Response.Empty() || !hasAgent(t) {
		return Event{}, false
	}
	node := agentNode
	for _, n := range t.Nodes {
		if agentOf(n.NodeStarted) != "" {
			node = ours(n.Node)
		}
	}
	e.Kind, e.Node = MessageChunk, string(node)
	e.Payload = messageChunk{NodeID: node, RunID: ours(e.Run), Chunk: t.Response, IsLast: true}
	return e, true
}
