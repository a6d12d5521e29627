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

// byAgent reports whether an agent works on nodes of a type.
func byAgent(nodeType ours) bool {
	return nodeType == agentNodeType || nodeType == "core.conformance.mock-agent"
}

// agentOn returns the agent that works on a node, under the member that the version has for it.
func (v View) agentOn(nodeType ours) (v1, v2 *AgentRef) {
	switch {
	case !byAgent(nodeType):
		return nil, nil
	case v.Version == V2:
		return nil, refOf()
	}
	return refOf(), nil
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
func (p *Projector) startNode(node, nodeType ours) {
	v1, v2 := p.agentOn(nodeType)
	p.nodes[string(node)] = byAgent(nodeType)
	p.add(NodeStarted, node, "", nodeStarted{node, nodeType, v1, v2})
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
func (p *Projector) addNodeEnd(k Kind, node ours, agent bool, payload nodeEnded) {
	payload.NodeID = node
	if agent {
		payload.Agent, payload.XAgent = p.agentOn(agentNodeType)
	}
	p.add(k, node, "", payload)
}

// nodeFault returns the error of a node that failed, which always has a message.
func nodeFault(message safety.Text) fault {
	return faultOf("candor.node_failed", message, safety.Literal("The node failed."))
}
