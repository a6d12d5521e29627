package command

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// defaultConnections is how many connections may be open at once unless a flag says
	// otherwise: ten users with all their streams.
	defaultConnections = 1000
	// maxHeaders bounds the headers of a request, with its first line, in bytes.
	maxHeaders = 32 << 10
	// headerSlop is what net/http reads beyond MaxHeaderBytes.
	headerSlop = 4 << 10
)

// The times of a connection.
const (
	headerTime = 10 * time.Second // for the headers of a request to arrive
	idleTime   = 2 * time.Minute  // for the next request to begin
)

// newHTTPServer returns a server with bounds on headers and connections.
func newHTTPServer(h http.Handler, connections int, log *slog.Logger) *http.Server {
	open := &openConnections{max: connections, idle: map[net.Conn]time.Time{}}
	return &http.Server{
		Handler: h, MaxHeaderBytes: maxHeaders - headerSlop, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime,
		ConnState: open.note, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// openConnections bounds the connections of a server. Where there is no room for a new one,
// the one that has been idle for longest is closed; if none is, the new one is refused. So
// nobody can keep others out with connections that do nothing.
type openConnections struct {
	max int

	mu   sync.Mutex
	open int
	idle map[net.Conn]time.Time // since when, for connections that have no request
}

// refusal is the answer on a connection for which there is no room.
var refusal = fmt.Appendf(nil, "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nConnection: close\r\n"+
	"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(refusalBody), refusalBody)

const refusalBody = `{"error":"too_many_connections","message":` +
	`"The server has as many connections open as it allows. Try again soon.","details":{}}` + "\n"

// note is the ConnState hook of an http.Server, which calls it for a new connection before it
// accepts the next.
func (o *openConnections) note(c net.Conn, state http.ConnState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.idle, c)
	switch state {
	case http.StateNew:
		o.idle[c] = time.Now() // it has no request yet
		if o.open++; o.open > o.max {
			o.makeRoom(c)
		}
	case http.StateIdle:
		o.idle[c] = time.Now()
	case http.StateClosed, http.StateHijacked:
		o.open--
	}
}

// makeRoom closes the connection that has been idle for longest or, if no other is idle, the
// new one, with an answer that says why. The server notices that it is closed, and calls
// note. The caller holds mu.
func (o *openConnections) makeRoom(fresh net.Conn) {
	oldest, since := fresh, o.idle[fresh]
	for c, at := range o.idle {
		if at.Before(since) {
			oldest, since = c, at
		}
	}
	if oldest == fresh {
		_ = fresh.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = fresh.Write(refusal) // an empty send buffer takes it at once
	}
	delete(o.idle, oldest)
	_ = oldest.Close()
}
