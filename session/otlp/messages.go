package otlp

import (
	"encoding/json"

	logspb "go.opentelemetry.io/proto/slim/otlp/logs/v1"

	"candor/safety"
	"candor/session"
)

// part is a part of a message, as the conventions write it.
type part struct {
	Type      string          `json:"type"` // text, reasoning or tool_call
	Content   string          `json:"content,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// maxPart is how many bytes of its text a part has, so that a message of some parts is whole.
const maxPart = 2 << 10

// message returns a list of one message, as the conventions write it.
func message(role string, parts ...part) string {
	for i := range parts {
		parts[i].Content = cutTo(parts[i].Content, maxPart)
		if len(parts[i].Arguments) > maxPart {
			parts[i].Arguments = nil
		}
	}
	type said struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}
	raw, err := json.Marshal([]said{{role, parts}})
	if err != nil || len(raw) > maxText {
		return "" // half of it would not be JSON
	}
	return string(raw)
}

// saidIn returns what the model said in a step: a narrative and calls.
func saidIn(s session.Step) (parts []part) {
	if !s.Thought.Empty() {
		parts = append(parts, part{Type: "reasoning", Content: s.Thought.String()})
	}
	if !s.Narrative.Empty() {
		kind := "text"
		if s.NarrativeSource == session.FromSummary {
			kind = "reasoning"
		}
		parts = append(parts, part{Type: kind, Content: s.Narrative.String()})
	}
	for _, c := range s.Calls {
		parts = append(parts, part{Type: "tool_call", ID: c.ID, Name: c.Tool.String(), Arguments: c.Params.Raw()})
	}
	return parts
}

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
