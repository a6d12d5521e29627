package openwop

import (
	"candor/safety"
	"candor/session"
)

// suspension is a question that a person has not answered.
type suspension struct {
	node  ours
	event ours // that asked it
	low   bool // the agent was not sure enough
}

// asked shows that a call waits for a person.
func (p *Projector) asked(b session.ApprovalAsked) {
	call, known := p.calls[b.Call]
	if !known {
		return
	}
	low := b.LowConfidence && stated(call.known.Confidence) != nil
	s := suspension{node: p.node(), low: low}
	cause := call.event
	if event, ok := p.decisions[b.Call]; ok {
		cause = event
	}
	if low && p.Orchestrator {
		ask := askUser{"ask-user", prompt(b)}
		s.event = p.add(OrchestratorDecided, s.node, cause, orchestratorDecided{p.idOf(""), ask})
	} else {
		s.event = p.add(NodeSuspended, s.node, cause, p.suspended(s, call, b))
	}
	p.waiting[b.Call] = s
}

// prompt returns the words in which an orchestrator asks.
func prompt(b session.ApprovalAsked) safety.Text {
	if b.Description.Empty() {
		return safety.Literal("The agent is not sure enough of a call. May it run?")
	}
	return b.Description
}

// suspended returns what is shown of a node that waits for a person. The versions differ in where they have the agent,
// and how sure it was.
func (p *Projector) suspended(s suspension, c callOf, b session.ApprovalAsked) nodeSuspended {
	out := nodeSuspended{
		NodeID: s.node, InterruptID: interruptID(p.Version, p.User, s.node, b.Call), Kind: kindOf(s.low),
		Reason: kindOf(s.low), Question: question{ours(b.Call), c.tool, b.Description, b.Shown, b.Hidden},
	}
	who := p.idOf(c.agent)
	var threshold, observed *float64
	if s.low {
		threshold, observed = new(c.known.Confidence.Threshold), stated(c.known.Confidence)
	}
	if p.Version == V2 {
		out.XAgentID, out.XThreshold, out.XObserved = who, threshold, observed
	} else {
		out.AgentID, out.Threshold, out.Observed = who, threshold, observed
	}
	return out
}

// kindOf returns what kind of question OpenWOP calls it.
func kindOf(low bool) ours {
	if low {
		return "low-confidence"
	}
	return "approval"
}

// answered shows a person's answer, and the decision that it is if the agent was not sure enough.
// Nobody answers a question that is withdrawn.
func (p *Projector) answered(b session.ApprovalAnswered) {
	s, open := p.waiting[b.Call]
	if !open {
		return
	}
	delete(p.waiting, b.Call)
	if b.Answer == session.Withdrawn {
		return
	}
	cause := s.event
	if !s.low || !p.Orchestrator {
		cause = p.add(NodeResumed, s.node, s.event, nodeResumed{
			s.node, interruptID(p.Version, p.User, s.node, b.Call), resumeValue{b.Answer, present(b.Value)},
		})
	}
	if s.low {
		p.followUp(b, s, cause)
	}
}

// followUp shows what was decided in the end: by the person, or by nobody in time.
func (p *Projector) followUp(b session.ApprovalAnswered, s suspension, cause ours) {
	call := p.calls[b.Call]
	what := decidedOn(call.tool, ours(b.Call), ours(b.Answer))
	switch {
	case call.known.Decides && b.Answer == session.Deny:
		what = denied(decidedIn(call.known.Params))
	case !call.known.Decides || !b.Answer.Allows():
	case !b.Value.Null():
		what = decided(b.Value)
	default:
		what = decidedIn(call.known.Params)
	}
	out := agentDecided{AgentID: p.idOf(call.agent), Decision: what, CallID: ours(b.Call)}
	if b.Answer != session.Expired {
		out.By = "person"
	}
	p.settled[b.Call] = true
	p.add(AgentDecided, s.node, cause, out)
}

// decisionEnded shows that a decision was not taken, unless a person's answer has shown it.
func (p *Projector) decisionEnded(c callOf, b session.ToolReturned) {
	if b.Outcome == session.Success || b.Outcome == session.Cancelled || p.settled[b.Call] {
		return
	}
	p.add(AgentDecided, p.node(), p.decisions[b.Call], agentDecided{
		AgentID: p.idOf(c.agent), Decision: decidedOn(c.tool, ours(b.Call), ours(b.Outcome)), CallID: ours(b.Call),
	})
}
