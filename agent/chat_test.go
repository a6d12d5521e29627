package agent

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// answering is a provider that repeats the last user message after a second.
var answering = providerFunc(func(ctx context.Context, r Request) (Response, error) {
	select {
	case <-time.After(time.Second):
		return Response{Text: "you said " + r.Messages[len(r.Messages)-1].Text}, nil
	case <-ctx.Done():
		return Response{}, ctx.Err()
	}
})

// inChat runs test with fake time and a Chat whose model is p.
func inChat(t *testing.T, p Provider, test func(*testing.T, *Chat, *session.Session), tools ...Tool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := session.NewMemory(nil)
		c := NewChat(store, newDispatcher(t, p, tools...), 0)
		s, err := store.Open(t.Context(), "ann")
		require.NoError(t, err)
		test(t, c, s)
		c.Close(t.Context())
		require.NoError(t, store.Close())
	})
}

func send(t *testing.T, c *Chat, thread, text string) session.Event {
	t.Helper()
	e, err := c.Send(t.Context(), "ann", thread, text)
	require.NoError(t, err)
	return e
}

// states returns the states of a thread's turns.
func states(t *testing.T, s *session.Session, thread string) []session.State {
	t.Helper()
	h, err := s.History(thread, session.Page{})
	require.NoError(t, err)
	var out []session.State
	for _, turn := range h.Turns {
		out = append(out, turn.State)
	}
	return out
}

func TestAMessageIsAcceptedBeforeItsTurnHasRun(t *testing.T) {
	inChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
		e := send(t, c, "", "hi")
		assert.Equal(t, 1, e.Turn)
		assert.Equal(t, s.Active(), e.Thread, "a thread is opened for the first message")
		assert.Equal(t, []session.State{session.Processing}, states(t, s, e.Thread))
		time.Sleep(2 * time.Second) // fake time: in a bubble
		synctest.Wait()
		turn, _ := s.Turn(e.Thread, 1)
		assert.Equal(t, "you said hi", turn.Response.String())
	})
}

func TestTurnsOfAThreadRunOneAtATimeInOrder(t *testing.T) {
	inChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
		thread := send(t, c, "", "one").Thread
		send(t, c, thread, "two")
		send(t, c, thread, "three")
		synctest.Wait()
		assert.Equal(t, []session.State{session.Processing, session.Queued, session.Queued}, states(t, s, thread))
		time.Sleep(1500 * time.Millisecond) // fake time: in a bubble
		synctest.Wait()
		assert.Equal(t, []session.State{session.Completed, session.Processing, session.Queued}, states(t, s, thread))
		time.Sleep(3 * time.Second) // fake time: in a bubble
		synctest.Wait()
		turn, _ := s.Turn(thread, 3)
		assert.Equal(t, "you said three", turn.Response.String())
		assert.True(t, turn.StartedAt.After(turn.CreatedAt))
	})
}

func TestThreadsRunSideBySide(t *testing.T) {
	inChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
		one := send(t, c, "", "one").Thread
		e, err := s.OpenThread()
		require.NoError(t, err)
		send(t, c, e.Thread, "two")
		time.Sleep(1100 * time.Millisecond) // fake time: in a bubble
		synctest.Wait()
		assert.Equal(t, session.Completed, states(t, s, one)[0])
		assert.Equal(t, session.Completed, states(t, s, e.Thread)[0])
	})
}

func TestTheEleventhWaitingMessageIsRefused(t *testing.T) {
	inChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
		thread := send(t, c, "", "first").Thread
		for range session.MaxWaiting {
			send(t, c, thread, "more")
		}
		_, err := c.Send(t.Context(), "ann", thread, "too many")
		assert.ErrorIs(t, err, session.ErrBusy)
		time.Sleep(time.Minute) // fake time: in a bubble
		synctest.Wait()
		assert.Len(t, states(t, s, thread), session.MaxWaiting+1)
		assert.NotContains(t, states(t, s, thread), session.Queued)
	})
}

func TestInterruptStopsTheRunningAndTheWaitingTurns(t *testing.T) {
	inChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
		thread := send(t, c, "", "one").Thread
		send(t, c, thread, "two")
		ref, err := c.Interrupt(t.Context(), "ann", thread)
		require.NoError(t, err)
		assert.Equal(t, 1, ref.Turn)
		send(t, c, thread, "after")
		time.Sleep(2 * time.Second) // fake time: in a bubble
		synctest.Wait()
		want := []session.State{session.Interrupted, session.Interrupted, session.Completed}
		assert.Equal(t, want, states(t, s, thread), "a message after the interrupt runs")
	})
}

// The log may take long to record an end, and a stop that was acknowledged must hold.
func TestATurnWhoseEndIsBeingRecordedCannotBeStopped(t *testing.T) {
	inChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "one").Ref
		require.True(t, c.ends(t.Context(), ref))
		_, err := c.Interrupt(t.Context(), "ann", ref.Thread)
		require.ErrorIs(t, err, session.ErrNotRunning)
		require.ErrorIs(t, c.Cancel(t.Context(), "ann", ref), session.ErrNotRunning)
		send(t, c, ref.Thread, "two")
		stopped, err := c.Interrupt(t.Context(), "ann", ref.Thread)
		require.NoError(t, err)
		assert.Equal(t, 2, stopped.Turn, "what waits is stopped")
		time.Sleep(2 * time.Second) // fake time: in a bubble
		synctest.Wait()
		assert.Equal(t, []session.State{session.Completed, session.Interrupted}, states(t, s, ref.Thread))
		send(t, c, ref.Thread, "three")
		stopped, err = c.Interrupt(t.Context(), "ann", ref.Thread)
		require.NoError(t, err)
		assert.Equal(t, 3, stopped.Turn, "the next turn can be stopped again")
	})
}

