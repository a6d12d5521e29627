package agui

import "candor/session"

// leftOut reports whether no run shows an event: of a message that waits behind the turn, and
// of what others say within an observed turn.
func (p *Projector) leftOut(e session.Event) bool {
	switch e.Body.(type) {
	case session.TurnQueued, session.Noted:
		return true
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
