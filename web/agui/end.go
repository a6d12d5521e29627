package agui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"candor/session"
)

// protocolVersion is what we say we speak to who speaks it.
const protocolVersion = "1.0"

// answerSchema is what a front end may answer an interrupt with.
var answerSchema = map[bool]json.RawMessage{
	false: json.RawMessage(`{"type":"object","properties":{"answer":{"enum":["approve","deny"]}},"required":["answer"]}`),
	true:  json.RawMessage(`{"type":"object","properties":{"answer":{"enum":["approve","deny","always"]}},"required":["answer"]}`),
}

// close ends what is open, the innermost first.
func (p *Projector) close(how *SubagentOutcome) {
	for _, s := range slices.Backward(p.steps) {
		p.add(&Step{p.of(s.Agent, StepFinished), stepName(s.Agent, s.Number)})
	}
	p.steps = nil
	for len(p.subagents) > 0 {
		p.endSubagent(p.subagents[len(p.subagents)-1], "", how)
	}
}

func (p *Projector) finish(o *Outcome) {
	p.close(&SubagentOutcome{Type: "success"})
	r := &Run{Head: head(RunFinished, p.at), ThreadID: p.Thread, RunID: p.run, Outcome: o, Usage: p.usage.tokens(p.Model)}
	p.add(r)
	p.run = ""
}

// fail ends a run with an error. What was open is closed all the same, so that who
// stores the events has them whole.
func (p *Projector) fail(code, message string) {
	p.close(&SubagentOutcome{Type: "success"})
	p.add(&Failure{Head: head(RunError, p.at), Message: message, Code: code, Usage: p.usage.tokens(p.Model)})
	p.run = ""
}

// cancel ends a run whose turn was stopped. 0.x knows no such outcome, and success it
// was not.
func (p *Projector) cancel() {
	if !p.Version1 {
		p.fail("cancelled", "The turn was stopped.")
		return
	}
	p.finish(&Outcome{Type: "cancelled"})
}

// Break ends the run that is open where its stream cannot go on.
func (p *Projector) Break(code, message string) []Event {
	p.log = nil
	if p.Open() {
		p.fail(code, message)
	}
	return p.log
}

// Pause ends the run that is open if its turn waits for the front end.
func (p *Projector) Pause(t session.Turn) []Event {
	p.log = nil
	if p.Open() {
		p.turn = t
		p.pause(t)
	}
	return p.log
}

func (p *Projector) pause(t session.Turn) {
	open := t.Waiting()
	if open == nil || p.expects(t) {
		return
	}
	var interrupts []Interrupt
	var pending, ids []string
	for _, c := range open {
		if asked(c) {
			interrupts = append(interrupts, p.interrupt(t, c))
			ids = append(ids, c.Approval.Request)
		} else {
			pending = append(pending, callID(t.Number, c.ID))
		}
	}
	p.close(&SubagentOutcome{Type: "suspended", InterruptIDs: ids})
	outcome := &Outcome{Type: "interrupt", Interrupts: interrupts}
	if interrupts == nil {
		outcome = &Outcome{Type: "success"}
		if p.Version1 {
			outcome.PendingToolCallIDs = pending
		}
	}
	p.finish(outcome)
}

// expects reports whether an answer that this client gave has still to take effect.
func (p *Projector) expects(t session.Turn) bool {
	for id, result := range p.answered {
		c, ok := t.Call(id)
		if ok && c.Outcome == session.Pending && (result || asked(c)) {
			return true
		}
	}
	return false
}

// asked reports whether a person has still to be heard about a call.
func asked(c session.Call) bool { return c.Approval != nil && c.Approval.Answer == "" }

func (p *Projector) interrupt(t session.Turn, c session.Call) Interrupt {
	i := Interrupt{
		ID: c.Approval.Request, Reason: "tool_call", ToolCallID: callID(t.Number, c.ID),
		Message: p.question(c), ResponseSchema: answerSchema[c.Approval.AllowAlways],
	}
	if p.Patience > 0 {
		i.ExpiresAt = c.Approval.AskedAt.Add(p.Patience).Format("2006-01-02T15:04:05.000Z")
	}
	if p.Version1 {
		i.Subagent = subagentID(t.Number, c.Agent)
	}
	return i
}

func (p *Projector) question(c session.Call) string {
	parts := []string{fmt.Sprintf("May %s run?", c.Tool)}
	if !c.Approval.Description.Empty() {
		parts = append(parts, c.Approval.Description.String())
	}
	if p.Reasoning == Full {
		parts = append(parts, "Reason: "+c.Rationale.Text.String())
	}
	return strings.Join(parts, "\n")
}

// subagent opens a sub-agent's part of the run, and before it its caller's, unless
// they are open. 0.x knows none.
func (p *Projector) subagent(agent string, by *session.Handoff) {
	if agent == "" || !p.Version1 || slices.Contains(p.subagents, agent) {
		return
	}
	parent := agent[:max(0, strings.LastIndex(agent, "/"))]
	p.subagent(parent, nil)
	s := &Subagent{Head: p.of(agent, SubagentStarted), Name: agent[len(parent):], ParentSubagent: subagentID(p.turn.Number, parent)}
	s.Name = strings.TrimPrefix(s.Name, "/")
	if by != nil {
		s.ParentToolCallID, s.Description = callID(p.turn.Number, by.Call), by.Text.String()
	}
	p.add(s)
	p.subagents = append(p.subagents, agent)
}

func (p *Projector) endSubagent(agent, result string, how *SubagentOutcome) {
	at := slices.Index(p.subagents, agent)
	if at < 0 {
		return
	}
	p.subagents = slices.Delete(p.subagents, at, at+1)
	p.add(&Subagent{Head: p.of(agent, SubagentFinished), Result: result, Outcome: how})
}

// handoff begins a sub-agent's part of a run, or ends it.
func (p *Projector) handoff(e session.Event, b session.Handoff) {
	if strings.HasPrefix(b.To, b.From) && len(b.To) > len(b.From) {
		p.since[b.To] = e.At
		p.subagent(b.From, nil)
		p.subagent(b.To, &b)
		return
	}
	for _, s := range slices.Backward(slices.Clone(p.steps)) {
		if s.Agent == b.From {
			p.endStep(s.Agent, s.Number)
		}
	}
	p.subagent(b.From, nil) // it may have gone on from an earlier run
	p.endSubagent(b.From, b.Text.String(), &SubagentOutcome{Type: "success"})
}

// usage sums what the model's answers cost. An answer whose count is unknown makes
// the sum unknown.
type usage struct {
	sum     session.Usage
	unknown bool
}

func (u *usage) add(x session.Usage, counts bool) {
	if counts && x.Input == 0 && x.Output == 0 {
		u.unknown = true
	}
	u.sum.Input += x.Input
	u.sum.Output += x.Output
	u.sum.Reasoning += x.Reasoning
}

func (u *usage) tokens(model string) []TokenUsage {
	if u.unknown || u.sum.Input == 0 && u.sum.Output == 0 {
		return nil
	}
	t := TokenUsage{Model: model, InputTokens: u.sum.Input, OutputTokens: u.sum.Output, ReasoningTokens: u.sum.Reasoning}
	if t.InputTokens > 0 && t.OutputTokens > 0 {
		t.TotalTokens = t.InputTokens + t.OutputTokens
	}
	return []TokenUsage{t}
}
