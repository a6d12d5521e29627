package otlp

import (
	logspb "go.opentelemetry.io/proto/slim/otlp/logs/v1"

	"candor/safety"
	"candor/session"
)

// addLog adds the log of an event, if it has one: a narrative, or a question to a person and its
// answer.
func (p *projection) addLog(e session.Event) {
	switch b := e.Body.(type) {
	case session.Narrated:
		key := stepKey(e.Agent, b.Step)
		if b.Answer && e.Agent != "" {
			key = "answer/" + e.Agent
		}
		a := p.log(e, narrativeEvent, key, b.Text)
		a.number(attrStepNumber, b.Step)
		a.word(attrNarrativeSource, string(b.Source))
		a.mark(attrNarrativeBlocked, b.Blocked)
		a.word(attrSealedKind, string(b.Sealed.Kind))
		a.positive(attrSealedBytes, b.Sealed.Bytes)
		a.text(attrThought, b.Thought)
		a.word(attrStop, string(b.Stop))
	case session.ApprovalAsked:
		a := p.log(e, askedEvent, callKey(b.Call), b.Description)
		a.word(attrToolCallID, b.Call)
		a.word(attrApprovalRequest, b.Request)
		a.mark(attrLowConfidence, b.LowConfidence)
		if p.Content {
			a.value(attrToolArguments, b.Shown)
		}
	case session.ApprovalAnswered:
		a := p.log(e, answeredEvent, callKey(b.Call), safety.Text{})
		a.word(attrToolCallID, b.Call)
		a.word(attrApprovalRequest, b.Request)
		a.word(attrApprovalAnswer, string(b.Answer))
	}
}

// log adds a log that belongs to a span, and returns its attributes.
func (p *projection) log(e session.Event, name, span string, body safety.Text) *attributes {
	a := p.common("", e.Agent)
	l := &logspb.LogRecord{
		TimeUnixNano: nanos(e.At), ObservedTimeUnixNano: nanos(e.At), EventName: name,
		SeverityNumber: logspb.SeverityNumber_SEVERITY_NUMBER_INFO, SeverityText: "INFO",
		TraceId: p.trace, SpanId: spanID(p.trace, span),
	}
	if !body.Empty() {
		l.Body = wordValue(body.String())
	}
	l.Attributes = a
	p.logs = append(p.logs, l)
	return (*attributes)(&l.Attributes)
}
