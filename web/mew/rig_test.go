package mew

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/mew/wire"
)

// tokenFor returns the token of a participant or a user in the tests.
func tokenFor(who string) string { return who + "-" + strings.Repeat("t", access.MinToken) }

// fakeCollector admits contexts up to five deep and remembers what it observed.
type fakeCollector struct {
	mu       sync.Mutex
	observed []wire.Envelope
	fails    error
	expired  []time.Time
	present  []string
	threads  map[string]string // thread → participant
	running  map[string]string // thread → context
	proposed map[string]wire.Envelope
}

func (c *fakeCollector) Admit(e wire.Envelope) (string, error) {
	if strings.Count(e.Context.Path, "/") >= 5 {
		return "", &wire.Refusal{Code: wire.CodeTooDeep, Message: "The context is too deep."}
	}
	if e.Context.Parent != "" {
		return e.Context.Parent + "/" + e.Context.Path, nil
	}
	return e.Context.Path, nil
}

func (c *fakeCollector) Observe(e wire.Envelope, _ string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fails == nil {
		c.observed = append(c.observed, e)
	}
	return c.fails
}

func (c *fakeCollector) Expire(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expired = append(c.expired, now)
}

func (c *fakeCollector) kinds() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.observed {
		all = append(all, e.From+" "+e.Kind)
	}
	return all
}

// Joined implements Attendance.
func (c *fakeCollector) Joined(who string) { c.present = append(c.present, "+"+who) }

// Left implements Attendance.
func (c *fakeCollector) Left(who string) { c.present = append(c.present, "-"+who) }

// Author implements Threads.
func (c *fakeCollector) Author(thread string) (string, bool) {
	who, ok := c.threads[thread]
	return who, ok
}

// Running implements Threads.
func (c *fakeCollector) Running(thread string) (string, session.Ref, bool) {
	path, ok := c.running[thread]
	return path, session.Ref{Thread: thread, Turn: 2}, ok
}

// Proposal implements Threads.
func (c *fakeCollector) Proposal(request string) (wire.Envelope, session.Ref, bool) {
	e, ok := c.proposed[request]
	return e, session.Ref{Thread: "t", Turn: 3}, ok
}

// rig is a gateway behind a real server, with the spaces of a test.
type rig struct {
	t         *testing.T
	gateway   *Server
	store     *session.Memory
	http      *httptest.Server
	collector *fakeCollector // of the latest space
}

// labSpace is a space with a person who may do everything, two agents, and one who may chat.
const labSpace = `{"spaces":{"lab":{"owner":"ann","clean":%v,"participants":{
	"human":{"token":%q,"capabilities":[{"kind":"*"}]},
	"alpha":{"token":%q,"capabilities":[{"kind":"chat"},{"kind":"reasoning/*"},{"kind":"mcp/*"},{"kind":"stream/*"}]},
	"beta":{"token":%q,"capabilities":[{"kind":"chat"},{"kind":"reasoning/start"}]}}}}}`

func newRig(t *testing.T, change ...func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, store: session.NewMemory(nil)}
	var tokens access.Tokens
	for _, user := range []string{"ann", "bob"} {
		tokens.Add(user, tokenFor(user))
	}
	file := fmt.Sprintf(labSpace, false, tokenFor("human"), tokenFor("alpha"), tokenFor("beta"))
	spaces, err := ReadSpaces(strings.NewReader(file), tokens)
	require.NoError(t, err)
	o := Options{
		Store: r.store, Tokens: tokens, Log: slog.New(slog.DiscardHandler), Spaces: spaces,
		Safety: safety.NewLayer(safety.Secrets(spaces.Secrets()...)),
		Collect: func(string, string) Collector {
			r.collector = &fakeCollector{}
			return r.collector
		},
	}
	for _, f := range change {
		f(&o)
	}
	r.gateway, err = New(o)
	require.NoError(t, err)
	server := web.New(web.Options{Store: r.store, Tokens: tokens, Log: o.Log})
	server.Mount(r.gateway.Routes()...)
	r.http = httptest.NewServer(server)
	t.Cleanup(func() {
		r.gateway.Close()
		r.http.Close()
	})
	return r
}