// stopped is a recorder of a turn that was stopped when its end was about to be recorded.
type stopped struct{ *events }

func (stopped) ends(context.Context) bool { return false }

func TestATurnThatWasStoppedAtItsEndIsInterrupted(t *testing.T) {
	rec := &events{}
	d := newDispatcher(t, &stepwise{responses: []Response{{Text: "done"}}})
	require.NoError(t, d.Run(t.Context(), stopped{rec}, nil))
	assert.Equal(t, []session.Body{session.TurnInterrupted{}}, rec.list)
}

func TestInterruptNeedsARunningTurnOfTheUser(t *testing.T) {
	inChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
		e := send(t, c, "", "one")
		_, err := c.Interrupt(t.Context(), "bob", e.Thread)
		assert.ErrorIs(t, err, session.ErrNoThread)
		time.Sleep(2 * time.Second) // fake time: in a bubble
		synctest.Wait()
		_, err = c.Interrupt(t.Context(), "ann", e.Thread)
		assert.ErrorIs(t, err, session.ErrNotRunning)
	})
}

func TestLaterTurnsAreBuiltFromTheCleanedLog(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Text: "let me see", Calls: []Call{{Name: "a", Arguments: rawJSON(`{"q":"` + githubToken() + `"}`)}}},
		{Text: "one"}, {Text: "two"},
	}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		thread := send(t, c, "", "my token is "+githubToken()).Thread
		synctest.Wait()
		send(t, c, thread, "and "+githubToken())
		synctest.Wait()
		m := p.requests[2].Messages
		require.Len(t, m, 5)
		assert.Equal(t, "my token is [REDACTED:github-pat]", m[0].Text)
		assert.JSONEq(t, `{"q":"[REDACTED:github-pat]"}`, string(m[1].Calls[0].Arguments))
		assert.Equal(t, m[1].Calls[0].ID, m[2].CallID)
		assert.Equal(t, "one", m[3].Text)
		assert.Equal(t, "and "+githubToken(), m[4].Text,
			"within the turn the model sees the user's own words")
		assert.Equal(t, githubToken(), decoded(t, p.requests[1].Messages[2].Text)["q"], "and the tool's raw result")
	}, echo("a"))
}

// decoded decodes a JSON object of strings.
func decoded(t *testing.T, s string) map[string]string {
	t.Helper()
	var m map[string]string
	require.NoError(t, json.Unmarshal([]byte(s), &m))
	return m
}

func TestTheModelSeesThatEarlierTurnsFailedOrWereStopped(t *testing.T) {
	turns := []session.Turn{{State: session.Failed}, {State: session.Interrupted}, {State: session.Processing}}
	m := Conversation(turns, nil)
	require.Len(t, m, 4)
	assert.Contains(t, m[1].Text, "failed")
	assert.Contains(t, m[3].Text, "stopped")
}

func TestToolsRunOnBehalfOfTheUser(t *testing.T) {
	var user string
	who := toolFunc("who", func(ctx context.Context) (json.RawMessage, error) {
		user, _ = User(ctx)
		return rawJSON(`"ok"`), nil
	})
	inChat(t, oneStep("", Call{Name: "who"}), func(t *testing.T, c *Chat, _ *session.Session) {
		send(t, c, "", "hi")
		synctest.Wait()
		assert.Equal(t, "ann", user)
	}, who)
}

func TestCloseWaitsForTurns(t *testing.T) {
	inChat(t, answering, func(t *testing.T, c *Chat, s *session.Session) {
		thread := send(t, c, "", "one").Thread
		send(t, c, thread, "two")
		c.Close(t.Context())
		assert.Equal(t, []session.State{session.Completed, session.Completed}, states(t, s, thread))
		_, err := c.Send(t.Context(), "ann", thread, "late")
		assert.ErrorIs(t, err, session.ErrClosed)
		assert.Len(t, states(t, s, thread), 2, "nothing was started")
	})
}

func TestCloseInterruptsTurnsAtItsDeadline(t *testing.T) {
	forever := providerFunc(func(ctx context.Context, _ Request) (Response, error) {
		<-ctx.Done()
		return Response{}, errors.Join(errors.New("cut"), ctx.Err())
	})
	inChat(t, forever, func(t *testing.T, c *Chat, s *session.Session) {
		thread := send(t, c, "", "one").Thread
		send(t, c, thread, "two")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c.Close(ctx)
		assert.Equal(t, []session.State{session.Interrupted, session.Interrupted}, states(t, s, thread))
		for n := 1; n <= 2; n++ {
			turn, err := s.Turn(thread, n)
			require.NoError(t, err)
			assert.True(t, turn.Restarted, "no person did it")
			assert.Contains(t, finalText(turn), "The server restarted")
		}
	})
}

// A context that is not cancelled stays with that of the chat as long as the server runs.
func TestTheContextOfATurnEndsWithIt(t *testing.T) {
	var chat *Chat
	var ended atomic.Bool
	p := providerFunc(func(ctx context.Context, _ Request) (Response, error) {
		// The model has a context of its own, which ends with its answer.
		chat.mu.Lock()
		defer chat.mu.Unlock()
		for _, r := range chat.runners {
			end := r.cancel
			r.cancel = func() { ended.Store(true); end() }
		}
		return Response{Text: "done"}, ctx.Err()
	})
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		chat = c
		thread := send(t, c, "", "hi").Thread
		synctest.Wait()
		assert.Equal(t, []session.State{session.Completed}, states(t, s, thread))
		assert.True(t, ended.Load())
	})
}
