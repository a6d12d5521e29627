package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	nats "github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// pull returns a function that gives the next value of a sequence, without an error.
func pull[T any](t *testing.T, seq iter.Seq2[T, error]) (next func() T, stop func()) {
	t.Helper()
	get, stop := iter.Pull2(seq)
	return func() T {
		v, err, ok := get()
		require.True(t, ok, "the sequence ended")
		require.NoError(t, err)
		return v
	}, stop
}

func TestALeaseThatEndsIsTold(t *testing.T) {
	inBubble(t, func(t *testing.T, a, b *journal.Cluster) {
		next, stop := pull(t, b.Freed(t.Context()))
		defer stop()
		require.Empty(t, next(), "first, any lease may have ended")
		_, err := a.Acquire(t.Context(), "left", 2*time.Second)
		require.NoError(t, err)
		start := time.Now()
		require.Equal(t, "left", next())
		require.Greater(t, time.Since(start), time.Second, "not when it is taken")
		l, err := a.Acquire(t.Context(), "given back", time.Hour)
		require.NoError(t, err)
		start = time.Now()
		require.NoError(t, l.Release(t.Context()))
		require.Equal(t, "given back", next())
		require.Less(t, time.Since(start), time.Second)
	})
}

func TestALeaseOfLessThanASecondIsRefused(t *testing.T) {
	_, err := leases{}.Acquire(t.Context(), "s", time.Millisecond)
	require.ErrorContains(t, err, "a second")
}

func TestAnAppendIsToldToAllProcesses(t *testing.T) {
	inBubble(t, func(t *testing.T, a, b *journal.Cluster) {
		nextA, stopA := pull(t, a.Changes(t.Context()))
		defer stopA()
		nextB, stopB := pull(t, b.Changes(t.Context()))
		defer stopB()
		require.Equal(t, journal.Change{}, nextA(), "first, any session may have changed")
		require.Equal(t, journal.Change{}, nextB())
		for i, session := range []string{"one", "two of ☃ *.>", "three"} {
			require.NoError(t, a.Append(t.Context(), session, frame(1, 1, "x")))
			assert.Equal(t, journal.Change{Session: session}, nextA(), i)
			assert.Equal(t, journal.Change{Session: session}, nextB(), i)
		}
	})
}

func TestALostConnectionIsToldAsAChangeOfEverything(t *testing.T) {
	s := &store{}
	p := s.bell.add(newPending())
	p.add("one")
	s.bell.ring()
	p.add("two")
	require.Equal(t, map[string]struct{}{"": {}}, p.take())
	s.bell.forget(p)
	s.bell.ring()
	require.Empty(t, p.take())
}

func TestASlowReaderOfChangesHoldsABoundedNumber(t *testing.T) {
	p := newPending()
	for i := range maxPending + 1 {
		p.add(fmt.Sprint(i))
	}
	require.Equal(t, map[string]struct{}{"": {}}, p.take(), "more than that are everything")
}

func TestChangesEndWithTheirContextAndWithTheStore(t *testing.T) {
	inBubble(t, func(t *testing.T, a, b *journal.Cluster) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for c, err := range a.Changes(ctx) {
			require.NoError(t, err)
			require.Equal(t, journal.Change{}, c)
			cancel()
		}
		var last error
		for _, err := range b.Changes(t.Context()) {
			last = err
			require.NoError(t, b.Close())
		}
		require.ErrorIs(t, last, journal.ErrClosed)
		for _, err := range b.Changes(t.Context()) {
			require.ErrorIs(t, err, journal.ErrClosed)
		}
		for _, err := range b.Freed(t.Context()) {
			require.ErrorIs(t, err, journal.ErrClosed)
		}
	})
}

func TestACommandReachesTheProcessThatServesItsKey(t *testing.T) {
	inBubble(t, func(t *testing.T, a, b *journal.Cluster) {
		_, err := a.Send(t.Context(), "turn", []byte("stop"))
		require.ErrorIs(t, err, journal.ErrNobody, "at once")
		stop, err := b.Serve("turn", func(_ context.Context, payload []byte) ([]byte, error) {
			if string(payload) == "fail" {
				return nil, errors.New("there is\r\nno such turn")
			}
			return append([]byte("did "), payload...), nil
		})
		require.NoError(t, err)
		reply, err := a.Send(t.Context(), "turn", []byte("stop"))
		require.NoError(t, err)
		require.Equal(t, "did stop", string(reply))
		_, err = a.Send(t.Context(), "turn", []byte("fail"))
		require.EqualError(t, err, "there is\r\nno such turn")
		_, err = a.Send(t.Context(), "another turn", []byte("stop"))
		require.ErrorIs(t, err, journal.ErrNobody)
		stop()
		stop()
		_, err = a.Send(t.Context(), "turn", []byte("stop"))
		require.ErrorIs(t, err, journal.ErrNobody)
	})
}

func TestACommandAndItsReplyAreBounded(t *testing.T) {
	inBubble(t, func(t *testing.T, a, b *journal.Cluster) {
		_, err := b.Serve("turn", func(context.Context, []byte) ([]byte, error) {
			return make([]byte, maxCommand+1), nil
		})
		require.NoError(t, err)
		_, err = a.Send(t.Context(), "turn", make([]byte, maxCommand+1))
		require.ErrorIs(t, err, journal.ErrTooLarge)
		_, err = a.Send(t.Context(), "turn", nil)
		require.ErrorContains(t, err, journal.ErrTooLarge.Error())
		reply := respond(t.Context(), nil, make([]byte, maxCommand+1))
		require.True(t, bytes.HasPrefix(reply, []byte{replyFailed}), "a sender that does not keep to the bound")
	})
}

func TestAProcessAnswersABoundedNumberOfCommandsAndCloseWaitsForThem(t *testing.T) {
	inBubble(t, func(t *testing.T, a, b *journal.Cluster) {
		_, err := b.Serve("turn", func(ctx context.Context, _ []byte) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		require.NoError(t, err)
		var all sync.WaitGroup
		for range maxAnswering {
			all.Go(func() { _, _ = a.Send(t.Context(), "turn", nil) })
		}
		synctest.Wait()
		_, err = a.Send(t.Context(), "turn", nil)
		require.ErrorContains(t, err, "busy")
		require.NoError(t, b.Close())
		all.Wait()
	})
}

// unheard is a stream whose first answer is lost on the way.
type unheard struct {
	js.JetStream
	lost bool
}

func (u *unheard) PublishMsg(ctx context.Context, m *nats.Msg, o ...js.PublishOpt) (*js.PubAck, error) {
	ack, err := u.JetStream.PublishMsg(ctx, m, o...)
	if err == nil && !u.lost {
		u.lost = true
		return nil, nats.ErrTimeout
	}
	return ack, err
}

func TestALeaseThatWasTakenWithoutAnAnswerIsOnesOwn(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	c := openStore(t, srv)
	s := *storeOf(c)
	s.js = &unheard{JetStream: s.js}
	l, err := leases{&s}.Acquire(t.Context(), "a", time.Minute)
	require.NoError(t, err)
	assert.NotZero(t, l.Fence())
	_, err = c.Acquire(t.Context(), "a", time.Minute)
	require.ErrorIs(t, err, journal.ErrHeld)
}
