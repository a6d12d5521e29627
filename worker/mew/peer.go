package mew

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"candor/agent"
	"candor/agent/tool/mcp"
)

// The bounds of what others offer.
const (
	maxPeers     = 16
	maxPeerTools = 32 // of each
)

// peer is another participant that is there.
type peer struct {
	asked bool // for its tools
	tools []agent.Spec
}

// addPeer notes that a participant is there. The caller holds mu.
func (m *member) addPeer(id string) {
	if _, known := m.peers[id]; !known && id != "" && id != m.id && len(m.peers) < maxPeers {
		m.peers[id] = &peer{}
	}
}

// meet adapts to the space as it is at the beginning of a connection. Participants that left are
// forgotten, and so are our streams, which the gateway ended with the connection before. The other
// participants are asked for their tools again, which may be others by now. Calls that wait for an
// answer go on to wait: after a gateway's restart everybody comes back, in any order.
func (m *member) meet(present []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, p := range m.peers {
		if p.asked = false; !slices.Contains(present, id) {
			delete(m.peers, id)
		}
	}
	m.listings, m.unopened = map[string]string{}, nil
	if m.running != nil {
		m.running.loseLiveText()
	}
}

// askForTools asks a participant that has just come for its tools.
func (m *member) askForTools(id string) {
	m.mu.Lock()
	m.addPeer(id)
	m.mu.Unlock()
	m.askEverybodyForTools()
}

// askEverybodyForTools asks the participants that were not asked yet.
func (m *member) askEverybodyForTools() {
	payload := object{"jsonrpc": "2.0", "id": "tools", "method": "tools/list", "params": object{}}
	if !m.maySend("mcp/request", payload) && !m.maySend("mcp/proposal", payload) {
		return // their tools would be of no use
	}
	m.mu.Lock()
	var asked []string
	for id, p := range m.peers {
		if !p.asked {
			p.asked = true
			asked = append(asked, id)
		}
	}
	m.mu.Unlock()
	for _, id := range asked {
		e, err := newEnvelope("mcp/request", payload)
		if err != nil {
			continue
		}
		e.To = []string{id}
		m.mu.Lock()
		m.listings[e.ID] = id
		m.mu.Unlock()
		m.say(e)
	}
}

// forgetPeer removes a participant that has left, with its tools, and ends the calls that it
// would have answered.
func (m *member) forgetPeer(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.peers, id)
	for request, from := range m.listings {
		if from == id {
			delete(m.listings, request)
		}
	}
	for _, c := range m.awaited {
		if c.target == id {
			c.finish(reply{err: fmt.Errorf("%s left the space before it answered", m.nameOf(id))})
		}
	}
}

// learnTools adopts the tools of a participant from its answer to tools/list. The caller holds
// mu.
func (m *member) learnTools(id string, list json.RawMessage) {
	p := m.peers[id]
	if p == nil {
		return
	}
	clean := func(text string) string {
		cleaned, _ := m.layer().Mask(text)
		return cleaned.String()
	}
	specs, err := mcp.RelayedTools(id, list, clean)
	if err != nil {
		return
	}
	p.tools = nil
	for _, spec := range specs {
		if len(p.tools) == maxPeerTools || clean(spec.Origin.Tool) != spec.Origin.Tool {
			continue // requests could not name the tool as its participant does
		}
		spec.MayWait = true
		spec.ReadOnly = false // its arguments reach everybody in the space
		p.tools = append(p.tools, spec)
	}
	m.Log.Info("a participant offers tools", "count", len(p.tools))
}

// peerSpec returns the tool that the model knows by a name. The caller holds mu.
func (m *member) peerSpec(name string) (agent.Spec, bool) {
	for _, p := range m.peers {
		for _, spec := range p.tools {
			if spec.Name == name {
				return spec, true
			}
		}
	}
	return agent.Spec{}, false
}

