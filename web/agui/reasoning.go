package agui

import (
	"candor/session"
)

// Level says how much reasoning a client is shown.
type Level string

// The levels, from everything to nothing. Summary shows the narrative of each step, but
// not the rationales of single calls.
const (
	Full    Level = "full"
	Summary Level = "summary"
	Hidden  Level = "hidden"
)

// ParseLevel returns the level with that name. ok is false if there is none.
func ParseLevel(s string) (l Level, ok bool) {
	l = Level(s)
	return l, l == Full || l == Summary || l == Hidden
}

// lower returns the level that shows less.
func lower(a, b Level) Level {
	if a == Hidden || b == Hidden {
		return Hidden
	}
	if a == Summary || b == Summary {
		return Summary
	}
	return Full
}

// reasoningMeta holds what AG-UI has no members for on reasoning messages. Call is absent
// for narratives, DurationMS for rationales. Source is model or fallback, or summary for a
// narrative that the provider wrote, or thought for a rationale that is the thought before an
// observed call. A conclusion, of an observed turn, has neither source nor step.
type reasoningMeta struct {
	About      string         `json:"about"` // narrative, thought, rationale or conclusion
	Source     session.Source `json:"source,omitempty"`
	Blocked    bool           `json:"blocked,omitempty"` // there was one, and the safety layer withheld it
	Step       int            `json:"step"`              // 0 for a conclusion
	Call       string         `json:"call_id,omitempty"`
	DurationMS *int64         `json:"duration_ms,omitempty"` // how long the model took
	Sealed     *sealedMeta    `json:"sealed,omitempty"`      // of a narrative: what only the provider can read
	Stop       session.Stop   `json:"stop,omitempty"`        // of a narrative: why the model stopped
	StopWords  string         `json:"stop_words,omitempty"`  // that in plain words
}

// sealedMeta has the kind of sealed reasoning, encrypted or signature, and how much it was.
type sealedMeta struct {
	Kind   session.SealKind `json:"kind"`
	Bytes  int              `json:"bytes,omitempty"`
	Tokens int              `json:"tokens,omitempty"`
}

// narrated shows the narrative of a step, with the time since the agent's last step. Where all of its
// reasoning is sealed, the message has no content, and its metadata says how much there was.
func (p *Projector) narrated(e session.Event, b session.Narrated) {
	if p.Reasoning == Hidden {
		return
	}
	if !b.Thought.Empty() {
		p.reason(e.Agent, thoughtID(e.Turn, e.Agent, b.Step), b.Thought.String(),
			reasoningMeta{About: "thought", Source: session.FromSummary, Step: b.Step})
	}
	meta := reasoningMeta{
		About: "narrative", Source: b.Source, Blocked: b.Blocked, Step: b.Step, Stop: b.Stop, StopWords: b.Stop.Words(),
	}
	if from, ok := p.since[e.Agent]; ok {
		meta.DurationMS = new(e.At.Sub(from).Milliseconds())
	}
	if b.Sealed.Known() {
		meta.Sealed = new(sealedMeta(b.Sealed))
	}
	if !b.Text.Empty() || b.Sealed.Known() || b.Stop != "" {
		p.reason(e.Agent, narrativeID(e.Turn, e.Agent, b.Step), b.Text.String(), meta)
	}
}

// answerReasoning sends the encrypted reasoning of the step that answered, on the message
// of its narrative. If the client was not shown that message, it gets one without content.
func (p *Projector) answerReasoning(t session.Turn) {
	value := p.encryptedReasoning("")
	if value == "" {
		return
	}
	number, shown := p.answerStep(t)
	id := narrativeID(t.Number, "", number)
	if !shown {
		p.step("", number)
		p.reason("", id, "", reasoningMeta{About: "narrative", Step: number})
	}
	p.add(&Encrypted{p.of("", EncryptedValue), "message", id, value})
}

// answerStep returns the number of the step that answered, and whether its narrative was
// shown. A step without a narrative is not in the turn, and follows the last one that is.
func (p *Projector) answerStep(t session.Turn) (number int, shown bool) {
	if s, ok := t.AnswerStep(); ok {
		return s.Number, p.Reasoning != Hidden && (s.Sealed.Known() || s.Stop != "" || !s.Narrative.Empty())
	}
	for _, s := range t.Steps {
		if s.Agent == "" {
			number = s.Number
		}
	}
	return number + 1, false
}

// encryptedReasoning returns what View.EncryptedReasoning has for a step of this turn.
func (p *Projector) encryptedReasoning(call string) string {
	if p.EncryptedReasoning == nil {
		return ""
	}
	return p.EncryptedReasoning(p.turn.Number, call)
}

// reason shows one narrative or rationale as a reasoning message in a span of its own. An
// empty one has no content event, because some clients fail on an empty delta.
func (p *Projector) reason(agent, id, words string, meta reasoningMeta) {
	start := &Start{p.of(agent, ReasoningStart), id, "reasoning"}
	start.Metadata = Metadata{metaReasoning: meta}
	p.add(&Mark{p.of(agent, SpanStart), id})
	p.add(start)
	if words != "" {
		p.add(&Content{p.of(agent, ReasoningContent), id, words})
	}
	p.add(&Mark{p.of(agent, ReasoningEnd), id})
	p.add(&Mark{p.of(agent, SpanEnd), id})
}
