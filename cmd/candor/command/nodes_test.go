package command_test

import (
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/built"
)

// newNodes returns the nodes of a cluster, which do not run yet.
func newNodes(t *testing.T, n int) (nodes []*built.NATS, addrs []string, p *partition, urls string) {
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
		config := fmt.Sprintf("server_name: n%d\nlisten: %q\nmax_payload: 8MB\n"+
			"jetstream { store_dir: %q, sync_interval: always }\n"+
			"cluster { name: c, listen: %q, no_advertise: true, routes: [%s] }\n",
			i, clients[i], filepath.Join(dir, fmt.Sprintf("n%d", i)), routes[i], strings.Join(others, ", "))
		nodes = append(nodes, built.NewNATS(t, config))
	}
	return nodes, clients, p, "nats://" + strings.Join(clients, ",nats://")
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
