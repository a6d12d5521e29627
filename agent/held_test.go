package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// inSmallChat is inChat with sessions of a mebibyte.
func inSmallChat(t *testing.T, p Provider, test func(*testing.T, *Chat, *session.Session), tools ...Tool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := session.NewMemory(nil).Within(session.Limits{Session: 1 << 20})
		c := NewChat(store, newDispatcher(t, p, tools...), 0)
		s, err := store.Open(t.Context(), "ann")
		require.NoError(t, err)
		test(t, c, s)
		c.Close(t.Context())
		require.NoError(t, store.Close())
	})
}

func TestATurnEndsWhenItsSessionIsFull(t *testing.T) {
	type filling struct {
		args   json.RawMessage
		result string
	}
	tests := map[string]filling{"with what a tool returns": {rawJSON(`{}`), strings.Repeat("x ", 20_000)}}
	for n := range 8 { // the room ends at another event each time
		q := strings.Repeat("x ", 16_000+2_000*n)
		tests[fmt.Sprintf("with %d bytes of arguments", len(q))] =
			filling{rawJSON(`{"rationale":"to fill it","q":"` + q + `"}`), "done"}
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ran := 0
			fill := toolFunc("fill", func(context.Context) (json.RawMessage, error) {
				ran++
				return json.RawMessage(`"` + tt.result + `"`), nil
			})
			inSmallChat(t, endless(Call{Name: "fill", Arguments: tt.args}),
				func(t *testing.T, c *Chat, s *session.Session) {
					e := send(t, c, "", "hi")
					synctest.Wait()
					turn, err := s.Turn(e.Thread, 1)
					require.NoError(t, err)
					assert.Equal(t, noRoom, turn.Error)
					recorded := 0
					for call := range turn.Calls() {
						recorded++
						assert.NotEmpty(t, call.Rationale.Text.String())
					}
					assert.Equal(t, recorded, ran, "nothing ran whose reason is not in the log")
					assert.Greater(t, ran, 3)
					assert.LessOrEqual(t, s.Held(), 1<<20)
					release, err := s.Hold(800_000) // the turn has ended, so it can be dropped
					require.NoError(t, err)
					release()
				}, fill)
		})
	}
}

func TestAnAnswerWithoutRoomFailsItsTurn(t *testing.T) {
	long := providerFunc(func(context.Context, Request) (Response, error) {
		return Response{Text: strings.Repeat("so it goes ", 8000)}, nil
	})
	inSmallChat(t, long, func(t *testing.T, c *Chat, s *session.Session) {
		release, err := s.Hold(1<<20 - s.Held() - 50_000)
		require.NoError(t, err)
		e := send(t, c, "", "hi")
		synctest.Wait()
		turn, err := s.Turn(e.Thread, 1)
		require.NoError(t, err)
		assert.Equal(t, noRoom, turn.Error)
		release()
		e = send(t, c, e.Thread, "again")
		synctest.Wait()
		assert.Equal(t, []session.State{session.Failed, session.Completed}, states(t, s, e.Thread))
	})
}

func TestMessagesThatWaitAreChargedWithTheirTools(t *testing.T) {
	inSmallChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
		running := send(t, c, "", "hi")
		before := s.Held()
		tools := []FrontEndTool{{Name: "paint", Parameters: rawJSON(`{"type":"object","description":"` +
			strings.Repeat("x", 10_000) + `"}`)}}
		_, err := c.SendWith(t.Context(), "ann", running.Thread, strings.Repeat("y", 50_000), TurnOptions{
			Tools: tools, Context: []Message{{Role: RoleUser, Text: strings.Repeat("z", 20_000)}},
		})
		require.NoError(t, err)
		assert.Greater(t, s.Held(), before+2*50_000+20_000+schemaFactor*10_000)
		_, err = c.Send(t.Context(), "ann", running.Thread, strings.Repeat("y", 900_000))
		require.ErrorIs(t, err, session.ErrFull)
		assert.Len(t, states(t, s, running.Thread), 2)
		time.Sleep(10 * time.Second) // fake time: both turns end
		synctest.Wait()
		assert.Less(t, s.Held(), before+200_000, "what waited is given back, the log's own part stays")
	})
}

func TestAMessageThatIsRefusedIsNotCharged(t *testing.T) {
	inSmallChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
		before := s.Held()
		for range 50 { // together they would fill the session
			_, err := c.Send(t.Context(), "ann", "no such thread", strings.Repeat("y", 100_000))
			require.ErrorIs(t, err, session.ErrNoThread)
		}
		assert.Equal(t, before, s.Held())
	})
}
