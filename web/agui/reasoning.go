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
// narrative that the provider wrote.
type reasoningMeta struct {
	About      string         `json:"about"` // narrative or rationale
	Source     session.Source `json:"source,omitempty"`
	Blocked    bool           `json:"blocked,omitempty"` // there was one, and the safety layer withheld it
	Step       int            `json:"step"`
	Call       string         `json:"call_id,omitempty"`
	DurationMS *int64         `json:"duration_ms,omitempty"` // how long the model took
}

// narrated shows the narrative of a step, with the time since the agent's last step.
func (p *Projector) narrated(e session.Event, b session.Narrated) {
	if p.Reasoning == Hidden {
		return
	}
	meta := reasoningMeta{About: "narrative", Source: b.Source, Blocked: b.Blocked, Step: b.Step}
	if from, ok := p.since[e.Agent]; ok {
		meta.DurationMS = new(e.At.Sub(from).Milliseconds())
	}
	p.reason(e.Agent, narrativeID(e.Turn, e.Agent, b.Step), b.Text.String(), meta)
}

// reason shows one narrative or rationale as a reasoning message in a span of its own.
// Empty ones are left out: some clients fail on a message without content.
func (p *Projector) reason(agent, id, words string, meta reasoningMeta) {
	if words == "" {
		return
	}
	start := &Start{p.of(agent, ReasoningStart), id, "reasoning"}
	start.Metadata = Metadata{metaReasoning: meta}
	p.add(&Mark{p.of(agent, SpanStart), id})
	p.add(start)
	p.add(&Content{p.of(agent, ReasoningContent), id, words})
	p.add(&Mark{p.of(agent, ReasoningEnd), id})
	p.add(&Mark{p.of(agent, SpanEnd), id})
}
