package command_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
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

// newNodes returns the nodes of a cluster, which do not run yet.
func newNodes(t *testing.T, n int) (nodes []*node, p *partition, urls string) {
	t.Helper()
	dir := t.TempDir()
	p = &partition{}
	t.Cleanup(p.pipes.Wait) // once all nodes and links are closed
	var routes, clients []string
	for range n {
		routes = append(routes, apptest.FreeAddress(t))
		clients = append(clients, apptest.FreeAddress(t))
	}
	for i := range n {
		var others []string
		for j := range n {
			switch {
			case i == j:
			case i == 0 || j == 0: // what the first node sends to others, and they to it, can be held back
				others = append(others, `"nats://`+p.link(t, routes[j])+`"`)
			default:
				others = append(others, `"nats://`+routes[j]+`"`)
			}
		}
		file := filepath.Join(dir, fmt.Sprintf("n%d.conf", i))
		config := fmt.Sprintf("server_name: n%d\nlisten: %q\nmax_payload: 8MB\n"+
			"jetstream { store_dir: %q, sync_interval: always }\n"+
			"cluster { name: c, listen: %q, no_advertise: true, routes: [%s] }\n",
			i, clients[i], filepath.Join(dir, fmt.Sprintf("n%d", i)), routes[i], strings.Join(others, ", "))
		require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
		one := &node{t: t, file: file, addr: clients[i]}
		t.Cleanup(one.kill)
		nodes = append(nodes, one)
	}
	return nodes, p, "nats://" + strings.Join(clients, ",nats://")
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

// partition is a network that can stop to carry anything. Its connections stay, and what is sent meanwhile
// arrives when it ends.
type partition struct {
	held  sync.RWMutex // locked while it lasts
	pipes sync.WaitGroup
}

func (p *partition) begin() { p.held.Lock() }
func (p *partition) end()   { p.held.Unlock() }

// link returns an address from which everything is carried to another one, until the test ends. The partition
// has to have ended by then.
func (p *partition) link(t *testing.T, to string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { ln.Close() })
	p.pipes.Go(func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			p.pipes.Go(func() { p.carry(near, far) })
			p.pipes.Go(func() { p.carry(far, near) })
		}
	})
	return ln.Addr().String()
}

// carry copies until one side closes, and then closes the other.
func (p *partition) carry(from, to net.Conn) {
	defer to.Close()
	_, _ = io.Copy(held{to, p}, from)
}

// held is a connection that takes nothing while its partition lasts.
type held struct {
	net.Conn
	by *partition
}

func (h held) Write(b []byte) (int, error) {
	h.by.held.RLock()
	defer h.by.held.RUnlock()
	return h.Conn.Write(b)
}
