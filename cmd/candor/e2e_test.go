package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/web/access"
)

// server is an app behind a real socket, with a client that speaks to it.
type server struct {
	t    *testing.T
	app  *app
	http *httptest.Server
	logs *logBuffer
}

// logBuffer is what the server logged.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// tokenOf is a test user's token.
func tokenOf(user string) string { return "token-of-" + user + "-for-tests" }

// startServer serves a script, or the offline model if script is nil, to ann and bob.
func startServer(t *testing.T, s settings, script any) *server {
	t.Helper()
	s.provider = "offline"
	if script != nil {
		s.provider, s.script = "script", filepath.Join(t.TempDir(), "script.json")
		require.NoError(t, os.WriteFile(s.script, mustJSON(t, script), 0o600))
	}
	return startModel(t, s)
}

// startModel serves the model of the settings to ann and bob.
func startModel(t *testing.T, s settings) *server {
	t.Helper()
	s.workspace = "../.."
	var tokens access.Tokens
	tokens.Add("ann", tokenOf("ann"))
	tokens.Add("bob", tokenOf("bob"))
	srv := &server{t: t, logs: &logBuffer{}}
	log := slog.New(slog.NewTextHandler(srv.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a, err := newApp(s, tokens, nil, log)
	require.NoError(t, err)
	srv.app, srv.http = a, httptest.NewServer(a.web)
	t.Cleanup(func() {
		a.close(context.Background())
		srv.http.Close()
	})
	return srv
}

// reply is an answer of the API.
type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) json(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.body), &out), r.body)
	return out
}

// do sends one request; edit changes it first.
func (s *server) do(user, method, path, body string, edit ...func(*http.Request)) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.http.URL+path, strings.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+tokenOf(user))
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, e := range edit {
		e(req)
	}
	resp, err := s.http.Client().Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return reply{resp.StatusCode, resp.Header, string(raw)}
}

// send says something to a thread ("" for the active one) and returns the answer.
func (s *server) send(user, thread, content string) map[string]any {
	s.t.Helper()
	r := s.do(user, http.MethodPost, "/api/chat/send", string(mustJSON(s.t, map[string]string{"content": content, "thread_id": thread})))
	require.Equal(s.t, http.StatusAccepted, r.status, r.body)
	return r.json(s.t)
}

// frame is one event as a client sees it.
type frame struct{ id, event, data string }

// sseClient reads a stream the way the WHATWG standard says a browser does.
type sseClient struct {
	body   io.ReadCloser
	lines  *bufio.Reader
	lastID string // of the last complete block
}

var errStreamStatus = errors.New("the stream was refused")

// subscribe opens a stream; lastID "" begins with what happens next.
func (s *server) subscribe(ctx context.Context, user, lastID, query string) (*sseClient, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.http.URL+"/api/chat/events"+query, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+tokenOf(user))
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := s.http.Client().Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, errStreamStatus
	}
	return newSSEClient(resp.Body, lastID), nil
}

func newSSEClient(body io.ReadCloser, lastID string) *sseClient {
	return &sseClient{body: body, lines: bufio.NewReaderSize(body, 64<<10), lastID: lastID}
}

// next is the next event; blocks without data only move lastID.
func (c *sseClient) next() (frame, error) {
	var f frame
	id := c.lastID
	for {
		line, err := c.lines.ReadString('\n')
		if err != nil {
			return frame{}, err
		}
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			c.lastID = id
			if f.data == "" {
				f = frame{}
				continue
			}
			f.id = id
			return f, nil
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			id = value
		case "event":
			f.event = value
		case "data":
			f.data += value
		}
	}
}

// until reads events up to and including the first of a kind.
func (c *sseClient) until(t *testing.T, kind string) []frame {
	t.Helper()
	var all []frame
	for {
		f, err := c.next()
		require.NoError(t, err, "the stream ended before %s", kind)
		all = append(all, f)
		if f.event == kind {
			return all
		}
	}
}

// eventually polls until ok says yes; the test's own deadline bounds it.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, time.Minute, 5*time.Millisecond, what)
}

func quietLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

func mustLayer(t *testing.T) *safety.Layer {
	t.Helper()
	l, err := newLayer(safetySettings{})
	require.NoError(t, err)
	return l
}
