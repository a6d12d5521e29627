package page_test

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// line is a TCP proxy to the server whose connections can be cut.
type line struct {
	ln    net.Listener
	to    string
	mu    sync.Mutex
	down  bool
	conns map[net.Conn]bool
	wg    sync.WaitGroup
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &line{ln: ln, to: to, conns: map[net.Conn]bool{}}
	l.wg.Go(l.accept)
	t.Cleanup(func() {
		ln.Close()
		l.cut()
		l.wg.Wait()
	})
	return l
}

func (l *line) url() string { return "http://" + l.ln.Addr().String() }

func (l *line) accept() {
	for {
		in, err := l.ln.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", l.to)
		if err != nil || !l.hold(in, out) {
			in.Close()
			continue
		}
		l.wg.Go(func() { carry(in, out) })
		l.wg.Go(func() { carry(out, in) })
	}
}

func carry(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	to.Close()
	from.Close()
}

// hold registers connections, or closes them if the line is cut.
func (l *line) hold(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		if l.down {
			c.Close()
		}
		l.conns[c] = true
	}
	return !l.down
}

// cut closes all connections and refuses new ones until mend.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	for c := range l.conns {
		c.Close()
	}
	clear(l.conns)
}

func (l *line) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
}
