package openwop

import (
	"math"

	"candor/safety"
	"candor/session"
)

// called shows a call: its reason, the call or the decision that it is, and how sure of it the
// agent said it was.
func (p *Projector) called(agent string, b session.ToolCalled) {
	if _, known := p.calls[b.Call]; known {
		return // an observed call that is announced first
	}
	p.closeBlock(agent, closedWithdrawn)
	if b.Rationale.Source == session.FromModel {
		p.gaveReason(agent, b)
	}
	call := callOf{agent: agent, tool: named(b.Tool), known: b}
	if !b.Decides {
		call.event = p.add(AgentToolCalled, p.node(), "", p.toolCalled(call))
	}
	p.calls[b.Call] = call
	p.decides(call)
}

// gaveReason shows the model's own reason for a call.
func (p *Projector) gaveReason(agent string, b session.ToolCalled) {
	if p.Narratives && p.Verbosity != Off {
		p.hide()
		return
	}
	p.reasoned(agent, "", agentReasoned{
		Reasoning: p.said(b.Rationale.Text), CallID: ours(b.Call), Step: b.Step, Source: b.Rationale.Source,
	})
}

// toolCalled returns what is shown of a call, with its reason unless the client has that as an event of its own.
func (p *Projector) toolCalled(c callOf) agentToolCalled {
	b := c.known
	out := agentToolCalled{
		AgentID: p.idOf(c.agent), ToolName: c.tool, CallID: ours(b.Call), Inputs: present(b.Params),
		ArgsHash: hashOf(b.Params), Principal: principalOf(p.User), Transport: b.Transport, ParallelGroup: b.Group,
	}
	if p.level() != Off && !p.Narratives {
		out.Rationale = &rationale{p.said(b.Rationale.Text), b.Rationale.Source}
	}
	return out
}

// decides shows the decision that a call states, or that a call with a confidence is.
func (p *Projector) decides(c callOf) {
	b := c.known
	sure := stated(b.Confidence)
	if !b.Decides && sure == nil {
		return
	}
	what := decidedIn(b.Params)
	if !b.Decides {
		what = decidedOn(c.tool, ours(b.Call), "")
	}
	event := p.add(AgentDecided, p.node(), c.event, agentDecided{
		AgentID: p.idOf(c.agent), Decision: what, Confidence: sure, CallID: ours(b.Call),
	})
	p.decisions[b.Call] = event
	if sure != nil && b.Confidence.Suppressed && b.Confidence.Low() {
		p.add(EscalationSuppressed, p.node(), event, escalationSuppressed{
			"confidence-escalation-suppressed", p.idOf(c.agent), ours(b.Call), b.Confidence.Threshold, *sure,
		})
	}
}

// stated returns how sure an agent said it was, nil if it did not, or said nonsense.
func stated(c *session.Confidence) *float64 {
	if c == nil || math.IsNaN(c.Stated) || c.Stated < 0 || c.Stated > 1 {
		return nil
	}
	return &c.Stated
}

// returned shows a call's result. A decision has none, but a follow-up if it was not taken.
func (p *Projector) returned(b session.ToolReturned) {
	call, known := p.calls[b.Call]
	if !known {
		return
	}
	delete(p.calls, b.Call)
	if call.known.Decides {
		p.decisionEnded(call, b)
		return
	}
	out := agentToolReturned{
		AgentID: p.idOf(call.agent), ToolName: call.tool, CallID: ours(b.Call),
		Status: statusOf(b.Outcome), Ended: b.Outcome,
	}
	if b.Outcome == session.Success {
		out.Outcome = &b.Result
	} else {
		out.Error = new(faultOf("candor.tool_"+ours(b.Outcome), b.Error, safety.Literal("The call did not succeed.")))
	}
	if p.ran(b) {
		out.DurationMS = new(b.Took.Milliseconds())
	}
	p.add(AgentToolReturned, p.node(), call.event, out)
}

// ran reports whether a call has run, so that it has a duration.
func (p *Projector) ran(b session.ToolReturned) bool {
	c, _ := p.turn.Call(b.Call)
	return b.Outcome != session.Rejected && !c.Untimed && (c.Approval == nil || c.Approval.Answer.Allows())
}

// statusOf returns how a call ended, in OpenWOP's words.
func statusOf(o session.Outcome) ours {
	switch o {
	case session.Success:
		return "ok"
	case session.Rejected:
		return "forbidden"
	}
	return "error"
}

// named returns the name of a tool, which has to have one.
func named(tool safety.Text) safety.Text {
	if tool.Empty() {
		return safety.Literal("unnamed")
	}
	return tool
}

// handedOff shows that a task, or its result, went from an agent to another. What the agent said
// last was the result.
func (p *Projector) handedOff(b session.Handoff) {
	if call, ok := p.calls[b.Call]; ok && b.From != call.agent {
		p.closeBlock(b.From, closedAnswer)
	}
	p.add(AgentHandoff, p.node(), p.calls[b.Call].event, agentHandoff{
		p.idOf(b.From), p.idOf(b.To), b.Text, ours(b.Call),
	})
}
