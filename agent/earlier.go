package agent

import (
	"errors"
	"math"
	"slices"

	"candor/session"
)

// The bounds of what a turn shows the model of the turns before it. The newest turns that fit are shown, and the
// latest in any case. More than this fits into the context of no model, and a thread may have any number of turns.
const (
	maxEarlierTurns = 1000
	maxEarlierBytes = 4 << 20 // of texts, parameters and results
)

// earlier returns the conversation so far, oldest message first, as far as it fits. It reads turns a page at a time
// from the newest on, and none beyond the bounds. A turn that cannot be read is left out, and is the error.
func (c *Chat) earlier(s *session.Session, thread string) ([]Message, error) {
	var turns [][]Message
	var failed error
	left := maxEarlierBytes
	for t, err := range s.Turns(thread, math.MaxInt, 1) {
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		messages := Conversation([]session.Turn{t}, c.opaque.get)
		if left -= textSize(messages); len(turns) > 0 && left < 0 {
			break
		}
		if len(messages) > 0 {
			turns = append(turns, messages)
		}
		if len(turns) == maxEarlierTurns {
			break
		}
	}
	slices.Reverse(turns)
	return slices.Concat(turns...), failed
}

// textSize returns how many bytes of text messages have.
func textSize(messages []Message) (n int) {
	for _, m := range messages {
		n += len(m.Text)
		for _, call := range m.Calls {
			n += len(call.Name) + len(call.Arguments)
		}
	}
	return n
}
