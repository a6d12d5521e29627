package agent

import (
	"context"

	"candor/session"
)

// Rate records what a user thinks of a decision: session.Good or Bad, with a note of why, which may be
// empty, or session.Unrated, which withdraws the rating before. The log gets the note masked, as it
// gets the user's messages. The models never see it.
//
// Rate fails as [session.Session.Rate] does.
func (c *Chat) Rate(
	ctx context.Context, user string, ref session.Ref, call string, rating session.Rating, note string,
) error {
	s, err := c.store.Open(ctx, user)
	if err != nil {
		return err
	}
	rated := session.DecisionRated{Call: call, Rating: rating}
	if rating != session.Unrated {
		text, report := c.dispatcher.Safety.Remember(s.Seen()).Mask(note)
		rated.Note, rated.Findings = text, report.Findings
	}
	return s.Rate(session.Ref{Thread: ref.Thread, Turn: ref.Turn}, rated)
}