// peerTools returns the tools of all other participants for a turn. Of two that share a name
// only one is offered.
func (t *turn) peerTools() []agent.Tool {
	t.mu.Lock()
	defer t.mu.Unlock()
	var tools []agent.Tool
	taken := map[string]bool{}
	for _, p := range t.peers {
		for _, spec := range p.tools {
			if !taken[spec.Name] {
				taken[spec.Name] = true
				tools = append(tools, peerTool{spec, t})
			}
		}
	}
	return tools
}

// peerTool is a tool of another participant. Its request is made when the turn's recorder learns
// that the call runs; Run waits for the answer.
type peerTool struct {
	spec agent.Spec
	turn *turn
}

// Spec implements agent.Tool.
func (p peerTool) Spec() agent.Spec { return p.spec }

// Run implements agent.Tool.
func (p peerTool) Run(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
	c := p.turn.call(agent.CallOf(ctx))
	if c == nil {
		return nil, errNotRecorded
	}
	if c.unsent != nil {
		return nil, c.unsent
	}
	limit := cmp.Or(p.turn.patience.answer, answerTime)
	if p.turn.awaitsPerson(c) {
		limit += cmp.Or(p.turn.patience.approval, approvalTime)
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-c.replied:
		return r.result, r.err
	case <-timer.C:
		return nil, fmt.Errorf("%s did not answer within %s", p.turn.nameOf(c.target), limit)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// awaitsPerson reports whether a call was proposed and nobody has fulfilled the proposal yet.
func (m *member) awaitsPerson(c *ownCall) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return c.proposal != "" && c.request == ""
}

// capability is a pattern of the messages that a participant may send.
type capability struct {
	Kind    ids            `json:"kind"`
	Payload map[string]any `json:"payload"`
}

// capabilities are all that a participant may send. They only spare messages that the gateway
// would refuse: where a pattern is unclear they allow, and the gateway decides.
type capabilities []capability

// allow reports whether a message may be sent.
func (all capabilities) allow(kind string, payload json.RawMessage) bool {
	if kind == "mcp/response" {
		return true // every gateway lets every participant answer
	}
	for _, c := range all {
		if !slices.ContainsFunc(c.Kind, func(pattern string) bool { return kindFits(pattern, kind) }) {
			continue
		}
		var content map[string]any
		if c.Payload == nil || json.Unmarshal(payload, &content) != nil || objectFits(c.Payload, content) {
			return true
		}
	}
	return false
}

// kindFits reports whether a kind fits a pattern: itself, * for all, x/* for all below x, and
// !x for all but x.
func kindFits(pattern, kind string) bool {
	if but, negated := strings.CutPrefix(pattern, "!"); negated {
		return !kindFits(but, kind)
	}
	below, open := strings.CutSuffix(strings.Replace(pattern, "**", "*", 1), "*")
	switch {
	case pattern == "reasoning/step":
		return kind == "reasoning/thought" // as ADR-t8k calls it in its table
	case open:
		return strings.HasPrefix(kind, below)
	case strings.HasPrefix(pattern, "/"):
		return true // a regular expression of the gateway's dialect
	}
	return pattern == kind
}

// objectFits reports whether a payload may fit a pattern: each text of the pattern is equal to
// its member or, up to a *, the beginning of it. What is neither text nor object fits.
func objectFits(pattern, content map[string]any) bool {
	for name, want := range pattern {
		if strings.ContainsAny(name, "*$") {
			continue // a path in the gateway's dialect
		}
		got := content[name]
		switch want := want.(type) {
		case map[string]any:
			inner, ok := got.(map[string]any)
			if !ok || !objectFits(want, inner) {
				return false
			}
		case string:
			if text, ok := got.(string); !ok || !textFits(want, text) {
				return false
			}
		}
	}
	return true
}

func textFits(pattern, text string) bool {
	if but, negated := strings.CutPrefix(pattern, "!"); negated {
		return pattern != "!" && !textFits(but, text)
	}
	if strings.HasPrefix(pattern, "/") && strings.HasSuffix(pattern, "/") && len(pattern) > 1 {
		return true
	}
	before, _, open := strings.Cut(pattern, "*")
	return pattern == text || open && strings.HasPrefix(text, before)
}
