package agent

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// deaf returns a tool that ignores its context until release is closed.
func deaf(name string, release <-chan struct{}) Tool {
	return toolFunc(name, func(context.Context) (json.RawMessage, error) {
		<-release
		return rawJSON(`"late"`), nil
	})
}

// inStuckChat runs test with a running turn whose tool ignores its context.
func inStuckChat(t *testing.T, tools func(release <-chan struct{}) []Tool,
	test func(*testing.T, *Chat, func() session.Turn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		store := session.NewMemory(nil)
		p := oneStep("", Call{Name: "deaf", Arguments: rawJSON(`{"task":"x"}`)})
		c := NewChat(store, newDispatcher(t, p, tools(release)...), 0)
		s, err := store.Open(t.Context(), "ann")
		require.NoError(t, err)
		e := send(t, c, "", "hi")
		synctest.Wait()
		test(t, c, func() session.Turn {
			turn, err := s.Turn(e.Thread, e.Turn)
			require.NoError(t, err)
			return turn
		})
	})
}

func onlyDeaf(release <-chan struct{}) []Tool { return []Tool{deaf("deaf", release)} }

func TestAnInterruptDoesNotWaitForAToolThatIgnoresIt(t *testing.T) {
	inStuckChat(t, onlyDeaf, func(t *testing.T, c *Chat, turn func() session.Turn) {
		_, err := c.Interrupt(t.Context(), "ann", "")
		require.NoError(t, err)
		time.Sleep(stopGrace - time.Millisecond) // fake time, in a synctest bubble
		synctest.Wait()
		assert.Equal(t, session.Processing, turn().State, "the tool may still stop by itself")
		time.Sleep(time.Millisecond) // fake time
		synctest.Wait()
		assert.Equal(t, session.Interrupted, turn().State)
		assert.Equal(t, session.Cancelled, turn().Steps[0].Calls[0].Outcome)
		c.Close(t.Context())
	})
}

func TestCloseDoesNotWaitForAToolBeyondItsGrace(t *testing.T) {
	for name, tools := range map[string]func(<-chan struct{}) []Tool{
		"of the agent": onlyDeaf,
		"of a sub-agent": func(release <-chan struct{}) []Tool {
			sub := newDispatcher(t, oneStep("", Call{Name: "stuck"}), deaf("stuck", release))
			return []Tool{Delegate{Name: "deaf", Description: "d", Agent: sub}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			inStuckChat(t, tools, func(t *testing.T, c *Chat, turn func() session.Turn) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				c.Close(ctx)
				assert.Equal(t, time.Second+stopGrace, time.Since(start))
				assert.Equal(t, session.Interrupted, turn().State)
				for _, call := range turn().Steps[0].Calls {
					assert.Equal(t, session.Cancelled, call.Outcome)
				}
			})
		})
	}
}
