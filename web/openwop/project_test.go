package openwop_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/openwop"
)

// FuzzRunsAreWellFormed holds that any order of events that a loop can cause becomes a run as the
// schemas and the promises of Projector have it, for each client and however far it has come.
func FuzzRunsAreWellFormed(f *testing.F) {
	for _, seed := range seeds(10, 300) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		log := randomRun(t, choices[:min(len(choices), 600)])
		for _, v := range views() {
			checkRun(t, v, log)
		}
	})
}

// checkRun projects a log as a client sees it, and checks what that client gets.
func checkRun(t *testing.T, v openwop.View, log []session.Update) {
	t.Helper()
	all := newSchemas(t)
	p, check := openwop.NewProjector(v), newRunCheck()
	unlimited := v
	unlimited.Limit = ""
	whole := projected(unlimited, log)
	for _, up := range log {
		require.False(t, p.Ended(), "nothing follows the end")
		events := p.Project(up.Turn, up.Event)
		for i, e := range events {
			raw := all.valid(t, v.Version, "run-event-typed", e)
			check.event(t, v, raw)
			require.Equal(t, whole[e.Sequence].ID, e.ID, "an event is the same for everybody")
			require.Equal(t, whole[e.Sequence].Kind, e.Kind)
			require.Equal(t, e.Ends(), p.Ended() && i == len(events)-1)
			if v.Limit == "" && v.Streaming {
				checkModes(t, all, v, up.Turn, e)
			}
		}
		all.valid(t, v.Version, "run-snapshot", openwop.Snapshot(v, up.Turn))
		require.Equal(t, up.Turn.State.Ended(), p.Ended())
	}
	if v.Limit == "" {
		require.Len(t, check.ids, len(whole))
	}
	check.end(t, p.Ended())
}

// checkModes holds that what a mode shows in place of an event is valid and has its number.
func checkModes(t *testing.T, all schemas, v openwop.View, turn session.Turn, e openwop.Event) {
	t.Helper()
	for _, mode := range openwop.Modes() {
		shown, ok := mode.Show(v, turn, e)
		if !ok {
			continue
		}
		all.valid(t, v.Version, "run-event-typed", shown)
		require.Equal(t, e.Sequence, shown.Sequence)
		require.Equal(t, e.ID, shown.ID)
	}
}

// runCheck follows a run as a client does that trusts nobody.
type runCheck struct {
	last    int
	ids     map[string]bool
	nodes   map[string]bool   // open
	calls   map[string]string // open, with the ids of their events
	blocks  map[string]float64
	deltas  map[string]bool // agents with a block that is not closed
	waiting map[string]bool // interrupts that are open
}

func newRunCheck() *runCheck {
	return &runCheck{
		last: -1, ids: map[string]bool{}, nodes: map[string]bool{}, calls: map[string]string{},
		blocks: map[string]float64{}, deltas: map[string]bool{}, waiting: map[string]bool{},
	}
}

func (c *runCheck) event(t *testing.T, v openwop.View, raw []byte) {
	t.Helper()
	var e wire
	require.NoError(t, json.Unmarshal(raw, &e))
	if v.Limit == "" {
		require.Equal(t, c.last+1, e.Sequence, "no number is missing")
	}
	require.Greater(t, e.Sequence, c.last)
	require.False(t, c.ids[e.EventID], "an id stands once")
	require.True(t, e.CausationID == "" || c.ids[e.CausationID] || v.Limit != "", "a cause comes first")
	c.last, c.ids[e.EventID] = e.Sequence, true
	for name, member := range e.Payload {
		require.True(t, member != nil || name == "outcome" || name == "decision", "%s of %s is null", name, e.Type)
	}
	kind := strings.NewReplacer("reasoning.delta", "reasoning-delta", "toolCalled", "tool-called",
		"toolReturned", "tool-returned").Replace(e.Type)
	c.node(t, kind, e)
	c.call(t, kind, e)
	c.block(t, v, kind, e)
}

