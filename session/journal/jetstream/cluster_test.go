//go:build unix

package jetstream

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

var soak = flag.Duration("soak", 0, "how long TestAClusterLosesAndDoublesNothing kills and stops servers; 0 kills one")

// write appends to a session until ctx ends, in a race with others, and reads it now and then.
func write(ctx context.Context, c *journal.Cluster, session, writer string, h *history) {
	for i := 0; ctx.Err() == nil; i++ {
		mark := fmt.Sprintf("%s-%d", writer, i)
		next := h.end() + 1
		err := c.Append(ctx, session, frame(next, next, mark))
		switch {
		case err == nil:
			h.appended(mark, next, acknowledged)
		case errors.Is(err, journal.ErrUnknown):
			h.appended(mark, next, unknown)
		default:
			h.appended(mark, next, refused)
		}
		if err != nil || i%8 == 0 {
			look(ctx, c, session, h)
		}
	}
}

// look reads a session, and notes what others appended whose answer was lost.
func look(ctx context.Context, c *journal.Cluster, session string, h *history) {
	atLeast := h.end()
	var marks []string
	for f, err := range c.Frames.Read(ctx, session, 1) {
		if err != nil {
			return
		}
		marks = append(marks, string(f.Data))
	}
	h.read(atLeast, marks)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = max(h.last, uint64(len(marks)))
}

// progress waits until a session has n events more.
func progress(t *testing.T, h *history, n uint64) {
	t.Helper()
	for end := h.end() + n; h.end() < end; {
		pace(t)
	}
}

// torment stops the server that leads without a word, lets it go on with what it believed, kills it, and then
// all three. It calls all after each step.
func (c *cluster) torment(t *testing.T, s *store, all func()) {
	t.Helper()
	leader := c.leader(t, s, "one")
	leader.pause(t)
	all()
	leader.resume(t)
	all()
	leader = c.leader(t, s, "one")
	leader.kill(t)
	all()
	leader.start(t)
	for _, n := range c.nodes {
		n.kill(t)
	}
	for _, n := range c.nodes {
		n.start(t)
	}
	all()
}

// TestAClusterLosesAndDoublesNothing has two processes race for two sessions while servers are killed and
// stopped, and compares what was acknowledged with what is there.
func TestAClusterLosesAndDoublesNothing(t *testing.T) {
	t.Parallel() // it waits for elections
	servers := startCluster(t)
	stores := []*journal.Cluster{servers.open(t), servers.open(t)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	histories := map[string]*history{"one": newHistory(), "two": newHistory()}
	var writers sync.WaitGroup
	for i, c := range stores {
		for session, h := range histories {
			writers.Go(func() { write(ctx, c, session, fmt.Sprint(i), h) })
		}
	}
	all := func() {
		t.Helper()
		for _, h := range histories {
			progress(t, h, 30)
		}
	}
	all()
	leader := servers.leader(t, storeOf(stores[0]), "one")
	leader.kill(t)
	all()
	leader.start(t)
	for start := time.Now(); time.Since(start) < *soak; {
		servers.torment(t, storeOf(stores[0]), all)
	}
	cancel()
	writers.Wait()
	last := servers.open(t)
	for session, h := range histories {
		var log []string
		for _, f := range read(t, last, session, 1) {
			log = append(log, string(f.Data))
		}
		v := h.judge(log)
		t.Logf("session %s: %v", session, v)
		v.requireSound(t)
		require.NotZero(t, v.acknowledged)
	}
}

// TestErasedBytesAreGoneFromAllServers shows when they are: from the streams when Replace returns, but for a moment
// in which the other servers follow, and from the Raft logs when these are compacted, which takes minutes.
func TestErasedBytesAreGoneFromAllServers(t *testing.T) {
	t.Parallel()
	servers := startCluster(t)
	c := servers.open(t)
	for i, text := range []string{"one", secret, "three"} {
		require.NoError(t, c.Append(t.Context(), "s", frame(uint64(i+1), uint64(i+1), text)))
	}
	has := func(part string) (n int) {
		for _, node := range servers.nodes {
			n += strings.Count(files(t, filepath.Join(node.Dir, "jetstream", part)), secret)
		}
		return n
	}
	for has("$G") < 3 {
		pace(t) // until the other servers have it as well
	}
	for { // a server may not be there yet
		err := c.Replace(t.Context(), "s", []journal.Frame{frame(2, 2, "erased")})
		if err == nil {
			break
		}
		require.ErrorIs(t, err, journal.ErrUnavailable)
		pace(t)
	}
	start := time.Now()
	for has("$G") > 0 {
		pace(t)
	}
	t.Logf("gone from all streams %v after Replace, %d times in Raft logs", time.Since(start), has("$SYS"))
	for *soak > 0 && has("$SYS") > 0 {
		pace(t)
	}
	t.Logf("%d times in Raft logs after %v", has("$SYS"), time.Since(start))
	away := servers.nodes[0]
	if away == servers.leader(t, storeOf(c), "s") {
		away = servers.nodes[1]
	}
	away.kill(t)
	for {
		err := c.Replace(t.Context(), "s", []journal.Frame{frame(3, 3, "erased")})
		if errors.Is(err, journal.ErrUnavailable) && strings.Contains(err.Error(), "2 of the 3") {
			break
		}
		pace(t) // until the others have noticed, and a stream that it led has another leader
	}
}

// While an append is on its way to the other servers, the one that leads refuses all others in its place before
// it shows the first.
func TestWhoeverWasSecondFindsWhatWasFirst(t *testing.T) {
	t.Parallel()
	servers := startCluster(t)
	var writers sync.WaitGroup
	const each = 40
	for i := range 4 {
		c := servers.open(t)
		writers.Go(func() {
			next := uint64(1)
			for kept := 0; kept < each; next++ {
				err := c.Append(t.Context(), "s", frame(next, next, fmt.Sprint(i)))
				if err == nil {
					kept++
					continue
				}
				if !assert.ErrorIs(t, err, journal.ErrConflict) {
					return
				}
				if there := read(t, c, "s", next); !assert.NotEmpty(t, there, "nothing stands at event %d", next) {
					return
				}
			}
		})
	}
	writers.Wait()
	assert.Len(t, read(t, servers.open(t), "s", 1), 4*each)
}
