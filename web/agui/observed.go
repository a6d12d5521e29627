package agui

import "candor/session"

// leftOut reports whether no run shows an event: of a message that waits behind the turn, and
// of an observed turn what others say within it, and a second event about what is shown already:
// who asked for the turn, or a call that was proposed before it was made. What is heard of the turn of
// another program's agent after its end is in the history. What the user thinks of a decision is for
// the user's own pages.
func (p *Projector) leftOut(t session.Turn, e session.Event) bool {
	switch b := e.Body.(type) {
	case session.TurnQueued, session.Noted, session.DecisionRated:
		return true
	case session.Sighted:
		was := p.sightings[e.Turn]
		return was != nil && was.over
	case session.TurnStarted:
		return !t.StartedAt.Equal(e.At)
	case session.ToolCalled:
		c, _ := t.Call(b.Call)
		return !c.StartedAt.Equal(e.At)
	}
	return false
}

// concluded shows the answer that ends a turn. An observed one may have a conclusion instead,
// which is reasoning, and neither.
func (p *Projector) concluded(e session.Event, b session.TurnCompleted) {
	if !b.Conclusion.Empty() && p.Reasoning != Hidden {
		p.reason("", conclusionID(e.Turn), b.Conclusion.String(), reasoningMeta{About: "conclusion"})
	}
	if !b.Response.Empty() || !p.Observed {
		p.text(responseID(e.Turn), "assistant", b.Response.String())
	}
}
