package agent

import (
	"context"
	"encoding/json"
	"fmt"
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

// What ended before its end was recorded has run up to now, and what never began took no time.
func TestATurnTookNoNegativeTime(t *testing.T) {
	began := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	now := began.Add(3 * time.Second)
	assert.Equal(t, 3*time.Second, tookSoFar(session.Turn{StartedAt: began}, now))
	assert.Equal(t, time.Second, tookSoFar(session.Turn{StartedAt: began, EndedAt: began.Add(time.Second)}, now))
	assert.Zero(t, tookSoFar(session.Turn{}, now))
	assert.Zero(t, tookSoFar(session.Turn{EndedAt: began}, now))
}

// moody is an engine's frames whose disk may be full.
type moody struct {
	journal.Frames
	full atomic.Bool
}

func (m *moody) Append(ctx context.Context, id string, f journal.Frame) error {
	if m.full.Load() {
		return fmt.Errorf("%w: the disk is full", journal.ErrUnavailable)
	}
	return m.Frames.Append(ctx, id, f)
}

// A turn that the storage does not keep calls no tool unseen, and has an end once there is room again.
func TestATurnThatTheStorageDoesNotKeepEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, err := sqlite.Open(t.TempDir(), sqlite.Options{Sync: sqlite.Interval})
		require.NoError(t, err)
		disk := &moody{Frames: engine.Frames}
		engine.Frames = disk
		store := session.NewDurable(engine, nil, session.Limits{})
		ran := 0
		fill := toolFunc("fill", func(context.Context) (json.RawMessage, error) {
			ran++
			disk.full.Store(ran == 2)
			return json.RawMessage(`"done"`), nil
		})
		call := Call{Name: "fill", Arguments: rawJSON(`{"rationale":"to fill it"}`)}
		c := NewChat(store, newDispatcher(t, endless(call), fill), 0)
		e := send(t, c, "", "hi")
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, 2, ran, "nothing runs whose reason is not kept")
		s, err := store.Open(t.Context(), "ann")
		require.NoError(t, err)
		turn, err := s.Turn(e.Thread, 1)
		require.NoError(t, err)
		assert.Equal(t, session.Processing, turn.State, "its end could not be recorded yet")
		disk.full.Store(false)
		time.Sleep(2 * settleEvery)
		synctest.Wait()
		turn, err = s.Turn(e.Thread, 1)
		require.NoError(t, err)
		assert.Equal(t, session.Failed, turn.State)
		assert.Equal(t, notKept, turn.Error)
		e = send(t, c, e.Thread, "again")
		synctest.Wait()
		assert.Equal(t, 2, e.Turn, "the thread goes on")
		c.Close(t.Context())
		require.NoError(t, store.Close())
	})
}

func TestAChatEndsAlthoughTheStorageTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, err := sqlite.Open(t.TempDir(), sqlite.Options{Sync: sqlite.Interval})
		require.NoError(t, err)
		disk := &moody{Frames: engine.Frames}
		engine.Frames = disk
		store := session.NewDurable(engine, nil, session.Limits{})
		fill := toolFunc("fill", func(context.Context) (json.RawMessage, error) {
			disk.full.Store(true)
			return json.RawMessage(`"done"`), nil
		})
		call := Call{Name: "fill", Arguments: rawJSON(`{"rationale":"to fill it"}`)}
		c := NewChat(store, newDispatcher(t, endless(call), fill), 0)
		send(t, c, "", "hi")
		time.Sleep(time.Minute)
		synctest.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		c.Close(ended)
		disk.full.Store(false)
		require.NoError(t, store.Close())
	})
}

// A thread that is deleted right after its turn's end, and begun anew under its name, has a turn of the same number.
// What still ends the earlier turn leaves the new one alone.
func TestTheEndOfADeletedTurnIsNotThatOfItsSuccessor(t *testing.T) {
	store := session.NewMemory(nil)
	c := NewChat(store, newDispatcher(t, &stepwise{}), 0)
	defer c.Close(t.Context())
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	begin := func() *pending {
		thread, err := s.OpenNamed("theirs")
		require.NoError(t, err)
		e, err := s.AcceptRun(thread, safety.Literal("hi"), nil, session.Workflow{})
		require.NoError(t, err)
		return &pending{session: s, user: "ann", event: e, held: &heldMemory{}}
	}
	recorderOf := func(p *pending) chatRecorder { return chatRecorder{chat: c, session: s, ref: p.event.Ref} }

	earlier := begin()
	require.NoError(t, recorderOf(earlier).Record(session.TurnCompleted{}))
	require.NoError(t, s.EraseThread(t.Context(), earlier.event.Thread))
	p := begin()
	require.Equal(t, earlier.event.Ref, p.event.Ref)
	c.settle(earlier, recorderOf(earlier))
	turn, err := s.Turn(p.event.Thread, p.event.Turn)
	require.NoError(t, err)
	assert.Equal(t, session.Processing, turn.State)

	wrong := func() { t.Error("the earlier turn is over") }
	r := &runner{current: earlier.event.Ref, waiting: []*pending{p}, cancel: wrong}
	assert.True(t, r.drop(p.event.Turn))
	assert.True(t, p.dropped, "who stops the turn means the one that there is")

	c.settle(p, recorderOf(p))
	turn, err = s.Turn(p.event.Thread, p.event.Turn)
	require.NoError(t, err)
	assert.Equal(t, session.Failed, turn.State, "its own end settles it")
}

// nobody is the commands of a process that no other talks to.
type nobody struct{ journal.Commands }

func (nobody) Serve(string, journal.Handler) (stop func(), err error) { return func() {}, nil }

// A turn waits for those that other processes run before it. Where it cannot, because its thread was deleted meanwhile,
// its model is not asked.
func TestATurnThatCannotWaitForThoseBeforeItDoesNotBegin(t *testing.T) {
	p := &stepwise{responses: []Response{{Text: "Done."}}}
	store := session.NewMemory(nil)
	c := NewChat(store, newDispatcher(t, p), 0).Share(nobody{})
	defer c.Close(t.Context())
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	gone := session.Event{Ref: session.Ref{Thread: "gone", Turn: 1}, Body: session.TurnStarted{}}
	c.runPending(t.Context(), &pending{session: s, event: gone, held: &heldMemory{}, unserve: func() {}})
	assert.Empty(t, p.requests)
}

// A turn that is stopped while it waits for one that another process runs was stopped, and nothing failed.
func TestATurnThatIsStoppedWhileItWaitsForAnotherIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := session.NewMemory(nil)
		c := NewChat(store, newDispatcher(t, &stepwise{}), 0).Share(nobody{})
		s, err := store.Open(t.Context(), "ann")
		require.NoError(t, err)
		thread, err := s.OpenThread()
		require.NoError(t, err)
		_, err = s.Accept(thread.Thread, safety.Literal("of another process"), nil)
		require.NoError(t, err)
		send(t, c, thread.Thread, "hi")
		synctest.Wait()
		c.mu.Lock()
		c.runners[thread.Thread].cancel()
		c.mu.Unlock()
		synctest.Wait()
		assert.Equal(t, []session.State{session.Processing, session.Interrupted}, states(t, s, thread.Thread))
		c.Close(t.Context())
	})
}
