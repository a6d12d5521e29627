package agent

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// A note may name a secret as any message may, and is no message: the model that made the decision is
// not told what its user thinks of it.
func TestWhatAUserThinksOfADecisionIsKeptMaskedAndNotShownToTheModel(t *testing.T) {
	p := &stepwise{responses: []Response{{Calls: []Call{{Name: "a"}}}, {Text: "one"}, {Text: "two"}}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		e := send(t, c, "", "hi")
		synctest.Wait()
		secret := "AKIA" + strings.Repeat("Q7", 8)
		require.NoError(t, c.Rate(t.Context(), "ann", e.Ref, "call_1", session.Bad, "it used "+secret))
		turn, err := s.Turn(e.Thread, 1)
		require.NoError(t, err)
		call, _ := turn.Call("call_1")
		require.NotNil(t, call.Feedback)
		assert.Equal(t, session.Bad, call.Feedback.Rating)
		assert.Contains(t, call.Feedback.Note.String(), "it used [REDACTED:")
		assert.NotContains(t, call.Feedback.Note.String(), secret)
		assert.NotEmpty(t, turn.Findings)
		require.ErrorIs(t, c.Rate(t.Context(), "bob", e.Ref, "call_1", session.Good, ""), session.ErrNoThread)

		send(t, c, e.Thread, "again")
		synctest.Wait()
		for _, m := range p.requests[2].Messages {
			assert.NotContains(t, m.Text, "it used")
		}
		require.NoError(t, c.Rate(t.Context(), "ann", e.Ref, "call_1", session.Unrated, ""))
		turn, err = s.Turn(e.Thread, 1)
		require.NoError(t, err)
		call, _ = turn.Call("call_1")
		assert.Nil(t, call.Feedback)
	}, echo("a"))
}
