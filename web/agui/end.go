package agui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"candor/safety"
	"candor/session"
)

// protocolVersion is sent to clients that send a version themselves.
const protocolVersion = "1.0"

// answerSchema is the schema of the payload that answers an interrupt, by whether
// "always" is allowed.
var answerSchema = map[bool]json.RawMessage{
	false: answerSchemaWith(`["approve","deny"]`),
	true:  answerSchemaWith(`["approve","deny","always"]`),
}

func answerSchemaWith(answers string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"answer":{"enum":` + answers + `}},"required":["answer"]}`)
}

// close closes open steps and sub-agents, the innermost first. how is the outcome of the
// sub-agents.
func (p *Projector) close(how *SubagentOutcome) {
	for _, s := range slices.Backward(p.steps) {
		p.add(&Step{p.of(s.Agent, StepFinished), stepName(s.Agent, s.Number)})
	}
	p.steps = nil
	for len(p.subagents) > 0 {
		p.endSubagent(p.subagents[len(p.subagents)-1], "", how)
	}
}

// finish ends the run with RUN_FINISHED and an outcome.
func (p *Projector) finish(o *Outcome) {
	p.close(&SubagentOutcome{Type: "success"})
	p.add(&Run{
		Head: newHead(RunFinished, p.at), ThreadID: p.Thread, RunID: p.run, Outcome: o,
		Usage: p.usage.tokens(p.Model),
	})
	p.run = ""
}

// fail ends the run with an error. It closes what is open first, although clients do not
// require it, so that stored events are complete.
func (p *Projector) fail(code, message string) {
	p.close(&SubagentOutcome{Type: "success"})
	p.add(&Failure{Head: newHead(RunError, p.at), Message: message, Code: code, Usage: p.usage.tokens(p.Model)})
	p.run = ""
}

// cancel ends the run of a turn that was interrupted. 0.x has no such outcome; an error
// comes closest.
func (p *Projector) cancel() {
	if !p.Version1 {
		p.fail("cancelled", "The turn was stopped.")
		return
	}
	p.finish(&Outcome{Type: "cancelled"})
}

// Break ends the open run, if any, with an error because its stream cannot continue.
func (p *Projector) Break(code, message string) []Event {
	p.log = nil
	if p.Open() {
		p.fail(code, message)
	}
	return p.log
}

// Erase ends the stream of a thread that was deleted: it sends an error, which clients accept between
// runs, too, and after which nothing follows.
func (p *Projector) Erase(e session.Event) []Event {
	p.log, p.at = nil, e.At
	p.fail("thread_deleted", "The thread was deleted. A message to it begins a new one.")
	return p.log
}

// Pause ends the open run, if any, if its turn t waits for the front end.
func (p *Projector) Pause(t session.Turn) []Event {
	p.log = nil
	if p.Open() {
		p.turn = t
		p.pause(t)
	}
	return p.log
}

// pause ends the run if all that its turn can do is wait for the front end. 0.x cannot
// express pending calls in an outcome.
func (p *Projector) pause(t session.Turn) {
	open := t.Waiting()
	if open == nil || p.expects(t) {
		return
	}
	var interrupts []Interrupt
	var pending, ids []string
	for _, c := range open {
		if awaitsApproval(c) {
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

// expects reports whether an answer of this client has yet to take effect.
func (p *Projector) expects(t session.Turn) bool {
	for id, result := range p.answered {
		c, ok := t.Call(id)
		if ok && c.Outcome == session.Pending && (result || awaitsApproval(c)) {
			return true
		}
	}
	return false
}

// awaitsApproval reports whether a call still waits for a person.
func awaitsApproval(c session.Call) bool { return c.Approval != nil && c.Approval.Answer == "" }

// interrupt describes the approval that a call waits for. The ids are those of the log, so
// every run that waits for the approval names it alike.
func (p *Projector) interrupt(t session.Turn, c session.Call) Interrupt {
	i := Interrupt{
		ID: c.Approval.Request, Reason: "tool_call", Message: p.question(c),
		ResponseSchema: answerSchema[c.Approval.AllowAlways],
		Metadata:       Metadata{metaQuestion: questionMeta{c.Approval.Shown, c.Approval.Hidden}},
	}
	i.Metadata.confidence(c)
	if c.Decides {
		i.ResponseSchema = decisionSchema[c.Approval.AllowAlways]
	}
	if !c.FrontEnd { // the client has no such call before it may run it
		i.ToolCallID = callID(t.Number, c.ID)
	}
	if p.ApprovalTimeout > 0 {
		i.ExpiresAt = c.Approval.AskedAt.Add(p.ApprovalTimeout).Format("2006-01-02T15:04:05.000Z")
	}
	if p.Version1 {
		i.Subagent = subagentID(t.Number, c.Agent)
	}
	return i
}

// questionMeta holds what is asked about: the parameters as a person may see them, and how
// many characters of secrets are not among them.
type questionMeta struct {
	Parameters safety.JSON `json:"parameters"`
	Hidden     int         `json:"hidden_characters"`
}

// question is the text of an approval: what would run, with the parameters as they are but
// for the characters that it counts. It contains the rationale only for clients that are
// shown all reasoning.
func (p *Projector) question(c session.Call) string {
	parts := whatIsAsked(c)
	if !c.Approval.Description.Empty() {
		parts = append(parts, c.Approval.Description.String())
	}
	if p.Reasoning == Full {
		parts = append(parts, "Reason: "+c.Rationale.Text.String())
	}
	parts = append(parts, "Parameters: "+string(c.Approval.Shown.Raw()))
	switch n := c.Approval.Hidden; {
	case n == 1:
		parts = append(parts, "1 character is hidden from you.")
	case n > 1:
		parts = append(parts, fmt.Sprintf("%d characters are hidden from you.", n))
	}
	return strings.Join(parts, "\n")
}

// subagent opens the sub-agent, after the one that called it, unless they are open. by
// is the handoff that started it, nil if that was in an earlier run. 0.x has no
// sub-agents.
func (p *Projector) subagent(agent string, by *session.Handoff) {
	if agent == "" || !p.Version1 || slices.Contains(p.subagents, agent) {
		return
	}
	parent := agent[:max(0, strings.LastIndex(agent, "/"))]
	p.subagent(parent, nil)
	s := &Subagent{
		Head: p.of(agent, SubagentStarted), Name: strings.TrimPrefix(agent[len(parent):], "/"),
		ParentSubagent: subagentID(p.turn.Number, parent),
	}
	if by != nil {
		s.ParentToolCallID, s.Description = callID(p.turn.Number, by.Call), by.Text.String()
		s.Metadata = metaOf(by.Who)
	}
	p.add(s)
	p.subagents = append(p.subagents, agent)
}

// endSubagent closes a sub-agent if it is open.
func (p *Projector) endSubagent(agent, result string, how *SubagentOutcome) {
	at := slices.Index(p.subagents, agent)
	if at < 0 {
		return
	}
	p.subagents = slices.Delete(p.subagents, at, at+1)
	p.add(&Subagent{Head: p.of(agent, SubagentFinished), Result: result, Outcome: how})
}

// handoff opens the sub-agent that got a task, or closes the one that answers.
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
	p.subagent(b.From, nil) // it may have begun in an earlier run
	p.endSubagent(b.From, b.Text.String(), &SubagentOutcome{Type: "success"})
}

// usage sums the tokens of a run. A model's answer without a count makes the sum
// unknown.
type usage struct {
	sum     session.Usage
	unknown bool
}

// add adds x. answered says that the main agent's model answered, so that zero means unknown.
func (u *usage) add(x session.Usage, answered bool) {
	if answered && x.Input == 0 && x.Output == 0 {
		u.unknown = true
	}
	u.sum.Input += x.Input
	u.sum.Output += x.Output
	u.sum.Reasoning += x.Reasoning
}

// tokens returns the sum, nil if it is unknown or zero.
func (u *usage) tokens(model string) []TokenUsage {
	if u.unknown || u.sum.Input == 0 && u.sum.Output == 0 {
		return nil
	}
	t := TokenUsage{
		Model: model, InputTokens: u.sum.Input, OutputTokens: u.sum.Output, ReasoningTokens: u.sum.Reasoning,
	}
	if t.InputTokens > 0 && t.OutputTokens > 0 {
		t.TotalTokens = t.InputTokens + t.OutputTokens
	}
	return []TokenUsage{t}
}
