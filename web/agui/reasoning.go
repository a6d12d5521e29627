package agui

import (
	"candor/session"
)

// Level is how much of the reasoning a client is shown.
type Level string

// The levels, from all to none. Summary is the narrative of each step, without the
// reasons of single calls.
const (
	Full    Level = "full"
	Summary Level = "summary"
	Hidden  Level = "hidden"
)

// ParseLevel reads a level.
func ParseLevel(s string) (Level, bool) {
	l := Level(s)
	return l, l == Full || l == Summary || l == Hidden
}

// lower is the one of two that shows less.
func lower(a, b Level) Level {
	if a == Hidden || b == Hidden {
		return Hidden
	}
	if a == Summary || b == Summary {
		return Summary
	}
	return Full
}

// reasoningMeta is what AG-UI cannot say of reasoning.
type reasoningMeta struct {
	About      string         `json:"about"` // narrative or rationale
	Source     session.Source `json:"source,omitempty"`
	Blocked    bool           `json:"blocked,omitempty"` // the model gave one, and safety withheld it
	Step       int            `json:"step"`
	Call       string         `json:"call_id,omitempty"`
	DurationMS *int64         `json:"duration_ms,omitempty"` // how long the model took to say it
}

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

// reason shows one piece of reasoning, in a span of its own. An empty one is left
// out: there is nothing to show, and clients have stumbled over it.
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
