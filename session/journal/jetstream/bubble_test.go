package jetstream

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats-server/v2/server/ats"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// inBubble runs a test with a server and two stores on it, whose time passes at once. The goroutine of
// the server's clock has to live outside of the bubble.
func inBubble(t *testing.T, test func(t *testing.T, a, b *journal.Cluster)) {
	t.Helper()
	ats.Register()
	defer ats.Unregister()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		srv, err := server.NewServer(&server.Options{
			ServerName: "n1", DontListen: true, NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: dir, MaxPayload: 8 << 20,
		})
		require.NoError(t, err)
		defer run(t, srv)()
		var two [2]*journal.Cluster
		for i := range two {
			two[i], err = Open(t.Context(), Options{URL: "nats://in.process", Shards: 2,
				more: []nats.Option{nats.InProcessServer(srv)}})
			require.NoError(t, err)
			defer func() { require.NoError(t, two[i].Close()) }()
		}
		test(t, two[0], two[1])
	})
}

func TestALeaseEndsByItselfAndTheNextHasAGreaterNumber(t *testing.T) {
	inBubble(t, func(t *testing.T, a, b *journal.Cluster) {
		first, err := a.Acquire(t.Context(), "a session", 3*time.Second)
		require.NoError(t, err)
		_, err = b.Acquire(t.Context(), "a session", 3*time.Second)
		require.ErrorIs(t, err, journal.ErrHeld)
		for range 5 {
			time.Sleep(2 * time.Second)
			synctest.Wait()
			require.NoError(t, first.Renew(t.Context()), "while it is renewed it lasts")
		}
		_, err = b.Acquire(t.Context(), "a session", 3*time.Second)
		require.ErrorIs(t, err, journal.ErrHeld)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		second, err := b.Acquire(t.Context(), "a session", 3*time.Second)
		require.NoError(t, err, "a lease that was renewed ends, too")
		require.Greater(t, second.Fence(), first.Fence())
		require.ErrorIs(t, first.Renew(t.Context()), journal.ErrLost)
		require.NoError(t, first.Release(t.Context()), "one who lost it releases nothing")
		require.NoError(t, second.Renew(t.Context()))
		require.NoError(t, second.Release(t.Context()))
		third, err := a.Acquire(t.Context(), "a session", time.Hour)
		require.NoError(t, err)
		require.Greater(t, third.Fence(), second.Fence())
		require.ErrorIs(t, second.Renew(t.Context()), journal.ErrLost)
	})
}
