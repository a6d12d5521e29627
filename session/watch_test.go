package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func TestWatchYieldsOldEventsAndThenNewOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, threadID := newThread(t)
		ctx, cancel := context.WithCancel(t.Context())
		var got []uint64
		done := make(chan struct{})
		go func() {
			defer close(done)
			for up, err := range s.Watch(ctx, 0) {
				assert.NoError(t, err)
				got = append(got, up.Event.Seq)
			}
		}()
		synctest.Wait()
		assert.Equal(t, []uint64{1}, got)
		ref := accept(t, s, threadID)
		synctest.Wait()
		assert.Equal(t, []uint64{1, 2}, got)
		add(t, s, ref, session.TurnCompleted{})
		synctest.Wait()
		assert.Equal(t, []uint64{1, 2, 3}, got)
		cancel()
		<-done
	})
}

func TestWatchStopsInMidBatchWhenItsContextEnds(t *testing.T) {
	s, ref := newTurn(t)
	add(t, s, ref, toolCall("call_1", 1), toolCall("call_2", 1))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []uint64
	for up, err := range s.Watch(ctx, 0) {
		require.NoError(t, err)
		got = append(got, up.Event.Seq)
		cancel()
	}
	assert.Equal(t, []uint64{1}, got)
}

func TestWatchRefusesANumberTheLogHasNotIssued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newThread(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // of the bubble's time
		defer cancel()
		for _, number := range []uint64{s.Head() + 1, 99} {
			var errs []error
			for _, err := range s.Watch(ctx, number) {
				errs = append(errs, err)
			}
			require.Len(t, errs, 1, "from %d", number)
			assert.ErrorIs(t, errs[0], session.ErrUnknownCursor)
		}
	})
}

func TestWatchYieldsTheSameTurnsWhereverItStarts(t *testing.T) {
	s, one := newThread(t)
	e, err := s.OpenThread()
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	var open []session.Ref
	for i := range 150 {
		threadID := []string{one, e.Thread}[random.IntN(2)]
		if len(open) > 0 && random.IntN(4) > 0 {
			add(t, s, open[random.IntN(len(open))], toolCall(fmt.Sprintf("call_%d", i), 1+random.IntN(3)))
			continue
		}
		if at := slices.IndexFunc(open, func(r session.Ref) bool { return r.Thread == threadID }); at >= 0 {
			add(t, s, open[at], session.TurnCompleted{})
			open = slices.Delete(open, at, at+1)
		}
		open = append(open, accept(t, s, threadID))
	}
	whole := updates(t, s, 0)
	require.Len(t, whole, int(s.Head()))
	for after := range s.Head() {
		require.Equal(t, whole[after:], updates(t, s, after), "after %d", after)
	}
}

// updates returns what a reader sees from an event number up to the log's head.
func updates(t *testing.T, s *session.Session, after uint64) []session.Update {
	t.Helper()
	var all []session.Update
	for up, err := range s.Watch(t.Context(), after) {
		require.NoError(t, err)
		all = append(all, up)
		if up.Event.Seq == s.Head() {
			break
		}
	}
	return all
}
