package otlp

import (
	"time"

	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"candor/safety"
	"candor/session"
)

// addStep adds the model's request that a step began with. The request that answered is added
// with the times of the answer.
func (p *projection) addStep(s session.Step) {
	at := p.times.steps[stepKey(s.Agent, s.Number)]
	if at == nil || s.Answer || p.isForeign() {
		return
	}
	var said []part
	if p.Content {
		said = saidIn(s)
	}
	p.addRequest(s.Agent, stepKey(s.Agent, s.Number), *at, said)
}

// isForeign reports whether the turn is one of somebody else's agent or of a worker, of whose model
// nothing is known.
func (p *projection) isForeign() bool { return p.lead != leadAgent }

// addRequest adds a request to the model and its answer.
func (p *projection) addRequest(agent, key string, at stepTime, said []part) {
	if p.isForeign() {
		return
	}
	a := p.common(opChat, agent)
	p.addModel(&a)
	a.stop(at.stop)
	addUsage(&a, at.usage)
	if len(said) > 0 {
		a.word(attrOutputMessages, message("assistant", said...))
	}
	from := at.asked
	if from.IsZero() {
		from = at.said
	}
	name := opChat
	if p.Model != "" {
		name += " " + p.Model
	}
	p.span(tracepb.Span_SPAN_KIND_CLIENT, name, key, p.parentOf(agent), from, at.said, a)
}

// addCall adds the call of a tool, with its reason, and the agent that it handed a task to.
func (p *projection) addCall(s session.Step, c session.Call) {
	from := c.StartedAt
	if from.IsZero() {
		from = p.began()
	}
	ran := from
	if at, asked := p.times.answered[c.ID]; asked {
		ran = at
	}
	to := ran.Add(c.Took)
	if c.Outcome == session.Cancelled || c.Outcome == session.Pending {
		to = p.turn.EndedAt
	}
	handed := p.times.tasks[c.ID]
	if handed != nil && handed.to.After(to) {
		to = handed.to // the log moves times that are equal
	}
	span := p.span(tracepb.Span_SPAN_KIND_INTERNAL, opExecuteTool+" "+c.Tool.String(), callKey(c.ID),
		p.parentOf(s.Agent), from, to, p.callAttributes(s, c))
	if c.Outcome != session.Success {
		fail(span, string(c.Outcome), c.Error)
	}
	if handed != nil {
		p.addTask(c, *handed, to)
	}
}

func (p *projection) callAttributes(s session.Step, c session.Call) attributes {
	a := p.common(opExecuteTool, s.Agent)
	a.text(attrToolName, c.Tool)
	a.word(attrToolType, functionTool)
	if c.Transport == session.MCP {
		a[len(a)-1].Value = wordValue(extensionTool)
	}
	a.word(attrToolCallID, c.ID)
	a.number(attrStepNumber, s.Number)
	a.text(attrRationale, c.Rationale.Text)
	a.word(attrRationaleSource, string(c.Rationale.Source))
	a.mark(attrRationaleBlocked, c.Rationale.Blocked)
	a.word(attrOutcome, string(c.Outcome))
	a.mark(attrDecides, c.Decides)
	if c.Confidence != nil {
		a.share(attrConfidence, c.Confidence.Stated)
	}
	if c.Group != nil {
		a.number(attrParallelGroup, *c.Group)
	}
	if c.Approval != nil {
		a.word(attrApprovalAnswer, string(c.Approval.Answer))
	}
	a.positive(attrRedactionCount, hidden(c.Findings))
	if p.Content {
		a.value(attrToolArguments, c.Params)
		a.value(attrToolResult, c.Result)
	}
	return a
}

// addTask adds the agent that a call handed a task to, and its request that answered. An agent
// that did not answer was stopped with its call.
func (p *projection) addTask(c session.Call, handed task, callEnded time.Time) {
	to := handed.to
	if to.IsZero() {
		to = callEnded
	}
	a := p.common(opInvokeAgent, handed.agent)
	p.addModel(&a)
	s := p.span(tracepb.Span_SPAN_KIND_INTERNAL, opInvokeAgent+" "+handed.agent, agentKey(handed.agent),
		callKey(c.ID), handed.from, to, a)
	if handed.to.IsZero() {
		fail(s, interruptedError, safety.Text{})
		return
	}
	p.addRequest(handed.agent, "answer/"+handed.agent, handed.answer, nil)
}

// times are what the events of a turn say and its fold does not: when steps began and ended, when
// people answered, and when agents were handed their tasks.
type times struct {
	idle     map[string]time.Time // by agent: since when it waits for its model
	steps    map[string]*stepTime // by stepKey
	answered map[string]time.Time // by call: when a person answered
	tasks    map[string]*task     // by call: the task that it hands to an agent
	answer   *stepTime            // the lead agent's step that answered; nil if there is none
}

// stepTime is a model's request for a step: from asked to said. Usage is that of its answer.
type stepTime struct {
	asked, said time.Time
	usage       session.Usage
	stop        session.Stop
}

// task is one that an agent was handed by a call.
type task struct {
	agent    string
	from, to time.Time // to is zero if the agent did not answer
	answer   stepTime
}

// timesOf reads the events of a turn, oldest first.
func timesOf(events []session.Event) times {
	t := times{
		idle: map[string]time.Time{}, steps: map[string]*stepTime{}, answered: map[string]time.Time{},
		tasks: map[string]*task{},
	}
	for _, e := range events {
		t.read(e)
	}
	return t
}

func (t *times) read(e session.Event) {
	switch b := e.Body.(type) {
	case session.TurnStarted:
		t.idle[""] = e.At
	case session.Narrated:
		t.step(e, b.Step).stop = b.Stop
	case session.ToolCalled:
		t.step(e, b.Step)
	case session.StepEnded:
		t.step(e, b.Step).usage = b.Usage
		t.idle[e.Agent] = e.At
	case session.ApprovalAnswered:
		t.answered[b.Call] = e.At
	case session.Handoff:
		t.handoff(e, b)
	case session.TurnCompleted:
		t.answer = &stepTime{t.idle[""], e.At, b.Usage, b.Stop}
	}
}

// step returns the times of a step, which the first of its events begins.
func (t *times) step(e session.Event, number int) *stepTime {
	key := stepKey(e.Agent, number)
	if t.steps[key] == nil {
		t.steps[key] = &stepTime{asked: t.idle[e.Agent], said: e.At}
	}
	return t.steps[key]
}

// handoff reads a task that is passed on, or the answer to it, which comes later.
func (t *times) handoff(e session.Event, b session.Handoff) {
	known := t.tasks[b.Call]
	switch {
	case b.Call == "":
	case known == nil:
		t.tasks[b.Call] = &task{agent: b.To, from: e.At}
		t.idle[b.To] = e.At
	default:
		known.to = e.At
		known.answer = stepTime{t.idle[known.agent], e.At, b.Usage, ""}
	}
}
