package workflow

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func TestANodeWaitsAsLongAsItsRunSays(t *testing.T) {
	inChat(t, func(t *testing.T, c chat) {
		for inputs, takes := range map[string]time.Duration{
			`{}`: time.Second, `{"delayMs":20000}`: 20 * time.Second, `{"delayMs":0}`: 0,
		} {
			e := c.start(t, defined(t, "conformance-delay"), inputs)
			time.Sleep(time.Minute)
			synctest.Wait()
			turn := c.turn(t, e)
			require.Equal(t, session.Completed, turn.State)
			assert.InDelta(t, takes.Seconds(), turn.EndedAt.Sub(turn.StartedAt).Seconds(), 0.1, inputs)
		}
		turn := c.turn(t, c.start(t, defined(t, "conformance-delay"), `{"delayMs":-1}`))
		assert.Equal(t, session.Failed, turn.State)
	})
}

func TestAGateThatAPersonRefusesFails(t *testing.T) {
	inChat(t, func(t *testing.T, c chat) {
		for answer, state := range map[session.Answer]session.State{
			session.Approve: session.Completed, session.Deny: session.Failed,
		} {
			e := c.start(t, defined(t, "conformance-approval"), "")
			call, ok := c.turn(t, e).Call("call_1")
			require.True(t, ok)
			_, err := c.Answer(t.Context(), "ann", call.Approval.Request, answer, nil)
			require.NoError(t, err)
			synctest.Wait()
			assert.Equal(t, state, c.turn(t, e).State)
		}
	})
}
