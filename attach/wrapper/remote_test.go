package wrapper

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
)

// far is a server that speaks HTTP, a wrapper in front of it, and what both heard.
type far struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *bufio.Reader
	ended chan error

	mu    sync.Mutex
	heard []string // method, headers and body of each request
	facts []attach.Sighting
}

// newFar starts a server whose answers serve gives, and a wrapper.
func newFar(t *testing.T, ctx context.Context, serve func(w http.ResponseWriter, r *http.Request, body string)) *far {
	t.Helper()
	f := &far{t: t, ended: make(chan error, 1)}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.heard = append(f.heard, strings.Join([]string{r.Method, r.Header.Get("Mcp-Session-Id"),
			r.Header.Get("Mcp-Protocol-Version"), r.Header.Get("X-Key"), r.Header.Get("Last-Event-Id"),
			string(body)}, "|"))
		f.mu.Unlock()
		serve(w, r, string(body))
	}))
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	f.in, f.out = in, bufio.NewReader(out)
	c := New(Options{Session: "s"})
	r := &Remote{URL: s.URL, Header: http.Header{"X-Key": {"k"}}, Client: s.Client(), Conn: c, Out: stdout,
		Relay: Relay{Read: c.FromClient, Long: c.LongFromClient, Told: func(facts []attach.Sighting) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.facts = append(f.facts, facts...)
		}}}
	go func() { f.ended <- r.Run(ctx, stdin); _ = stdout.Close() }()
	t.Cleanup(func() { _ = in.Close(); _ = out.Close() })
	return f
}

func (f *far) say(line string) {
	f.t.Helper()
	_, err := io.WriteString(f.in, line+"\n")
	require.NoError(f.t, err)
}

func (f *far) hear() string {
	f.t.Helper()
	line, err := f.out.ReadString('\n')
	require.NoError(f.t, err)
	return strings.TrimSuffix(line, "\n")
}

const (
	hello   = `{"id":0,"method":"initialize"}`
	welcome = `{"id":0,"result":{"protocolVersion":"2025-06-18"}}`
)

