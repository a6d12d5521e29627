package command_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/built"
	"candor/cmd/candor/apptest/ledger"
)

var (
	clusterFor      = flag.Duration("cluster-for", 6*time.Second, "how long three servers on one cluster are disturbed")
	clusterSettles  = flag.Duration("cluster-settles", 2*time.Minute, "how long the servers may take to come to rest")
	clusterReplicas = flag.Int("cluster-replicas", 3, "how many of the NATS servers keep each event")
	clusterReaders  = flag.Int("cluster-readers", 12, "how many readers follow and resume meanwhile")
)

// Three servers share a cluster of three NATS servers. Servers are killed all the time, a node is killed and
// comes back, a node loses the others for a time, decisions go to servers that do not run their turns, readers
// resume at any of them.
func TestThreeServersOnOneClusterLoseNothing(t *testing.T) {
	const users = 3
	if testing.Short() {
		t.Skip("needs three NATS servers, which the whole tests start")
	}
	nodes, addrs, partition, urls := newNodes(t, 3)
	for _, n := range nodes {
		n.Launch(t) // each waits for the others
	}
	for _, addr := range addrs {
		apptest.Eventually(t, "the node answers", func() bool {
			c, err := net.Dial("tcp", addr)
			if err == nil {
				c.Close()
			}
			return err == nil
		})
	}
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte(strings.Repeat("0123456789abcdef", 4)), 0o600))
	first, l := newMortal(t, users, "--nats", urls, "--nats-replicas", fmt.Sprint(*clusterReplicas),
		"--key-file", key, "--spaces", apptest.SpacesFileOf(t, "u0", map[string]bool{"beta": true}),
		"--approve", "file_list=ask", "--approval-timeout", "10s") // of questions that the load leaves open
	servers := []*mortal{first}
	for range 2 {
		other := *first
		other.addr = apptest.FreeAddress(t)
		other.args = append([]string{}, first.args...)
		other.args[2] = other.addr
		t.Cleanup(other.kill)
		servers = append(servers, &other)
		l.Servers = append(l.Servers, "http://"+other.addr)
	}
	for _, s := range servers {
		s.launch()
	}
	for _, s := range servers {
		s.await()
	}
	ctx, cancel := context.WithTimeout(t.Context(), *clusterFor+*clusterSettles)
	defer cancel()
	load, stop := context.WithCancel(ctx)
	readers, wait := startLoad(ctx, load, t, l)
	disturb(t, servers, nodes, partition)
	for _, s := range servers {
		s.await()
	}
	stop()
	reference := wait()
	v := l.Judge(ctx, *readers, reference)
	t.Logf("in %v: %s", *clusterFor, v)
	assert.Empty(t, v.Problems)
	assert.Zero(t, v.Lost+v.Doubled+v.Open)
	assert.Positive(t, v.Acknowledged)
	assertTold(t, v)
	assert.NotContains(t, first.log.String(), "panic")
}

// disturb kills a server every two seconds. Meanwhile the partition lasts a ninth of the time, which is 20 seconds of
// three minutes, and a node is away for a third.
func disturb(t *testing.T, servers []*mortal, nodes []*built.NATS, p *partition) {
	begun := time.Now()
	steps := []struct {
		at time.Duration // in ninths of the time
		do func()
	}{{1, p.begin}, {2, p.end}, {4, nodes[1].Kill}, {7, func() { nodes[1].Launch(t) }}}
	for past := time.Duration(0); past < *clusterFor; past = time.Since(begun) {
		time.Sleep(2 * time.Second)
		s := servers[rand.IntN(len(servers))]
		s.kill()
		s.launch()
		for len(steps) > 0 && time.Since(begun) >= steps[0].at**clusterFor/9 {
			steps[0].do()
			steps = steps[1:]
		}
	}
}

// startLoad starts clients, until load ends, and readers. wait waits for all of them, and returns readers
// that read everything at once.
func startLoad(
	ctx, load context.Context, t *testing.T, l *ledger.Ledger,
) (readers *[]*ledger.Reader, wait func() map[string]*ledger.Reader) {
	t.Helper()
	const endless = 1 << 30
	readers = new([]*ledger.Reader)
	var mu sync.Mutex
	var clients, reading sync.WaitGroup
	origins := map[string]string{}
	for user := range l.Tokens {
		origin, err := l.Origin(ctx, user)
		require.NoError(t, err)
		origins[user] = origin
		for range *clusterReaders / len(l.Tokens) {
			reading.Go(func() {
				r := l.Follow(ctx, user, origin, l.Marker(user))
				mu.Lock()
				defer mu.Unlock()
				*readers = append(*readers, r)
			})
		}
		clients.Go(func() { l.Chat(load, user, user+"-a", endless) })
		clients.Go(func() { l.Chat(load, user, user+"-b", endless) })
		clients.Go(func() { l.Observe(load, user, "agent-of-"+user, endless) })
		clients.Go(func() { l.Run(load, user, "runs-of-"+user, endless) })
		clients.Go(func() { l.Decide(load, user, user, endless) })
		clients.Go(func() {
			for i := 0; load.Err() == nil; i++ {
				l.Work(load, user, fmt.Sprint("job-", user, "-", i), 5)
			}
		})
	}
	clients.Go(func() { l.Say(load, "u0", "beta", apptest.TokenOf("beta"), "beta", endless) })
	return readers, func() map[string]*ledger.Reader {
		clients.Wait()
		for _, s := range l.Servers {
			require.NotEmpty(t, s)
		}
		whole := finish(ctx, t, l, origins)
		reading.Wait()
		return whole
	}
}
