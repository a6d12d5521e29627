package app

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"candor/web/access"
	"candor/web/client"
)

// InProcess is an app that only this process can reach: the same handler and the same
// client as over a socket, on connections in memory.
type InProcess struct {
	*client.Client
	Model string // the name of the model that answers

	app    *App
	server *http.Server
	wg     sync.WaitGroup
}

// StartInProcess builds an app and a client that is logged in to it as
// access.LocalUser. The caller closes it.
func StartInProcess(s Settings, log *slog.Logger) (*InProcess, error) {
	token := rand.Text()
	var tokens access.Tokens
	tokens.Add(access.LocalUser, token)
	a, err := New(s, tokens, nil, log)
	if err != nil {
		return nil, err
	}
	ln := &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	p := &InProcess{app: a, Model: a.Model, server: &http.Server{Handler: a, ReadHeaderTimeout: 10 * time.Second}}
	if p.Client, err = client.NewOver("http://localhost", token, ln.dial); err != nil {
		a.Close(context.Background())
		return nil, err
	}
	p.wg.Go(func() { _ = p.server.Serve(ln) }) // returns ErrServerClosed after Close
	return p, nil
}

// Close interrupts running turns and returns when no goroutine of the app is left. The app
// goes first, so that the interruption still reaches the client's event stream; then the
// client, its connections, and the server.
func (p *InProcess) Close() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p.app.Close(ctx)
	p.Client.Close()
	p.server.Close()
	p.wg.Wait()
}

// memoryListener is a net.Listener whose connections are pipes: dial makes both ends
// and hands one of them to Accept.
type memoryListener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

// dial returns the client's end of a new connection. It waits until the server accepts
// the other end, the listener is closed, or ctx ends.
func (l *memoryListener) dial(ctx context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *memoryListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *memoryListener) Addr() net.Addr { return memoryAddr{} }

// memoryAddr is the address of every memoryListener.
type memoryAddr struct{}

// Network implements net.Addr.
func (memoryAddr) Network() string { return "memory" }

// String implements net.Addr.
func (memoryAddr) String() string { return "memory" }
