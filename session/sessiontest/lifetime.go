package sessiontest

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// evict evicts the sessions that have been idle for a minute and returns how many
// there were. The clauses sleep for longer or shorter than that minute.
func evict(t *testing.T, st session.Store) int {
	t.Helper()
	n, err := st.Evict(t.Context(), time.Now().Add(-time.Minute))
	require.NoError(t, err)
	return n
}

// openTurnIsNotIdle: a turn may run for longer than the idle time. Its session can be
// evicted only after the turn has ended.
func openTurnIsNotIdle(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	ref := beginTurn(t, s, openThread(t, s))
	time.Sleep(time.Hour)
	assert.Zero(t, evict(t, st))
	endTurn(t, s, ref)
	time.Sleep(time.Hour)
	assert.Equal(t, 1, evict(t, st))
}

// readerIsNotIdle: an open event stream keeps its session, even if nothing happens.
func readerIsNotIdle(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for range s.Watch(ctx, 0) {
		}
	})
	time.Sleep(time.Hour)
	assert.Zero(t, evict(t, st))
	cancel()
	wg.Wait()
	assert.Equal(t, 1, evict(t, st))
}

// useIsNotIdle: every turn counts as use of the session, not only opening it.
func useIsNotIdle(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	id := openThread(t, s)
	for range 5 {
		time.Sleep(50 * time.Second)
		endTurn(t, s, beginTurn(t, s, id))
		assert.Zero(t, evict(t, st))
	}
	// A user who only looks opens the session without writing to it.
	time.Sleep(50 * time.Second)
	openSession(t, st, "ann")
	time.Sleep(50 * time.Second)
	assert.Zero(t, evict(t, st))
}

// evictionIsReported: whoever still holds an evicted session gets ErrEvicted, as a
// writer and as a reader.
func evictionIsReported(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	id := openThread(t, s)
	time.Sleep(time.Hour)
	require.Equal(t, 1, evict(t, st))
	_, err := s.Accept(id, hello, nil)
	assert.ErrorIs(t, err, session.ErrEvicted)
	var seen []uint64
	for up, err := range s.Watch(t.Context(), 0) {
		if err != nil {
			assert.ErrorIs(t, err, session.ErrEvicted)
			seen = append(seen, 0)
			continue
		}
		seen = append(seen, up.Event.Seq)
	}
	assert.Equal(t, []uint64{1, 0}, seen, "the events that are left come before the error")
}

// closing: after Close readers receive the remaining events and stop without an error.
// Appending and opening fail with ErrClosed, and Close may be called again.
func closing(t *testing.T, st session.Store) {
	s := openSession(t, st, "ann")
	id := openThread(t, s)
	var got []uint64
	var wg sync.WaitGroup
	wg.Go(func() {
		for up, err := range s.Watch(t.Context(), 0) {
			assert.NoError(t, err)
			got = append(got, up.Event.Seq)
		}
	})
	synctest.Wait() // the reader has seen the thread and waits for more
	ref := beginTurn(t, s, id)
	synctest.Wait() // the reader waits again, so only Close can wake it
	require.NoError(t, st.Close())
	wg.Wait()
	assert.Equal(t, []uint64{1, 2}, got)
	_, err := s.Append(ref, session.StepEnded{})
	assert.ErrorIs(t, err, session.ErrClosed)
	_, err = st.Open(t.Context(), "ann")
	assert.ErrorIs(t, err, session.ErrClosed)
	assert.NoError(t, st.Close())
}
