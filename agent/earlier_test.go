package agent

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/session/journal"
	"candor/session/journal/sqlite"
)

// counting is an engine's frames, and how many were read.
type counting struct {
	journal.Frames
	read atomic.Int64
}

func (c *counting) Read(ctx context.Context, id string, from uint64) iter.Seq2[journal.Frame, error] {
	return func(yield func(journal.Frame, error) bool) {
		for f, err := range c.Frames.Read(ctx, id, from) {
			c.read.Add(1)
			if !yield(f, err) {
				return
			}
		}
	}
}

// grown opens ann's session on the engine with a thread of so many ended turns, none of which is in memory.
func grown(t *testing.T, engine journal.Engine, turns int, answer func(n int) string) (*session.Durable, string) {
	t.Helper()
	store := session.NewDurable(engine, nil, session.Limits{})
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	e, err := s.OpenThread()
	require.NoError(t, err)
	layer := safety.NewLayer()
	for n := range turns {
		said, _ := layer.Mask(answer(n + 1))
		begun, err := s.Accept(e.Thread, said, nil)
		require.NoError(t, err)
		_, err = s.Append(begun.Ref, session.TurnCompleted{Response: said})
		require.NoError(t, err)
	}
	_, err = store.Evict(t.Context(), time.Now().Add(time.Hour))
	require.NoError(t, err)
	return store, e.Thread
}

// The model is shown the newest turns that fit by number and by size, in order, and of the others nothing is read.
func TestTheModelIsShownTheNewestTurnsOfALongConversation(t *testing.T) {
	for name, c := range map[string]struct {
		turns, shown int
		answer       func(n int) string
	}{
		"many turns": {1100, maxEarlierTurns, func(n int) string { return fmt.Sprint("turn ", n) }},
		"long turns": {60, 23, func(n int) string { return fmt.Sprint("turn ", n, strings.Repeat(" so", 30_000)) }},
		"few turns":  {3, 3, func(n int) string { return fmt.Sprint("turn ", n) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				engine, err := sqlite.Open(t.TempDir(), sqlite.Options{Sync: sqlite.Interval})
				require.NoError(t, err)
				frames := &counting{Frames: engine.Frames}
				engine.Frames = frames
				store, thread := grown(t, engine, c.turns, c.answer)
				p := &recording{Provider: answering}
				chat := NewChat(store, newDispatcher(t, p), 0)
				frames.read.Store(0)
				send(t, chat, thread, "and now?")
				time.Sleep(2 * time.Second)
				synctest.Wait()
				m := p.request.Messages
				require.Len(t, m, 2*c.shown+1)
				for i := range c.shown {
					want := c.answer(c.turns - c.shown + i + 1)
					assert.True(t, m[2*i].Text == want && m[2*i+1].Text == want, "turn %d of those shown", i)
				}
				assert.LessOrEqual(t, frames.read.Load(), int64(2*(c.shown+70)), "frames read")
				chat.Close(t.Context())
				require.NoError(t, store.Close())
			})
		})
	}
}

// recording is a provider that keeps the latest request.
type recording struct {
	Provider
	request Request
}

func (r *recording) Respond(ctx context.Context, q Request) (Response, error) {
	r.request = q
	return r.Provider.Respond(ctx, q)
}
