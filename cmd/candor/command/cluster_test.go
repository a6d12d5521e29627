package command_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/ledger"
)

var (
	clusterFor     = flag.Duration("cluster-for", 0, "how long three servers on one cluster are disturbed; 0 skips it")
	clusterSettles = flag.Duration("cluster-settles", 2*time.Minute, "how long the servers may take to come to rest")
	clusterReaders = flag.Int("cluster-readers", 12, "how many readers follow and resume meanwhile")
)

// asNATS is the environment variable that turns a test binary into a NATS server with the
// configuration file that it names.
const asNATS = "CANDOR_TEST_RUN_AS_NATS"

func init() {
	file := os.Getenv(asNATS)
	if file == "" {
		return
	}
	o, err := server.ProcessConfigFile(file)
	if err == nil {
		var s *server.Server
		if s, err = server.NewServer(o); err == nil {
			s.ConfigureLogger()
			s.Start()
			s.WaitForShutdown()
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// node is a NATS server of a cluster in a process of its own.
type node struct {
	t    *testing.T
	file string
	addr string
	cmd  *exec.Cmd
}

// freePort returns an address of this machine that nobody listens at.
func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	return ln.Addr().String()
}

// newNodes returns the nodes of a cluster, which do not run yet.
func newNodes(t *testing.T, n int) (nodes []*node, urls string) {
	t.Helper()
	dir := t.TempDir()
	var routes, clients []string
	for range n {
		routes = append(routes, freePort(t))
		clients = append(clients, freePort(t))
	}
	for i := range n {
		file := filepath.Join(dir, fmt.Sprintf("n%d.conf", i))
		config := fmt.Sprintf("server_name: n%d\nlisten: %q\nmax_payload: 8MB\n"+
			"jetstream { store_dir: %q, sync_interval: always }\ncluster { name: c, listen: %q, routes: [%s] }\n",
			i, clients[i], filepath.Join(dir, fmt.Sprintf("n%d", i)), routes[i],
			`"nats://`+strings.Join(routes, `", "nats://`)+`"`)
		require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
		one := &node{t: t, file: file, addr: clients[i]}
		t.Cleanup(one.kill)
		nodes = append(nodes, one)
	}
	return nodes, "nats://" + strings.Join(clients, ",nats://")
}

func (n *node) start() {
	name, err := os.Executable()
	require.NoError(n.t, err)
	n.cmd = exec.Command(name)
	n.cmd.Stderr = os.Stderr
	n.cmd.Env = append(os.Environ(), asNATS+"="+n.file)
	require.NoError(n.t, n.cmd.Start())
}

func (n *node) kill() {
	if n.cmd != nil {
		_ = n.cmd.Process.Kill()
		_ = n.cmd.Wait()
		n.cmd = nil
	}
}

// Three servers share a cluster of three NATS servers. Servers are killed all the time, a node is killed and
// comes back, decisions go to servers that do not run their turns, readers resume at any of them.
func TestThreeServersOnOneClusterLoseNothing(t *testing.T) {
	if *clusterFor == 0 {
		t.Skip("set how long it runs: -cluster-for 3m")
	}
	const users = 3
	nodes, urls := newNodes(t, 3)
	for _, n := range nodes {
		n.start()
	}
	for _, n := range nodes {
		apptest.Eventually(t, "the node answers", func() bool {
			c, err := net.Dial("tcp", n.addr)
			if err == nil {
				c.Close()
			}
			return err == nil
		})
	}
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte(strings.Repeat("0123456789abcdef", 4)), 0o600))
	first, l := newMortal(t, users, "--nats", urls, "--nats-replicas", "3", "--key-file", key,
		"--approve", "file_list=ask", "--approval-timeout", "10s") // of questions that the load leaves open
	servers := []*mortal{first}
	for range 2 {
		other := *first
		other.addr = freePort(t)
		other.args = append([]string{}, first.args...)
		other.args[2] = other.addr
		t.Cleanup(other.kill)
		servers = append(servers, &other)
		l.Servers = append(l.Servers, "http://"+other.addr)
	}
	for _, s := range servers {
		s.start()
	}
	ctx, cancel := context.WithTimeout(t.Context(), *clusterFor+*clusterSettles)
	defer cancel()
	load, stop := context.WithCancel(ctx)
	readers, wait := startLoad(ctx, load, t, l)
	disturb(t, servers, nodes)
	stop()
	reference := wait()
	v := l.Judge(ctx, *readers, reference)
	t.Logf("in %v: %s", *clusterFor, v)
	assert.Empty(t, v.Problems)
	assert.Zero(t, v.Lost+v.Doubled+v.Open)
	assert.Positive(t, v.Acknowledged)
	assert.NotContains(t, first.log.String(), "panic")
}

// disturb kills servers every two seconds, and once in the middle a node, which comes back.
func disturb(t *testing.T, servers []*mortal, nodes []*node) {
	t.Helper()
	begun := time.Now()
	down := 0 // 1 while the node is away, 2 afterwards
	for time.Since(begun) < *clusterFor {
		time.Sleep(2 * time.Second)
		s := servers[rand.IntN(len(servers))]
		s.kill()
		s.start()
		switch past := time.Since(begun); {
		case down == 0 && past > *clusterFor/3:
			nodes[0].kill()
			down = 1
		case down == 1 && past > *clusterFor*2/3:
			nodes[0].start()
			down = 2
		}
	}
	if down == 1 {
		nodes[0].start()
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
		clients.Go(func() { l.Decide(load, user, user, endless) })
		clients.Go(func() {
			for i := 0; load.Err() == nil; i++ {
				l.Work(load, user, fmt.Sprint("job-", user, "-", i), 5)
			}
		})
	}
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
