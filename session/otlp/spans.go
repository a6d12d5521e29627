package otlp

import (
	"crypto/sha256"
	"strconv"
	"time"

	logspb "go.opentelemetry.io/proto/slim/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"candor/safety"
	"candor/session"
)

// About says what an export tells besides the turns themselves.
type About struct {
	Provider, Model string // of the lead agent, in the operator's words; empty if unknown
	Content         bool   // send messages, arguments and results, too
}

// Project returns the trace of a turn that has ended, and the logs of its narratives and approvals.
// agent is the name of whose turn it is, empty for the agent of this program. events are those of
// the turn, oldest first; a job's turn has none, and then no spans of its model's requests.
func Project(
	t session.Turn, agent safety.Text, events []session.Event, a About,
) (spans []*tracepb.Span, logs []*logspb.LogRecord) {
	p := projection{About: a, turn: t, lead: agent.String(), times: timesOf(events), trace: traceID(t)}
	switch {
	case t.Job != "":
		p.lead = workerAgent
	case p.lead == "":
		p.lead = leadAgent
	}
	p.addTurn()
	for _, s := range t.Steps {
		p.addStep(s)
		for _, c := range s.Calls {
			p.addCall(s, c)
		}
	}
	if p.times.answer != nil && len(events) > 0 {
		p.addRequest("", p.answerKey(), *p.times.answer, nil)
	}
	for _, e := range events {
		p.addLog(e)
	}
	return p.spans, p.logs
}

// projection is the state of Project.
type projection struct {
	About
	turn  session.Turn
	lead  string // name of the lead agent
	times times
	trace []byte
	spans []*tracepb.Span
	logs  []*logspb.LogRecord
}

// span adds a span. parent is a key, empty for none.
func (p *projection) span(
	kind tracepb.Span_SpanKind, name, key, parent string, from, to time.Time, about attributes,
) *tracepb.Span {
	if to.Before(from) {
		to = from
	}
	s := &tracepb.Span{
		TraceId: p.trace, SpanId: spanID(p.trace, key), Name: cut(name), Kind: kind, Attributes: about,
		StartTimeUnixNano: nanos(from), EndTimeUnixNano: nanos(to),
	}
	if parent != "" {
		s.ParentSpanId = spanID(p.trace, parent)
	}
	p.spans = append(p.spans, s)
	return s
}

func nanos(at time.Time) uint64 { return uint64(at.UnixNano()) }

// fail marks a span as failed.
func fail(s *tracepb.Span, kind string, why safety.Text) {
	a := attributes(s.Attributes)
	a.word(attrErrorType, kind)
	s.Attributes = a
	s.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: cut(why.String())}
}

// common returns the attributes of every span: what it does, and in which conversation.
func (p *projection) common(operation, agent string) (a attributes) {
	a.word(attrOperationName, operation)
	a.word(attrConversationID, p.turn.Thread+p.turn.Job) // one of them is empty
	if agent == "" {
		agent = p.lead
	}
	a.word(attrAgentName, agent)
	return a
}

// addTurn adds the span of the turn itself.
func (p *projection) addTurn() {
	t := p.turn
	a := p.common(opInvokeAgent, "")
	p.addModel(&a)
	a.word(attrWorkflowName, t.Workflow.ID)
	a.number(attrTurnNumber, t.Number)
	a.word(attrTurnState, string(t.State))
	a.positive(attrJobRun, t.Run)
	narrative, _ := t.Narrative()
	a.text(attrTurnNarrative, narrative)
	a.stop(t.Stop)
	addUsage(&a, t.Usage)
	a.positive(attrRedactionCount, hidden(t.Findings))
	if p.Content {
		a.word(attrInputMessages, message("user", part{Type: "text", Content: t.Input.String()}))
		if !t.Response.Empty() {
			a.word(attrOutputMessages, message("assistant", part{Type: "text", Content: t.Response.String()}))
		}
	}
	s := p.span(tracepb.Span_SPAN_KIND_INTERNAL, opInvokeAgent+" "+p.lead, agentKey(""), "", p.began(), t.EndedAt, a)
	switch t.State {
	case session.Failed:
		fail(s, otherError, t.Error)
	case session.Interrupted:
		fail(s, interruptedError, safety.Text{})
	}
}

// began returns when the turn's work began. A turn that was stopped before has no other time.
func (p *projection) began() time.Time {
	if p.turn.StartedAt.IsZero() {
		return p.turn.CreatedAt
	}
	return p.turn.StartedAt
}

// addModel adds whose model answered, if that is known.
func (p *projection) addModel(a *attributes) {
	if !p.isForeign() {
		a.word(attrProviderName, p.Provider)
		a.word(attrRequestModel, p.Model)
	}
}

func addUsage(a *attributes, u session.Usage) {
	a.positive(attrInputTokens, u.Input)
	a.positive(attrOutputTokens, u.Output)
	a.positive(attrReasoningTokens, u.Reasoning)
}

// hidden counts what safety masked or withheld.
func hidden(found []safety.Finding) (n int) {
	for _, f := range found {
		if f.Effect.Hides() {
			n += f.Count
		}
	}
	return n
}

// parentOf returns the key of the span that an agent's work belongs to: its own, if it was handed
// its task within the turn.
func (p *projection) parentOf(agent string) string {
	for _, handed := range p.times.tasks {
		if handed.agent == agent {
			return agentKey(agent)
		}
	}
	return agentKey("")
}

// answerKey is the key of the request that answered.
func (p *projection) answerKey() string {
	if s, ok := p.turn.AnswerStep(); ok {
		return stepKey("", s.Number)
	}
	return "answer"
}

// traceID returns the id of a turn's trace, which the turn alone decides.
func traceID(t session.Turn) []byte {
	of := "thread/" + t.Thread
	if t.Job != "" {
		of = "job/" + t.Job
	}
	sum := sha256.Sum256([]byte("candor/" + t.Session + "/" + of + "/" + strconv.Itoa(t.Number)))
	return sum[:16]
}

// spanID returns the id of a span of a trace. key is unique in the trace.
func spanID(trace []byte, key string) []byte {
	sum := sha256.Sum256(append([]byte(key+"/"), trace...))
	return sum[:8]
}

// The keys of a turn's spans. The lead agent's is that of the turn.
func agentKey(agent string) string { return "agent/" + agent }
func callKey(call string) string   { return "call/" + call }
func stepKey(agent string, number int) string {
	return "step/" + agent + "/" + strconv.Itoa(number)
}