// node holds that each node begins and ends once, and that a node is suspended and resumed in turn.
func (c *runCheck) node(t *testing.T, kind string, e wire) {
	t.Helper()
	interrupt, _ := e.Payload["interruptId"].(string)
	switch kind {
	case "node.started":
		require.False(t, c.nodes[e.NodeID])
		c.nodes[e.NodeID] = true
	case "node.completed", "node.failed", "node.cancelled":
		require.True(t, c.nodes[e.NodeID])
		delete(c.nodes, e.NodeID)
	case "node.suspended":
		require.True(t, c.nodes[e.NodeID])
		c.waiting[interrupt] = true
	case "node.resumed":
		require.True(t, c.waiting[interrupt])
		delete(c.waiting, interrupt)
	}
	if e.NodeID != "" && e.Payload["nodeId"] != nil {
		require.Equal(t, e.NodeID, e.Payload["nodeId"])
	}
}

// call holds that each result has its call, which caused it.
func (c *runCheck) call(t *testing.T, kind string, e wire) {
	t.Helper()
	id, _ := e.Payload["callId"].(string)
	switch kind {
	case "agent.tool-called":
		require.NotContains(t, c.calls, id)
		c.calls[id] = e.EventID
	case "agent.tool-returned":
		require.Equal(t, c.calls[id], e.CausationID)
		require.NotEmpty(t, e.CausationID)
		delete(c.calls, id)
	}
}

// block holds that the deltas of an agent are numbered, and closed once by the agent.
func (c *runCheck) block(t *testing.T, v openwop.View, kind string, e wire) {
	t.Helper()
	agent, _ := e.Payload["agentId"].(string)
	switch kind {
	case "agent.reasoning-delta":
		require.True(t, v.Streaming)
		require.Equal(t, c.blocks[agent], e.Payload["sequence"])
		c.blocks[agent]++
		c.deltas[agent] = true
	case "agent.reasoned":
		if c.deltas[agent] {
			require.NotContains(t, e.Payload, "x-candor-call-id", "the block is closed before its calls")
		}
		delete(c.blocks, agent)
		delete(c.deltas, agent)
	default:
		return
	}
	require.False(t, v.Verbosity == openwop.Off || v.Limit == openwop.Off, "the client sees no reasoning")
}

func (c *runCheck) end(t *testing.T, ended bool) {
	t.Helper()
	if ended {
		require.Empty(t, c.nodes, "each node has ended")
		require.Empty(t, c.deltas, "each block is closed")
	}
}

// A replay repeats types and payloads to the letter, and differs only in what its envelope has to.
func TestAReplaysEventsAreThoseOfItsRun(t *testing.T) {
	compared := 0
	for _, seed := range seeds(20, 300) {
		s, thread := newSession(t)
		a := &author{chooser: &chooser{seed}}
		nodes := a.coin()
		w := randomWorkflow(nodes)
		original := begin(t, s, thread, w, a.run(nodes))
		e, err := s.OpenThread()
		require.NoError(t, err)
		again, err := s.Repeat(original.Ref, e.Thread, w)
		if err != nil {
			require.ErrorIs(t, err, session.ErrTurnOpen)
			continue
		}
		for _, v := range views() {
			first := sent(t, projected(v, updates(t, s, original.Ref)))
			second := sent(t, projected(v, updates(t, s, again.Ref)))
			require.Len(t, second, len(first))
			for i := range first {
				require.NotEqual(t, first[i].EventID, second[i].EventID)
				second[i].EventID, second[i].RunID = first[i].EventID, first[i].RunID
				second[i].Timestamp, second[i].CausationID = first[i].Timestamp, first[i].CausationID
			}
			require.Equal(t, first, second)
		}
		compared++
	}
	assert.Greater(t, compared, 10)
}

// What a client has been sent does not depend on what comes later, so a reader who stops anywhere
// has the beginning of what everybody gets.
func TestTheBeginningOfALogBecomesTheBeginningOfItsRun(t *testing.T) {
	for _, seed := range seeds(6, 200) {
		log := randomRun(t, seed)
		for _, v := range []openwop.View{streaming, limited(openwop.Full, openwop.Summary), orchestral, inV2} {
			whole := sent(t, projected(v, log))
			for cut := range log {
				first := sent(t, projected(v, log[:cut]))
				require.Equal(t, append([]wire(nil), whole[:len(first)]...), first)
			}
		}
	}
}
