package main

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

// inProcess is a server that only this process reaches: the same handler, over
// connections in memory. Close it when done.
type inProcess struct {
	*client.Client
	model string

	app    *app
	server *http.Server
	wg     sync.WaitGroup
}

// startInProcess runs the agent in this process.
func startInProcess(s settings, log *slog.Logger) (*inProcess, error) {
	token := rand.Text()
	var tokens access.Tokens
	tokens.Add(access.LocalUser, token)
	a, err := newApp(s, tokens, nil, log)
	if err != nil {
		return nil, err
	}
	ln := &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	p := &inProcess{app: a, model: a.model, server: &http.Server{Handler: a.web, ReadHeaderTimeout: 10 * time.Second}}
	if p.Client, err = client.NewOver("http://candor.memory", token, ln.dial); err != nil {
		a.close(context.Background())
		return nil, err
	}
	p.wg.Go(func() { _ = p.server.Serve(ln) }) // ends with ErrServerClosed, by close
	return p, nil
}

// close interrupts what runs and returns when nothing of it is left.
func (p *inProcess) close() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p.app.close(ctx)
	p.Client.Close()
	p.server.Close()
	p.wg.Wait()
}

// memoryListener hands each dialled connection to the server.
type memoryListener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

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

type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }
func (memoryAddr) String() string  { return "memory" }
