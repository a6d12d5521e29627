package session_test

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/session/journal"
)

// hookedEngine calls hook, if there is one, before each of its methods, with the method's name.
type hookedEngine struct {
	*fakeEngine
	mu   sync.Mutex
	hook func(ctx context.Context, method string) error
}

func (h *hookedEngine) on(hook func(ctx context.Context, method string) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hook = hook
}

func (h *hookedEngine) call(ctx context.Context, method string) error {
	h.mu.Lock()
	hook := h.hook
	h.mu.Unlock()
	if hook == nil {
		return nil
	}
	return hook(ctx, method)
}

func (h *hookedEngine) Save(ctx context.Context, id string, data []byte) error {
	if err := h.call(ctx, "save"); err != nil {
		return err
	}
	return h.fakeEngine.Save(ctx, id, data)
}

func (h *hookedEngine) Load(ctx context.Context, id string) ([]byte, error) {
	if err := h.call(ctx, "load"); err != nil {
		return nil, err
	}
	return h.fakeEngine.Load(ctx, id)
}

func (h *hookedEngine) Replace(ctx context.Context, id string, with []journal.Frame) error {
	if err := h.call(ctx, "replace"); err != nil {
		return err
	}
	return h.fakeEngine.Replace(ctx, id, with)
}

func (h *hookedEngine) Remove(ctx context.Context, user string) error {
	if err := h.call(ctx, "remove"); err != nil {
		return err
	}
	return h.fakeEngine.Remove(ctx, user)
}

func (h *hookedEngine) Users(ctx context.Context) iter.Seq2[journal.Entry, error] {
	return h.fakeEngine.Users(ctx)
}

// openHooked opens ann's session in a store on an engine with hooks.
func openHooked(t *testing.T) (*hookedEngine, *session.Durable, *session.Session) {
	t.Helper()
	h := &hookedEngine{fakeEngine: newFakeEngine()}
	e := h.engine()
	e.Frames, e.Directory, e.Snapshots = h, h, h
	store := session.NewDurable(e, nil, session.Limits{})
	t.Cleanup(func() { _ = store.Close() })
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	return h, store, s
}

// block makes the first call of a method wait until the function that it returns is called.
func (h *hookedEngine) block(method string) (release func()) {
	wait := make(chan struct{})
	var waits atomic.Bool
	h.on(func(_ context.Context, called string) error {
		if called == method && waits.CompareAndSwap(false, true) {
			<-wait
		}
		return nil
	})
	return func() { close(wait) }
}

// says returns a text.
func says(text string) safety.Text {
	clean, _ := cleaner.Mask(text)
	return clean
}

// endedThread returns a thread whose only turn has ended and says something.
func endedThread(t *testing.T, s *session.Session, text string) string {
	t.Helper()
	e, err := s.OpenThread()
	require.NoError(t, err)
	turn, err := s.Accept(e.Thread, says(text), nil)
	require.NoError(t, err)
	add(t, s, turn.Ref, session.TurnCompleted{})
	return e.Thread
}

func TestASnapshotOfAnEvictedSessionDoesNotBringBackWhatWasErasedSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, store, s := openHooked(t)
		id := endedThread(t, s, "purple elephants")
		release := h.block("save")
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := store.Evict(t.Context(), time.Now().Add(time.Hour))
			assert.NoError(t, err)
		})
		synctest.Wait()
		wg.Go(func() {
			s, err := store.Open(t.Context(), "ann")
			assert.NoError(t, err)
			assert.NoError(t, s.EraseThread(t.Context(), id))
		})
		synctest.Wait()
		release()
		wg.Wait()
		assert.NotContains(t, h.bytes(), "elephants")
	})
}

func TestASessionThatIsOpenedWhileItsUserIsRemovedIsANewOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, store, s := openHooked(t)
		endedThread(t, s, "purple elephants")
		release := h.block("remove")
		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, store.Remove(t.Context(), "ann")) })
		synctest.Wait()
		wg.Go(func() {
			s, err := store.Open(t.Context(), "ann")
			assert.NoError(t, err)
			assert.Empty(t, s.Threads())
			assert.NoError(t, errOf(s.OpenThread()))
		})
		synctest.Wait()
		release()
		wg.Wait()
		require.ErrorIs(t, errOf(s.OpenThread()), session.ErrEvicted)
		require.NoError(t, s.Save(t.Context()))
		assert.Empty(t, h.snapshots[s.ID()], "the session that was removed saves nothing")
		assert.NotContains(t, h.bytes(), "elephants")
	})
}

func TestAnOpeningEndsWhenTheStoreCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, store, _ := openHooked(t)
		h.on(func(ctx context.Context, method string) error {
			if method == "load" {
				<-ctx.Done()
			}
			return ctx.Err()
		})
		var wg sync.WaitGroup
		wg.Go(func() { assert.ErrorIs(t, errOf(store.Open(t.Context(), "bob")), session.ErrClosed) })
		synctest.Wait()
		h.on(func(_ context.Context, method string) error { return nil })
		began := time.Now()
		require.NoError(t, store.Close())
		wg.Wait()
		assert.Zero(t, time.Since(began))
	})
}

func TestRetentionDoesNotEndASessionThatSomebodyHasOpenedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, store, s := openHooked(t)
		endedThread(t, s, "hi")
		time.Sleep(time.Hour)
		synctest.Wait()
		n, err := store.Evict(t.Context(), time.Now())
		require.NoError(t, err)
		require.Equal(t, 1, n)
		release := h.block("replace")
		var wg sync.WaitGroup
		wg.Go(func() {
			n, err := store.Retain(t.Context(), session.Retention{Age: time.Minute})
			assert.NoError(t, err)
			assert.Equal(t, 1, n)
		})
		synctest.Wait()
		again, err := store.Open(t.Context(), "ann")
		require.NoError(t, err)
		release()
		wg.Wait()
		require.NoError(t, errOf(again.OpenThread()))
		n, err = store.Evict(t.Context(), time.Now().Add(time.Hour))
		require.NoError(t, err)
		assert.Equal(t, 1, n)
	})
}

func TestWhatCouldNotBeClearedIsClearedBeforeTheNextSnapshot(t *testing.T) {
	h, store, s := openHooked(t)
	id := endedThread(t, s, "purple elephants")
	h.on(func(_ context.Context, method string) error {
		if method == "replace" {
			return journal.ErrUnavailable
		}
		return nil
	})
	require.ErrorIs(t, s.EraseThread(t.Context(), id), session.ErrStorage)
	assert.Empty(t, s.Threads())
	require.ErrorIs(t, s.Save(t.Context()), session.ErrStorage)
	_, err := s.OpenThread()
	require.NoError(t, err)
	h.on(nil)
	require.NoError(t, store.Close())
	assert.NotContains(t, h.bytes(), "elephants")
}

func TestAJournalThatHasLostItsEndIsDamaged(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	endedThread(t, s, "hi")
	held := s.Held()
	f.frames[s.ID()] = f.frames[s.ID()][:2]
	require.ErrorIs(t, errOf(s.OpenThread()), session.ErrDamaged)
	assert.Equal(t, held, s.Held())
}

func TestReadingOldJobsHoldsNoMoreThanTheSessionMay(t *testing.T) {
	f := newFakeEngine()
	store, s := openDurable(t, f, session.Limits{Session: 512 << 10})
	var ids []string
	for range 12 {
		id := openJobOf(t, s, 9)
		_, err := s.PostToJob(id, []session.Post{
			{Body: session.JobReported{Message: words(100_000)}}, {Body: session.JobEnded{Success: true}},
		})
		require.NoError(t, err)
		ids = append(ids, id)
	}
	for _, id := range ids {
		events, _, err := s.JobEvents(id, 0, 9)
		require.NoError(t, err)
		require.Len(t, events, 3)
		require.LessOrEqual(t, store.Held(), 512<<10)
		require.Equal(t, s.Charge(), s.Held())
	}
}

func TestASessionThatWasFullWhenItsProcessEndedOpensAgain(t *testing.T) {
	f := newFakeEngine()
	limits := session.Limits{Session: 256 << 10}
	_, s := openDurable(t, f, limits)
	e, err := s.OpenThread()
	require.NoError(t, err)
	ref := accept(t, s, e.Thread)
	add(t, s, ref, toolCall("call_1", 1), toolCall("call_2", 1))
	for size := 20_000; size > 0; {
		if _, err := s.Append(ref, session.Narrated{Step: 1, Text: words(size)}); err != nil {
			require.ErrorIs(t, err, session.ErrFull)
			size /= 2
		}
	}
	_, s = openDurable(t, f, limits)
	assert.Equal(t, session.Interrupted, turnOf(t, s, ref).State)
	assert.Equal(t, s.Charge(), s.Held())
}