// polite answers what every server is asked, and leaves the rest to serve.
func polite(serve http.HandlerFunc) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case body == hello:
			w.Header().Set("Mcp-Session-Id", "one")
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = io.WriteString(w, "{\"id\":0,\r\n\"result\":{\"protocolVersion\":\"2025-06-18\"}}\n")
		case strings.Contains(body, `"notifications/`):
			w.WriteHeader(http.StatusAccepted)
		case strings.Contains(body, "tools/list"):
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"id":1,"result":{"tools":[`+echo+`]}}`)
		case r.Method == http.MethodPost || r.Header.Get("Last-Event-Id") != "":
			serve(w, r)
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}
}

// streamed writes events of a stream.
func streamed(w http.ResponseWriter, events string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, events)
}

func TestAServerThatSpeaksHTTPIsWrapped(t *testing.T) {
	f := newFar(t, t.Context(), polite(func(w http.ResponseWriter, _ *http.Request) {
		streamed(w, ": wait\n\nid: 1\ndata:\n\nevent: message\ndata: {\"method\":\"notifications/progress\"}\n\n"+
			"data: {\"id\":2,\ndata: \"result\":{\"content\":[]}}\r\n\r\n")
	}))
	f.say(hello)
	require.JSONEq(t, welcome, f.hear(), "in one line")
	f.say(`{"method":"notifications/cancelled"}`)
	f.say(`{"id":1,"method":"tools/list"}`)
	assert.Contains(t, f.hear(), propertySchema)
	f.say(`{"id":2,"method":"tools/call","params":{"name":"echo","arguments":{"rationale":"x","a": 1}}}`)
	assert.Equal(t, `{"method":"notifications/progress"}`, f.hear())
	assert.Equal(t, `{"id":2, "result":{"content":[]}}`, f.hear())
	require.NoError(t, f.in.Close())
	require.NoError(t, <-f.ended)
	assert.ElementsMatch(t, []string{
		"POST|||k||" + hello, `POST|one|2025-06-18|k||{"method":"notifications/cancelled"}`,
		`POST|one|2025-06-18|k||{"id":1,"method":"tools/list"}`,
		`POST|one|2025-06-18|k||{"id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a": 1}}}`,
		"DELETE|one|2025-06-18|k||",
	}, f.heard, "a notification holds up no request")
	assert.Contains(t, f.heard[0], hello)
	assert.Contains(t, f.heard[4], "DELETE")
	require.Len(t, f.facts, 3)
	assert.Equal(t, "x", f.facts[1].Called.Reason)
	assert.NotNil(t, f.facts[2].Returned)
}

func TestAStreamThatBreaksIsTakenUpAgain(t *testing.T) {
	f := newFar(t, t.Context(), polite(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			streamed(w, "retry: 1\nid: a7\ndata: {\"method\":\"first\"}\n\ndata: {\"id\":5,\"cut")
			return
		}
		streamed(w, "data: {\"id\":5,\"result\":{}}\n\n")
	}))
	f.say(`{"id":5,"method":"slow"}`)
	assert.Equal(t, `{"method":"first"}`, f.hear())
	assert.Equal(t, `{"id":5,"result":{}}`, f.hear())
	require.NoError(t, f.in.Close())
	require.NoError(t, <-f.ended)
	assert.Equal(t, "GET|||k|a7|", f.heard[1])
}

func TestAServerDecidesWithinBoundsWhenItsStreamIsOpenedAgain(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{
		time.Millisecond: minRetry, time.Second: time.Second, 24 * time.Hour: maxRetry,
	} {
		assert.Equal(t, want, pauseFor(asked), asked)
	}
}

func TestAServersOwnStreamIsHeard(t *testing.T) {
	answered := make(chan struct{})
	f := newFar(t, t.Context(), func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == http.MethodGet:
			streamed(w, "data: {\"id\":\"x\",\"method\":\"roots/list\"}\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case strings.Contains(body, `"roots"`):
			w.WriteHeader(http.StatusAccepted)
			close(answered)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	})
	f.say(`{"method":"notifications/initialized"}`)
	f.say(`{"method":"notifications/initialized"}`)
	assert.Equal(t, `{"id":"x","method":"roots/list"}`, f.hear())
	f.say(`{"id":"x","result":{"roots":[]}}`)
	<-answered
	require.NoError(t, f.in.Close())
	require.NoError(t, <-f.ended)
	f.mu.Lock()
	defer f.mu.Unlock()
	assert.Equal(t, 1, strings.Count(strings.Join(f.heard, "\n"), "GET|"), "one stream")
}

func TestARequestThatFailsIsAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		said  string
	}{
		"the server refuses": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
			"the MCP server at http://127.0.0.1:* answers 404 Not Found; is that its whole address"},
		"it wants a key": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
			"the MCP server at http://127.0.0.1:* answers 401 Unauthorized; a key for it is sent with candor wrap --h"},
		"it sends us elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:9/", http.StatusTemporaryRedirect)
		}, ""},
		"its stream ends early": {func(w http.ResponseWriter, _ *http.Request) { streamed(w, ": nothing\n\n") },
			"the MCP server ended the stream without an answer"},
		"its stream cannot be taken up again": {func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				streamed(w, "retry: 1\nid: 1\ndata: {\"id\":9}\n\n")
			}
		}, "the MCP server ended the stream without an answer"},
		"it answers with nothing": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) },
			"the MCP server answered 200 OK, with neither JSON nor an event stream"},
		"it only accepts": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) },
			"the MCP server answered 202 Accepted, with neither JSON nor an event stream"},
		"it wants us to log in": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>\nLog in</html>")
		}, `the MCP server answered with \"text/html\", which is neither JSON nor an event stream`},
		"its JSON is none":       {answering(`{"id":"a"`), "the MCP server's answer is not JSON"},
		"its JSON is no message": {answering(`"a"`), "the MCP server's answer is not JSON"},
		"it answers something else": {answering(`{"id":9}`),
			"the MCP server's response has no answer to this request"},
		"its stream has other things": {func(w http.ResponseWriter, _ *http.Request) {
			streamed(w, "event: endpoint\ndata: /messages\n\nevent: ping\ndata: {}\n\ndata: <html>\n\n")
		}, "the MCP server ended the stream without an answer"},
		"it hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			"no answer from the MCP server at 127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFar(t, t.Context(), polite(c.serve))
			f.say(`{"id":"a","method":"slow"}`)
			line := f.hear()
			if strings.Contains(line, `{"id":9}`) {
				line = f.hear()
			}
			line = regexp.MustCompile(`127\.0\.0\.1:\d+ answers`).ReplaceAllString(line, "127.0.0.1:* answers")
			assert.Contains(t, line, `{"jsonrpc":"2.0","id":"a","error":{"code":-32000,"message":"candor wrap: `+c.said)
		})
	}
}

// answering returns what answers with JSON.
func answering(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

func TestAConnectionEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	arrived := make(chan struct{})
	f := newFar(t, ctx, polite(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	}))
	f.say(`{"id":"a","method":"slow"}`)
	<-arrived
	stop()
	require.NoError(t, <-f.ended)
}

func TestAServerThatSpeaksHTTPHasABoundedNumberOfRequests(t *testing.T) {
	held := make(chan struct{})
	arrived := make(chan struct{}, maxAtOnce+1)
	var now, most atomic.Int32
	f := newFar(t, t.Context(), polite(func(w http.ResponseWriter, _ *http.Request) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		arrived <- struct{}{}
		<-held
		now.Add(-1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":1,"result":{}}`)
	}))
	for range maxAtOnce + 1 {
		f.say(`{"id":1,"method":"slow"}`)
	}
	for range maxAtOnce {
		<-arrived
	}
	close(held)
	for range maxAtOnce + 1 {
		assert.Equal(t, `{"id":1,"result":{}}`, f.hear(), "those that ended made room")
	}
	assert.LessOrEqual(t, most.Load(), int32(maxAtOnce))
}
