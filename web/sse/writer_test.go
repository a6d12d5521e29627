package sse_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/web/sse"
)

// gone is a client that has gone.
type gone struct{ *httptest.ResponseRecorder }

func (gone) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestAWriterSendsHeadersAndFramesAtOnce(t *testing.T) {
	w := httptest.NewRecorder()
	out := sse.Open(w, httptest.NewRequest(http.MethodGet, "/", nil), time.Second)
	assert.True(t, w.Flushed, "the client knows that the stream has begun")
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
	w.Flushed = false
	out.Write(nil)
	assert.False(t, w.Flushed)
	out.Write([]byte("data: 1\n\n"))
	assert.True(t, w.Flushed)
	assert.Equal(t, "data: 1\n\n", w.Body.String())
	assert.False(t, out.Failed())
}

func TestAWriterWhoseClientHasGoneDoesNothing(t *testing.T) {
	w := gone{httptest.NewRecorder()}
	out := sse.Open(w, httptest.NewRequest(http.MethodGet, "/", nil), time.Second)
	w.Flushed = false
	out.Write([]byte("data: 1\n\n"))
	assert.True(t, out.Failed())
	out.Write([]byte("data: 2\n\n"))
	assert.False(t, w.Flushed)
}
