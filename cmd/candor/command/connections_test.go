package command

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveOn serves h on a port of this machine until the test ends, and returns its address.
func serveOn(t *testing.T, connections int, h http.HandlerFunc) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	srv := newHTTPServer(h, connections, slog.New(slog.DiscardHandler))
	done := make(chan struct{})
	go func() {
		_ = srv.Serve(ln)
		close(done)
	}()
	t.Cleanup(func() {
		srv.Close()
		<-done
	})
	return ln.Addr().String()
}

// connected is a connection of a client that speaks HTTP by hand.
type connected struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func connect(t *testing.T, addr string) connected {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	return connected{t, c, bufio.NewReader(c)}
}

// ask sends a request and returns the status and body of the answer.
func (c connected) ask(path, headers string) (status int, body string) {
	c.t.Helper()
	_, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n"+headers+"\r\n")
	require.NoError(c.t, err)
	return c.answer()
}

func (c connected) answer() (status int, body string) {
	c.t.Helper()
	resp, err := http.ReadResponse(c.in, nil)
	require.NoError(c.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(c.t, err)
	return resp.StatusCode, string(raw)
}

// isClosed waits until the server closes the connection.
func (c connected) isClosed() bool {
	_, err := c.in.ReadByte()
	return err != nil
}

func TestHeadersAreBoundedAt32KiB(t *testing.T) {
	addr := serveOn(t, 10, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	header := func(n int) string { return "X: " + strings.Repeat("x", n) + "\r\n" }
	status, _ := connect(t, addr).ask("/", header(maxHeaders-100))
	assert.Equal(t, http.StatusNoContent, status)
	status, _ = connect(t, addr).ask("/", header(maxHeaders))
	assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge, status)
}

func TestANewConnectionTakesThePlaceOfTheOneIdleForLongest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := &openConnections{max: 3, idle: map[net.Conn]time.Time{}}
		isClosed := func(c net.Conn) bool {
			_ = c.SetReadDeadline(time.Now().Add(time.Second))
			_, err := c.Read(make([]byte, 1))
			return errors.Is(err, io.EOF)
		}
		var clients []net.Conn
		accept := func() net.Conn {
			ours, theirs := net.Pipe()
			clients = append(clients, ours)
			open.note(theirs, http.StateNew)
			return theirs
		}
		busy, early, late := accept(), accept(), accept()
		for _, c := range []net.Conn{busy, early, late} {
			open.note(c, http.StateActive)
		}
		open.note(early, http.StateIdle)
		time.Sleep(time.Second) //nolint:forbidigo // the bubble's clock
		open.note(late, http.StateIdle)
		accept()
		for i, closed := range []bool{false, true, false, false} {
			assert.Equal(t, closed, isClosed(clients[i]), "connection %d", i)
		}
		open.note(early, http.StateClosed)
		assert.Equal(t, 3, open.open)
	})
}

func TestAConnectionIsRefusedWhileAllOthersAreInUse(t *testing.T) {
	started, end := make(chan struct{}), make(chan struct{})
	addr := serveOn(t, 1, func(w http.ResponseWriter, _ *http.Request) {
		started <- struct{}{}
		<-end
	})
	first := connect(t, addr)
	_, err := io.WriteString(first, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	<-started
	second := connect(t, addr)
	status, body := second.answer()
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Contains(t, body, `"error":"too_many_connections"`)
	assert.True(t, second.isClosed())
	end <- struct{}{}
	status, _ = first.answer()
	assert.Equal(t, http.StatusOK, status)
}

func TestAServerGivesUpOnHeadersAndIdleConnections(t *testing.T) {
	srv := newHTTPServer(http.NotFoundHandler(), 1, slog.New(slog.DiscardHandler))
	assert.Equal(t, headerTime, srv.ReadHeaderTimeout)
	assert.Equal(t, idleTime, srv.IdleTimeout)
}
