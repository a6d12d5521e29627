package attached

import (
	"time"

	"candor/attach"
	"candor/safety"
	"candor/session"
)

// maxText bounds a text that comes in pieces, in bytes.
const maxText = 64 << 10

// isLoose reports whether a sighting is a text, or a piece of one, of which the hook does not say to which answer of
// the model it belongs. Package session finds the call.
func isLoose(s attach.Sighting) bool {
	return s.Said != nil && s.Channel == attach.Hooks && s.Group == "" && s.Call == ""
}

// looseGroup returns the group that the pieces of a text share.
func looseGroup(s attach.Sighting) string {
	if s.Said.Message != "" {
		return ourID(session.SaidMessage, s.Said.Message)
	}
	return ourID(session.SaidUnnamed, s.At.UTC().Format(time.RFC3339Nano)+"\x00"+s.Said.Text)
}

// saidBefore returns what the log has of a text ahead of a piece. The piece is cleaned together with it, since a secret
// may stand across pieces. ok is false for a piece that makes the text too long, which is dropped whole, so that no
// text is cut where it may hold half a secret.
func (t *taking) saidBefore(thread, key string, s attach.Sighting) (before safety.Text, ok bool, err error) {
	if s.Said.Message != "" {
		if err := t.flush(); err != nil {
			return before, false, err
		}
		before, err = t.own.SaidBefore(thread, key,
			session.Sighting{Sub: ourID("agent", s.Sub), Group: looseGroup(s), Index: s.Index})
	}
	return before, len(before.String())+len(s.Said.Text) <= maxText, err
}
