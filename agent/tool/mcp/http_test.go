package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mortal is an HTTP server that can be killed and started again at the same address.
type mortal struct {
	t       testing.TB
	addr    string
	handler http.Handler
	server  *http.Server
	serving sync.WaitGroup
}

func newMortal(t testing.TB, h http.Handler) *mortal {
	t.Helper()
	m := &mortal{t: t, addr: "127.0.0.1:0", handler: h}
	m.start()
	t.Cleanup(m.kill)
	return m
}

func (m *mortal) start() {
	m.t.Helper()
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", m.addr)
	require.NoError(m.t, err)
	m.addr = listener.Addr().String()
	m.server = &http.Server{Handler: m.handler}
	m.serving.Go(func() { _ = m.server.Serve(listener) })
}

func (m *mortal) kill() {
	_ = m.server.Close()
	m.serving.Wait()
}

func (m *mortal) url() string { return "http://" + m.addr + "/mcp" }

// overHTTP serves the test server, and closes its sessions at the end of the test.
func overHTTP(t testing.TB, wrap func(http.Handler) http.Handler) *mortal {
	t.Helper()
	over := make(chan struct{})
	s := testServer(over)
	t.Cleanup(func() {
		close(over)
		for open := range s.Sessions() {
			_ = open.Close()
		}
	})
	var h http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	if wrap != nil {
		h = wrap(h)
	}
	return newMortal(t, h)
}

func TestToolsOverHTTP(t *testing.T) {
	m := overHTTP(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer yes" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	good := Endpoint{URL: m.url(), Headers: map[string]string{"Authorization": "Bearer yes"}}
	s := connected(t, Config{Servers: map[string]Endpoint{"good": good, "bad": {URL: m.url()}}}, Options{})
	got, err := named(t, s, "echo").Run(t.Context(), json.RawMessage(`{"a":1}`))
	require.NoError(t, err)
	assert.Contains(t, string(got), `{\"a\":1}`)
	assert.EqualError(t, s.states()[0].fault, "it answered with HTTP status 401 Unauthorized")
	assert.Equal(t, state{name: "good", up: true, tools: 6}, s.states()[1])
}

func TestAnHTTPServerThatDiesDuringACall(t *testing.T) {
	started := make(chan struct{}, 1)
	m := overHTTP(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if bytes.Contains(body, []byte(`"name":"wait"`)) {
				started <- struct{}{}
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		})
	})
	s := connected(t, oneServer(Endpoint{URL: m.url()}), Options{})
	failed := make(chan error, 1)
	go func() {
		_, err := named(t, s, "wait").Run(t.Context(), nil)
		failed <- err
	}()
	<-started
	m.kill()
	assert.ErrorContains(t, <-failed, "broke during this call")
	echo := named(t, s, "echo")
	await(t, func() bool { return !s.states()[0].up && s.states()[0].fault != nil })
	_, err := echo.Run(t.Context(), nil)
	require.EqualError(t, err,
		`the MCP server "test" is down and is being restarted; try again later or do without it`)
	assert.Contains(t, s.states()[0].fault.Error(), "connection refused")

	m.start()
	await(t, func() bool {
		_, err := echo.Run(t.Context(), nil)
		return err == nil
	})
}

func TestToolListChangesOverHTTP(t *testing.T) {
	for _, stateless := range []bool{false, true} { // the older and the newest protocol
		s := testServer(nil)
		m := newMortal(t, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
			&sdk.StreamableHTTPOptions{Stateless: stateless}))
		all := connected(t, oneServer(Endpoint{URL: m.url()}), Options{})
		_, err := named(t, all, "grow").Run(t.Context(), nil)
		require.NoError(t, err)
		await(t, func() bool { return len(all.Tools()) == 7 })
		all.Close()
		for open := range s.Sessions() {
			_ = open.Close()
		}
	}
}

func TestHeadersGoToNoOtherOrigin(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s reached another origin, with %v", r.Method, r.Header)
	}))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer first.Close()
	s := connected(t, oneServer(Endpoint{URL: first.URL, Headers: map[string]string{"X-Key": "k"}}), Options{})
	assert.EqualError(t, s.states()[0].fault, "it redirects to another origin; configure that one's URL")
}

func TestAMessageThatIsTooLargeIsRefused(t *testing.T) {
	brokeOff := make(chan bool, 100) // one element for each of the attempts
	flood := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range 64 { // MiB
			if _, err := io.WriteString(w, strings.Repeat(" ", 1<<20)); err != nil {
				brokeOff <- true
				return
			}
		}
		brokeOff <- false
	}))
	defer flood.Close()
	s := connected(t, oneServer(Endpoint{URL: flood.URL}), Options{})
	assert.False(t, s.states()[0].up)
	assert.True(t, <-brokeOff, "the message is not read to its end")
}

func TestAServerThatNeverAnswersTheRequestForNotifications(t *testing.T) {
	m := overHTTP(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				<-r.Context().Done()
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	s := connected(t, oneServer(Endpoint{URL: m.url()}), Options{})
	_, err := named(t, s, "echo").Run(t.Context(), nil)
	assert.NoError(t, err)
}
