package sse_test

import (
	"context"
	"io"
	"iter"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/sse"
)

// serve serves h over connections that combine writes until the test ends, and returns its address.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	combining := sse.Combine(server, listener)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(combining)
	}()
	t.Cleanup(func() {
		server.Close()
		<-ended
	})
	return listener.Addr().String()
}

// burst returns count messages that follow each other at once.
func burst(count int, data string) func(context.Context) iter.Seq[sse.Message] {
	return func(context.Context) iter.Seq[sse.Message] {
		return func(yield func(sse.Message) bool) {
			for i := range count {
				if !yield(sse.Message{Name: "n", Data: []byte(data), More: i < count-1}) {
					return
				}
			}
		}
	}
}

func TestAStreamOverCombinedWritesArrivesWhole(t *testing.T) {
	s := sse.NewServer(time.Minute)
	data := strings.Repeat("x", 700)
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		s.Serve(w, r, burst(500, data), func() {})
	})
	for range 3 { // the connection serves other requests afterwards
		response, err := http.Get("http://" + address)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err, "the chunks are whole")
		response.Body.Close()
		assert.Equal(t, 500, strings.Count(string(body), "data: "+data+"\nevent: n\n\n"))
	}
}

// A client that does not read is cut off as one without combined writes, once the kernel takes no more.
func TestAStalledClientOfCombinedWritesIsCutOff(t *testing.T) {
	s := sse.NewServer(50 * time.Millisecond)
	var sent atomic.Int64
	ended := make(chan struct{})
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		s.Serve(w, r, burst(1<<20, strings.Repeat("x", 1000)), func() { sent.Add(1) })
	})
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	<-ended
	assert.Equal(t, uint64(1), s.CutOff())
	assert.Positive(t, sent.Load())
}
