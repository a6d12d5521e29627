package sse

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Combine makes a server send what a stream has to say at once with one system call, where
// net/http's small buffer takes one for every 4 KiB. It returns the listener to serve from, and has
// to be called before the server serves. Streams work without it, and over connections that are no
// TCP, such as those of TLS.
func Combine(s *http.Server, l net.Listener) net.Listener {
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}
	return combiningListener{l}
}

// connKey is the context key of a request's connection.
type connKey struct{}

// combiningListener accepts connections that can combine writes.
type combiningListener struct{ net.Listener }

// Accept implements net.Listener.
func (l combiningListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &combiningConn{TCPConn: tcp}, err
	}
	return c, err
}

// combiningConn is a connection that can hold writes back and send them as one. Like the writing
// half of a connection of net/http, it may be used by one goroutine at a time.
type combiningConn struct {
	*net.TCPConn
	held *[]byte // what was written since hold; nil if writes are not held back
}

// heldBytes has buffers for connections that hold back writes.
var heldBytes = sync.Pool{New: func() any { return new(make([]byte, 0, 2*maxBuffered)) }}

// Write implements net.Conn.
func (c *combiningConn) Write(p []byte) (int, error) {
	if c.held == nil {
		return c.TCPConn.Write(p)
	}
	*c.held = append(*c.held, p...)
	return len(p), nil
}

// hold holds back writes until release.
func (c *combiningConn) hold() { c.held = heldBytes.Get().(*[]byte) }

// release sends what was written since hold.
func (c *combiningConn) release() error {
	held := c.held
	c.held = nil
	_, err := c.TCPConn.Write(*held)
	if cap(*held) <= 4*maxBuffered {
		*held = (*held)[:0]
		heldBytes.Put(held)
	}
	return err
}
