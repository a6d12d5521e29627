package agui

import (
	"slices"

	"candor/session"
)

// sightedTurn is what was shown of a turn of another program's agent. Channels tell its facts in any order, and more
// than once; a client is shown each once, as it was known then, and the history has how the turn is now.
type sightedTurn struct {
	narrated map[string]bool // by the id of the message
	calls    map[string]bool // true once the result was shown, too
	over     bool
}

// sighted shows what a channel saw, as far as nothing of it was shown before.
func (p *Projector) sighted(t session.Turn, e session.Event, b session.Sighted) {
	was := p.sightings[t.Number]
	if was == nil {
		was = &sightedTurn{narrated: map[string]bool{}, calls: map[string]bool{}}
		p.sightings[t.Number] = was
	}
	if t.FirstSeq == e.Seq && p.UserMessages && !t.Input.Empty() {
		p.text(t.Message, "user", t.Input.String())
	}
	for _, s := range b.Sightings {
		if c, ok := t.Call(s.Call); ok {
			p.sightedCall(t, e, c, was)
		}
	}
	if !t.State.Ended() {
		return
	}
	// What is heard of the turn from now on is left out, so that no more of it is kept.
	for _, s := range t.Steps {
		p.sightedStep(e, s, was)
	}
	*was = sightedTurn{over: true}
	switch t.State {
	case session.Failed:
		p.fail("turn_failed", t.Error.String())
	case session.Interrupted:
		p.cancel()
	default:
		p.concluded(e, session.TurnCompleted{Response: t.Response})
	}
}

// sightedCall shows a call after the narrative of its step, and its result once there is one.
func (p *Projector) sightedCall(t session.Turn, e session.Event, c session.Call, was *sightedTurn) {
	ended, known := was.calls[c.ID]
	if !known {
		at := slices.IndexFunc(t.Steps, isStep(c.Agent, c.Step))
		if at >= 0 {
			p.sightedStep(e, t.Steps[at], was)
		}
		e.Agent = c.Agent
		p.step(c.Agent, c.Step)
		p.called(t, e, session.ToolCalled{Step: c.Step, Call: c.ID, Rationale: c.Rationale})
		was.calls[c.ID] = false
	}
	if ended || c.Outcome == session.Pending {
		return
	}
	// The turn may have ended with the same event: the result is no late one.
	t.State = session.Processing
	p.returned(t, session.ToolReturned{
		Call: c.ID, Outcome: c.Outcome, Result: c.Result, Error: c.Error, Took: c.Took,
	})
	was.calls[c.ID] = true
}

// sightedStep shows the narrative of a step, once there is one.
func (p *Projector) sightedStep(e session.Event, s session.Step, was *sightedTurn) {
	id := narrativeID(e.Turn, s.Agent, s.Number)
	if was.narrated[id] || s.Narrative.Empty() && !s.Sealed.Known() && s.Stop == "" {
		return
	}
	was.narrated[id] = true
	e.Agent = s.Agent
	p.step(s.Agent, s.Number)
	p.narrated(e, session.Narrated{
		Step: s.Number, Text: s.Narrative, Source: s.NarrativeSource, Blocked: s.NarrativeBlocked, Sealed: s.Sealed,
		Thought: s.Thought, Stop: s.Stop,
	})
}