// lab returns the space of the rig's file.
func (r *rig) lab() *space {
	sp, err := r.gateway.find("ann", "lab")
	require.NoError(r.t, err)
	return sp
}

// socket is a participant's end of a socket in a test.
type socket struct {
	t    *testing.T
	conn *websocket.Conn
}

// dial opens a socket without joining.
func (r *rig) dial(query, token string, header http.Header) (*socket, *http.Response, error) {
	r.t.Helper()
	if header == nil {
		header = http.Header{}
	}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	conn, response, err := websocket.Dial(r.t.Context(), r.http.URL+"/mew/ws"+query,
		&websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		return nil, response, err
	}
	conn.SetReadLimit(4 << 20)
	r.t.Cleanup(func() { _ = conn.CloseNow() })
	return &socket{r.t, conn}, response, nil
}

// join opens the socket of a participant and reads its welcome.
func (r *rig) join(who string, query ...string) *socket {
	r.t.Helper()
	s, _, err := r.dial("?space=lab"+strings.Join(query, ""), tokenFor(who), nil)
	require.NoError(r.t, err)
	welcome := s.read()
	require.Equal(r.t, "system/welcome", welcome.Kind)
	return s
}

func (s *socket) send(format string, args ...any) {
	s.t.Helper()
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	require.NoError(s.t, s.conn.Write(s.t.Context(), websocket.MessageText, []byte(text)))
}

// message is an envelope as a client sees it.
type message struct {
	ID          string
	From        string
	To          []string
	Kind        string
	Correlation []string `json:"correlation_id"`
	Payload     map[string]any
	raw         string
}

// readRaw returns the next message of the socket.
func (s *socket) readRaw() string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	_, raw, err := s.conn.Read(ctx)
	require.NoError(s.t, err)
	return string(raw)
}

func (s *socket) read() message {
	s.t.Helper()
	return decoded(s.t, s.readRaw())
}

func decoded(t *testing.T, raw string) message {
	t.Helper()
	m := message{raw: raw}
	require.NoError(t, json.Unmarshal([]byte(raw), &m), raw)
	return m
}

// until reads messages up to one of this kind, past all others and past frames.
func (s *socket) until(kind string) message {
	s.t.Helper()
	for {
		if raw := s.readRaw(); raw[0] != '#' {
			if m := decoded(s.t, raw); m.Kind == kind {
				return m
			}
		}
	}
}

// closedWith reads until the socket is closed and returns the code and the reason.
func (s *socket) closedWith() (websocket.StatusCode, string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	for {
		if _, _, err := s.conn.Read(ctx); err != nil {
			var e websocket.CloseError
			require.ErrorAs(s.t, err, &e)
			return e.Code, e.Reason
		}
	}
}

// call makes a request with a token and returns the status and the decoded answer.
func (r *rig) call(method, path, token, body string) (int, map[string]any) {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.http.URL+path, strings.NewReader(body))
	require.NoError(r.t, err)
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := r.http.Client().Do(request)
	require.NoError(r.t, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	require.NoError(r.t, err)
	var out map[string]any
	require.NoError(r.t, json.Unmarshal(raw, &out), "%s", raw)
	return response.StatusCode, out
}

// post sends a message over HTTP.
func (r *rig) post(who, body string) (int, map[string]any) {
	r.t.Helper()
	return r.call(http.MethodPost, "/mew/participants/"+who+"/messages", tokenFor(who), body)
}

// assertNothingBut holds that the socket's next message is one that the test sends last, so that
// nothing else came before it.
func (s *socket) assertNothingBut(id string) {
	s.t.Helper()
	assert.Equal(s.t, id, s.read().ID)
}
