// Package sessiontest is the contract that every session.Store passes.
package sessiontest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// Run runs the suite on stores that open makes. Each test gets an empty store
// and a bubble of fake time, and closes the store itself.
func Run(t *testing.T, open func() session.Store) {
	for _, tt := range []struct {
		name string
		test func(*testing.T, session.Store)
	}{
		{"a user gets the same session each time", sameSession},
		{"users do not see each other's threads", isolation},
		{"a session id is never used again", freshAfterEviction},
		{"turn numbers count from 1 in each thread and stay", turnNumbers},
		{"ten messages wait and the next is refused", queueLimit},
		{"nothing can be added to an ended turn", endedTurn},
		{"a session with a running turn is not evicted", runningIsNotIdle},
		{"a session with a reader is not evicted", watchedIsNotIdle},
		{"use keeps a session", useKeeps},
		{"an evicted session tells its late users", evictedSays},
		{"closing lets readers finish and refuses the rest", closing},
		{"concurrent writers leave one gapless order", concurrentWriters},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open()
				defer s.Close()
				tt.test(t, s)
			})
		})
	}
}

var hello = safety.Literal("hello")

func session1(t *testing.T, st session.Store, user string) *session.Session {
	t.Helper()
	s, err := st.Open(t.Context(), user)
	require.NoError(t, err)
	return s
}

func thread(t *testing.T, s *session.Session) string {
	t.Helper()
	e, err := s.OpenThread()
	require.NoError(t, err)
	return e.Thread
}

// begin starts a turn and returns where it is.
func begin(t *testing.T, s *session.Session, threadID string) session.Ref {
	t.Helper()
	e, err := s.Accept(threadID, hello, nil)
	require.NoError(t, err)
	return e.Ref
}

func finish(t *testing.T, s *session.Session, ref session.Ref) {
	t.Helper()
	_, err := s.Append(ref, session.TurnCompleted{Response: hello})
	require.NoError(t, err)
}

func sameSession(t *testing.T, st session.Store) {
	a, b := session1(t, st, "ann"), session1(t, st, "ann")
	assert.Equal(t, a.ID(), b.ID())
	assert.Equal(t, "ann", a.User())
	id := thread(t, a)
	_, err := b.Thread(id)
	assert.NoError(t, err)
}

func isolation(t *testing.T, st session.Store) {
	a, b := session1(t, st, "ann"), session1(t, st, "bob")
	assert.NotEqual(t, a.ID(), b.ID())
	id := thread(t, a)
	_, err := b.Thread(id)
	assert.ErrorIs(t, err, session.ErrNoThread)
	_, err = b.History(id, session.Page{})
	assert.ErrorIs(t, err, session.ErrNoThread)
	_, err = b.Accept(id, hello, nil)
	assert.ErrorIs(t, err, session.ErrNoThread)
	assert.Empty(t, b.Threads())
}

func freshAfterEviction(t *testing.T, st session.Store) {
	before := session1(t, st, "ann").ID()
	time.Sleep(time.Hour)
	n, err := st.Evict(t.Context(), time.Now().Add(-time.Minute))
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.NotEqual(t, before, session1(t, st, "ann").ID())
}

func turnNumbers(t *testing.T, st session.Store) {
	s := session1(t, st, "ann")
	one, two := thread(t, s), thread(t, s)
	for want := 1; want <= 3; want++ {
		ref := begin(t, s, one)
		assert.Equal(t, want, ref.Turn)
		finish(t, s, ref)
	}
	assert.Equal(t, 1, begin(t, s, two).Turn)
	h, err := s.History(one, session.Page{Limit: 2})
	require.NoError(t, err)
	assert.Equal(t, 2, h.Turns[0].Number, "a page does not renumber")
}

func queueLimit(t *testing.T, st session.Store) {
	s := session1(t, st, "ann")
	id := thread(t, s)
	first := begin(t, s, id)
	for range session.MaxWaiting {
		e, err := s.Accept(id, hello, nil)
		require.NoError(t, err)
		assert.IsType(t, session.TurnQueued{}, e.Body)
	}
	_, err := s.Accept(id, hello, nil)
	assert.ErrorIs(t, err, session.ErrBusy)
	finish(t, s, first)
	e, err := s.Accept(id, hello, nil)
	require.NoError(t, err)
	assert.Equal(t, session.MaxWaiting+2, e.Turn, "the refused message took no number")
}

