//go:build unix

package jetstream

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// nodeVariable names the configuration file of the NATS server that this program is to be, in place of the tests. Tests
// of other packages run this program, too, so that the server is linked once.
const nodeVariable = "CANDOR_TEST_NATS_NODE"

func TestMain(m *testing.M) {
	if file := os.Getenv(nodeVariable); file != "" {
		if err := beNode(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// node is a server of a cluster, in a process of its own that can be killed.
type node struct {
	Name, Dir    string
	Port, Routes int   // where it listens to clients and to the others
	All          []int // the ports for the others of all nodes

	cmd   *exec.Cmd
	stdin io.Closer
}

// beNode runs a server until its standard input ends, as it does when the test dies.
func beNode(file string) error {
	o, err := server.ProcessConfigFile(file)
	if err != nil {
		return err
	}
	o.NoSigs, o.NoLog = true, true
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		return fmt.Errorf("the server %s does not start", o.ServerName)
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

// config writes the configuration file of a node.
func (n *node) config(t *testing.T) string {
	t.Helper()
	var routes []string
	for _, port := range n.All {
		routes = append(routes, fmt.Sprintf("%q", fmt.Sprintf("nats://127.0.0.1:%d", port)))
	}
	text := fmt.Sprintf("server_name: %s\nlisten: \"127.0.0.1:%d\"\nmax_payload: 8MB\n"+
		"jetstream { store_dir: %q, sync_interval: always }\n"+
		"cluster { name: test, listen: \"127.0.0.1:%d\", routes: [%s] }\n",
		n.Name, n.Port, n.Dir, n.Routes, strings.Join(routes, ", "))
	file := filepath.Join(t.TempDir(), "node.conf")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// cluster are three servers.
type cluster struct {
	nodes [3]*node
}

// startCluster starts three servers with directories of their own, until the test ends.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{}
	ports := freePorts(t, 2*len(c.nodes))
	for i := range c.nodes {
		name := fmt.Sprintf("n%d", i+1)
		c.nodes[i] = &node{Name: name, Dir: filepath.Join(t.TempDir(), name),
			Port: ports[i], Routes: ports[3+i], All: ports[3:]}
		c.nodes[i].start(t)
	}
	return c
}

// freePorts returns ports that nobody listens on.
func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer func() { _ = l.Close() }()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// start starts the server and waits until it listens.
func (n *node) start(t *testing.T) {
	t.Helper()
	var err error
	n.cmd = exec.Command(os.Args[0])
	n.cmd.Env = append(os.Environ(), nodeVariable+"="+n.config(t))
	n.cmd.Stderr = os.Stderr
	n.stdin, err = n.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := n.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, n.cmd.Start())
	cmd := n.cmd
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
}

// kill ends the server at once, as kill -9 does.
func (n *node) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, n.cmd.Process.Kill())
	_ = n.cmd.Wait()
}

// stop ends the server in order, so that it writes what it still holds.
func (n *node) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, n.stdin.Close())
	require.NoError(t, n.cmd.Wait())
}

// pause stops the server without ending it, as a lost network does: its connections stay and nothing
// comes.
func (n *node) pause(t *testing.T) {
	t.Helper()
	require.NoError(t, n.cmd.Process.Signal(syscall.SIGSTOP))
}

// resume undoes pause.
func (n *node) resume(t *testing.T) {
	t.Helper()
	require.NoError(t, n.cmd.Process.Signal(syscall.SIGCONT))
}

// url returns the addresses of all servers.
func (c *cluster) url() string {
	var all []string
	for _, n := range c.nodes {
		all = append(all, fmt.Sprintf("nats://127.0.0.1:%d", n.Port))
	}
	return strings.Join(all, ",")
}

// open opens a store as soon as the cluster lets it.
func (c *cluster) open(t *testing.T) *journal.Cluster {
	t.Helper()
	for {
		opened, err := Open(t.Context(), Options{URL: c.url(), Shards: 1, Replicas: 3, Timeout: 3 * time.Second})
		if err == nil {
			t.Cleanup(func() { _ = opened.Close() })
			return opened
		}
		require.ErrorIs(t, err, journal.ErrUnavailable)
		pace(t)
	}
}

// pace lets a test that asks again and again do so ten times a second.
func pace(t *testing.T) {
	t.Helper()
	select {
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	case <-time.After(100 * time.Millisecond):
	}
}

// leader returns the server that leads the stream of a session's log, once there is one.
func (c *cluster) leader(t *testing.T, s *store, session string) *node {
	t.Helper()
	name, _ := s.names.log(session)
	for ; ; pace(t) {
		st, err := s.js.Stream(t.Context(), name)
		if err != nil || st.CachedInfo().Cluster == nil {
			continue
		}
		for _, n := range c.nodes {
			if n.Name == st.CachedInfo().Cluster.Leader {
				return n
			}
		}
	}
}
