package sse

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// connWriter is a response that writes to a connection at once, and notes at each flush how many bytes
// the connection holds back.
type connWriter struct {
	*httptest.ResponseRecorder
	conn *combiningConn
	held []int
}

func (w *connWriter) Write(p []byte) (int, error) { return w.conn.Write(p) }

func (w *connWriter) Flush() {
	held := 0
	if w.conn.held != nil {
		held = len(*w.conn.held)
	}
	w.held = append(w.held, held)
}

func TestABurstLeavesInOneWriteAndASingleMessageAtOnce(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	defer client.Close()
	accepted, err := combiningListener{listener}.Accept()
	require.NoError(t, err)
	defer accepted.Close()
	w := &connWriter{ResponseRecorder: httptest.NewRecorder(), conn: accepted.(*combiningConn)}
	out := stream{w: w, rc: http.NewResponseController(w), conn: w.conn, timeout: time.Minute, slow: ignore}
	assert.True(t, out.send([]byte("one ")))
	assert.True(t, out.send([]byte("two "), []byte("three ")))
	assert.True(t, out.send([]byte("four")))
	assert.Equal(t, []int{0, len("two three "), 0}, w.held)
	got := make([]byte, len("one two three four"))
	_, err = io.ReadFull(client, got)
	require.NoError(t, err)
	assert.Equal(t, "one two three four", string(got))
}