func endedTurn(t *testing.T, st session.Store) {
	s := session1(t, st, "ann")
	ref := begin(t, s, thread(t, s))
	finish(t, s, ref)
	head := s.Head()
	_, err := s.Append(ref, session.TurnInterrupted{})
	assert.ErrorIs(t, err, session.ErrTurnEnded)
	_, err = s.Append(session.Ref{Thread: ref.Thread, Turn: 7}, session.StepEnded{})
	assert.ErrorIs(t, err, session.ErrNoTurn)
	assert.Equal(t, head, s.Head())
}

func runningIsNotIdle(t *testing.T, st session.Store) {
	s := session1(t, st, "ann")
	ref := begin(t, s, thread(t, s))
	time.Sleep(time.Hour)
	assert.Zero(t, evict(t, st))
	finish(t, s, ref)
	time.Sleep(time.Hour)
	assert.Equal(t, 1, evict(t, st))
}

func watchedIsNotIdle(t *testing.T, st session.Store) {
	s := session1(t, st, "ann")
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

func useKeeps(t *testing.T, st session.Store) {
	s := session1(t, st, "ann")
	id := thread(t, s)
	for range 5 {
		time.Sleep(50 * time.Second)
		finish(t, s, begin(t, s, id))
		assert.Zero(t, evict(t, st), "a turn is use, not only opening a thread")
	}
}

func evictedSays(t *testing.T, st session.Store) {
	s := session1(t, st, "ann")
	id := thread(t, s)
	time.Sleep(time.Hour)
	require.Equal(t, 1, evict(t, st))
	_, err := s.Accept(id, hello, nil)
	assert.ErrorIs(t, err, session.ErrEvicted)
	for _, err := range s.Watch(t.Context(), s.Head()) {
		assert.ErrorIs(t, err, session.ErrEvicted)
		return
	}
	t.Fatal("the reader was told nothing")
}

// evict drops what has been idle for a minute.
func evict(t *testing.T, st session.Store) int {
	t.Helper()
	n, err := st.Evict(t.Context(), time.Now().Add(-time.Minute))
	require.NoError(t, err)
	return n
}

func closing(t *testing.T, st session.Store) {
	s := session1(t, st, "ann")
	id := thread(t, s)
	var got []uint64
	var wg sync.WaitGroup
	wg.Go(func() {
		for up, err := range s.Watch(t.Context(), 0) {
			assert.NoError(t, err)
			got = append(got, up.Event.Seq)
		}
	})
	synctest.Wait()
	ref := begin(t, s, id)
	require.NoError(t, st.Close())
	wg.Wait()
	assert.Equal(t, []uint64{1, 2}, got)
	_, err := s.Append(ref, session.StepEnded{})
	assert.ErrorIs(t, err, session.ErrClosed)
	_, err = st.Open(t.Context(), "ann")
	assert.ErrorIs(t, err, session.ErrClosed)
}

func concurrentWriters(t *testing.T, st session.Store) {
	s := session1(t, st, "ann")
	const writers, each = 8, 50
	var wg sync.WaitGroup
	for range writers {
		ref := begin(t, s, thread(t, s))
		wg.Go(func() {
			for step := range each {
				_, err := s.Append(ref, session.Narrated{Step: step + 1, Text: hello})
				assert.NoError(t, err)
				_, err = s.Turn(ref.Thread, ref.Turn)
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	want, last := uint64(1), time.Time{}
	for up, err := range s.Watch(t.Context(), 0) {
		require.NoError(t, err)
		require.Equal(t, want, up.Event.Seq)
		require.True(t, up.Event.At.After(last), fmt.Sprintf("event %d is not later than the one before", want))
		last = up.Event.At
		if want++; want > s.Head() {
			return
		}
	}
}
