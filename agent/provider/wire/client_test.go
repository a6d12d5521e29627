package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent/provider/wire"
)

// transport answers requests without a network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// body notices that it was closed.
type body struct {
	io.Reader
	closed bool
}

func (b *body) Close() error {
	b.closed = true
	return nil
}

func answering(b *body) transport {
	return func(*http.Request) (*http.Response, error) { return ok(b), nil }
}

func ok(b io.ReadCloser) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: b}
}

func client(t *testing.T, base string, header http.Header, through http.RoundTripper) *wire.Client {
	t.Helper()
	at, err := url.Parse(base)
	require.NoError(t, err)
	return wire.NewClient(at, header, through)
}

func TestPathsAreRelativeToTheBaseURL(t *testing.T) {
	for _, tt := range []struct{ base, path, want string }{
		{"http://host", "v1/messages", "http://host/v1/messages"},
		{"http://host/", "v1/messages", "http://host/v1/messages"},
		{"http://host/v1", "chat/completions", "http://host/v1/chat/completions"},
		{"http://host/v1/", "chat/completions", "http://host/v1/chat/completions"},
		{"https://host:8443/a/b?key=1", "models", "https://host:8443/a/b/models"},
	} {
		t.Run(tt.base, func(t *testing.T) {
			var got string
			c := client(t, tt.base, nil, transport(func(r *http.Request) (*http.Response, error) {
				got = r.URL.String()
				return ok(http.NoBody), nil
			}))
			_, err := c.Post(t.Context(), tt.path, nil)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
	_, err := client(t, "http://host", nil, nil).Get(t.Context(), "%zz")
	assert.ErrorContains(t, err, `the path "%zz"`)
}

func TestRequestsCarryTheirHeadersAndBody(t *testing.T) {
	header := http.Header{"X-Api-Key": {"k"}}
	var got http.Header
	var sent string
	c := client(t, "http://host", header, transport(func(r *http.Request) (*http.Response, error) {
		raw, err := io.ReadAll(r.Body)
		got, sent = r.Header, string(raw)
		return ok(http.NoBody), err
	}))
	_, err := c.Post(t.Context(), "p", []byte(`{"a":1}`))
	require.NoError(t, err)
	assert.Equal(t, `{"a":1}`, sent)
	assert.Equal(t, http.Header{
		"Accept": {"application/json"}, "Content-Type": {"application/json"},
		"User-Agent": {"candor"}, "X-Api-Key": {"k"},
	}, got)

	_, err = c.Get(t.Context(), "p")
	require.NoError(t, err)
	assert.NotContains(t, got, "Content-Type", "a GET has no body")
	assert.Equal(t, http.Header{"X-Api-Key": {"k"}}, header, "the caller's header stays as it was")
}

func TestAStatusThatIsNoSuccessIsAnErrorWithItsBody(t *testing.T) {
	refusal := &body{Reader: strings.NewReader(`{"error":{"message":"slow down, key sk-1"}}`)}
	c := client(t, "http://host", nil, transport(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"3"}}, Body: refusal}, nil
	}))
	_, err := c.Post(t.Context(), "p", nil)
	refused, isStatus := errors.AsType[*wire.StatusError](err)
	require.True(t, isStatus)
	assert.Equal(t, 429, refused.Status)
	assert.Equal(t, "3", refused.Header.Get("Retry-After"))
	assert.JSONEq(t, `{"error":{"message":"slow down, key sk-1"}}`, string(refused.Body))
	assert.EqualError(t, err, "Too Many Requests", "the body may hold the key")
	assert.False(t, refused.Redirect())
	assert.True(t, refusal.closed)
}

func TestTheBodyOfARefusalIsReadUpToItsBound(t *testing.T) {
	c := client(t, "http://host", nil, transport(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 500, Body: &body{Reader: endless{}}}, nil
	}))
	_, err := c.Post(t.Context(), "p", nil)
	refused, isStatus := errors.AsType[*wire.StatusError](err)
	require.True(t, isStatus)
	assert.Len(t, refused.Body, wire.MaxRefusal)
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	asked := 0
	c := client(t, "http://host", nil, transport(func(r *http.Request) (*http.Response, error) {
		asked++
		return &http.Response{StatusCode: 307, Request: r, Body: http.NoBody,
			Header: http.Header{"Location": {"https://elsewhere.example/"}}}, nil
	}))
	_, err := c.Post(t.Context(), "p", []byte("{}"))
	refused, isStatus := errors.AsType[*wire.StatusError](err)
	require.True(t, isStatus)
	assert.True(t, refused.Redirect())
	assert.ErrorContains(t, err, "base URL")
	assert.Equal(t, 1, asked)
}

// endless never stops sending comments.
type endless struct{}

var comment = ":" + strings.Repeat(" ", 1022) + "\n"

func (endless) Read(p []byte) (int, error) { return copy(p, comment), nil }

func TestAnAnswerIsReadUpToItsBound(t *testing.T) {
	c := client(t, "http://host", nil, transport(func(*http.Request) (*http.Response, error) {
		return ok(&body{Reader: endless{}}), nil
	}))
	var err error
	for _, err = range c.Stream(t.Context(), "p", nil) {
		require.Error(t, err, "a comment is no event")
	}
	require.ErrorIs(t, err, wire.ErrTooLarge)
}

func TestAStreamYieldsItsEventsAndReleasesTheConnection(t *testing.T) {
	answer := &body{Reader: strings.NewReader("event: a\ndata: 1\n\ndata: 2\n\n")}
	c := client(t, "http://host", nil, answering(answer))
	var got []string
	for event, err := range c.Stream(t.Context(), "p", nil) {
		require.NoError(t, err)
		got = append(got, event.Name+"="+string(event.Data))
	}
	assert.Equal(t, []string{"a=1\n", "=2\n"}, got)
	assert.True(t, answer.closed)
}

func TestLeavingAStreamReleasesTheConnection(t *testing.T) {
	answer := &body{Reader: strings.NewReader("data: 1\n\ndata: 2\n\n")}
	c := client(t, "http://host", nil, answering(answer))
	for range c.Stream(t.Context(), "p", nil) {
		break
	}
	assert.True(t, answer.closed)
}

func TestAStreamThatCannotBeOpenedYieldsTheError(t *testing.T) {
	c := client(t, "http://host", nil, transport(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("connection refused")
	}))
	n := 0
	for _, err := range c.Stream(t.Context(), "p", nil) {
		n++
		require.ErrorContains(t, err, "connection refused")
	}
	assert.Equal(t, 1, n)
}

func TestAStreamEndsWithItsContext(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range client(t, server.URL, nil, nil).Stream(ctx, "p", nil) {
		cancel()
		last = err
	}
	require.ErrorIs(t, last, context.Canceled)
}
