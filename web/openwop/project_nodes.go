package openwop

import (
	"maps"
	"slices"

	"candor/safety"
	"candor/session"
)

// agentNode is the one node of a run of [ChatWorkflow].
const (
	agentNode     ours = "agent"
	agentNodeType ours = "candor.agent"
)

// agentOf returns the agent that works on a node, "" for none.
func agentOf(n session.NodeStarted) ours {
	switch {
	case n.Agent != "":
		return ours(n.Agent)
	case n.Type == string(agentNodeType), n.Type == "core.conformance.mock-agent":
		return agentOfRun
	}
	return ""
}

// leadOf returns the agent that works on the latest node of a turn that has one, and what an agent of the turn
// without a name of its own is.
func leadOf(t session.Turn) ours {
	for _, n := range slices.Backward(t.Nodes) {
		if agent := agentOf(n.NodeStarted); agent != "" {
			return agent
		}
	}
	return agentOfRun
}

// idOf returns the id of an agent of the turn.
func (p *Projector) idOf(agent string) ours {
	if agent == "" {
		return leadOf(p.turn)
	}
	return agentID(agent)
}

// refTo returns the reference to an agent, if there is one, under the member that the version has for it.
func (v View) refTo(agent ours) (v1, v2 *AgentRef) {
	switch {
	case agent == "":
		return nil, nil
	case v.Version == V2:
		return nil, refOf(agent)
	}
	return refOf(agent), nil
}

// node returns the node in which something happens: the latest that has not ended.
func (p *Projector) node() ours { return currentNode(p.turn) }

// currentNode returns the latest node of a turn that has not ended. The turn of a conversation has one only.
func currentNode(t session.Turn) ours {
	if oneNode(t) {
		return agentNode
	}
	for _, n := range slices.Backward(t.Nodes) {
		if n.EndedAt.IsZero() {
			return ours(n.Node)
		}
	}
	return ""
}

// startNode shows that a node begins, and by which agent if it is one of an agent.
func (p *Projector) startNode(n session.NodeStarted) {
	agent := agentOf(n)
	v1, v2 := p.refTo(agent)
	p.nodes[n.Node] = agent
	p.add(NodeStarted, ours(n.Node), "", nodeStarted{ours(n.Node), ours(n.Type), v1, v2})
}

// endNode ends a node as the log says. Texts that an agent left open in it end, too.
func (p *Projector) endNode(node ours, b session.NodeEnded) {
	agent, started := p.nodes[string(node)]
	if !started {
		return
	}
	p.closeAll()
	delete(p.nodes, string(node))
	if b.Error.Empty() {
		p.addNodeEnd(NodeCompleted, node, agent, nodeEnded{Outputs: objectOf(b.Outputs)})
		return
	}
	p.addNodeEnd(NodeFailed, node, agent, nodeEnded{Error: new(nodeFault(b.Error))})
}

// endNodes ends the nodes that are open when their run ends.
func (p *Projector) endNodes() {
	for _, name := range slices.Sorted(maps.Keys(p.nodes)) {
		node, agent := ours(name), p.nodes[name]
		switch p.turn.State {
		case session.Completed:
			p.addNodeEnd(NodeCompleted, node, agent, nodeEnded{Outputs: object{}.withText("response", p.turn.Response)})
		case session.Failed:
			p.addNodeEnd(NodeFailed, node, agent, nodeEnded{Error: new(nodeFault(p.turn.Error))})
		default:
			p.addNodeEnd(NodeCancelled, node, agent, nodeEnded{Reason: "interrupted"})
		}
	}
	clear(p.nodes)
}

// addNodeEnd shows the end of a node, whichever it is.
func (p *Projector) addNodeEnd(k Kind, node, agent ours, payload nodeEnded) {
	payload.NodeID = node
	payload.Agent, payload.XAgent = p.refTo(agent)
	p.add(k, node, "", payload)
}

// nodeFault returns the error of a node that failed, which always has a message.
func nodeFault(message safety.Text) fault {
	return faultOf("candor.node_failed", message, safety.Literal("The node failed."))
}
