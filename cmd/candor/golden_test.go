package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/access"
)

var update = flag.Bool("update", false, "rewrite the goldens of testdata/turns")

// goldenCase is the case.json of a folder in testdata/turns.
type goldenCase struct {
	About            string `json:"about"` // what the case pins down
	Message          string `json:"message"`
	InterruptAfterMS int    `json:"interrupt_after_ms"`
	// Approvals are answered a second after their calls asked: action by call.
	Approvals map[string]string `json:"approvals"`
}

const goldenSession = "550e8400-e29b-41d4-a716-446655440000"

// TestTurns runs each case through the real dispatcher, safety layer, log and
// handlers, and compares what history, the stream and an export say.
func TestTurns(t *testing.T) {
	folders, err := filepath.Glob("../../testdata/turns/*/case.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(folders), 13)
	for _, f := range folders {
		dir := filepath.Dir(f)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var got views
			synctest.Test(t, func(t *testing.T) { got = playCase(t, dir) })
			compare(t, filepath.Join(dir, "history.json"), got.history)
			compare(t, filepath.Join(dir, "stream.sse"), got.stream)
			compare(t, filepath.Join(dir, "agui.sse"), got.agui)
			compare(t, filepath.Join(dir, "export.md"), got.export)
			assertNoFixture(t, got.history+got.stream+got.agui+got.export)
		})
	}
}

// views are what a case yields.
type views struct{ history, stream, agui, export string }

func playCase(t *testing.T, dir string) views {
	var c goldenCase
	require.NoError(t, json.Unmarshal(fill(t, filepath.Join(dir, "case.json")), &c))
	p := newPlay(t, fill(t, filepath.Join(dir, "script.json")))
	defer p.close()

	p.post("/api/chat/thread/new", "")
	sent := p.post("/api/chat/send", string(mustJSON(t, map[string]string{"content": c.Message})))
	if c.InterruptAfterMS > 0 {
		time.Sleep(time.Duration(c.InterruptAfterMS) * time.Millisecond) // fake time: in a bubble
		p.post("/api/chat/interrupt", "{}")
	}
	p.answer(c.Approvals, sent["thread_id"].(string))
	time.Sleep(5 * time.Second) // fake time: in a bubble
	var indented bytes.Buffer
	require.NoError(t, json.Indent(&indented, []byte(p.get("/api/chat/history?thread_id="+sent["thread_id"].(string))), "", "  "))
	agui := p.get("/agui/threads/" + sent["thread_id"].(string) + "/events?after=" + goldenSession[:8] + "-0")
	export := p.get("/api/chat/export?format=md&thread_id=" + sent["thread_id"].(string))
	return views{indented.String(), p.stopStream(), agui, export}
}

// play is an app whose stream is being read, in one goroutine and without a socket.
type play struct {
	t      *testing.T
	app    *app
	stream *httptest.ResponseRecorder
	stop   context.CancelFunc
	wg     sync.WaitGroup
	logs   *logBuffer
}

const testToken = "a-token-for-tests-only"

func newPlay(t *testing.T, script []byte) *play {
	file := filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(file, script, 0o600))
	var s settings
	s.provider, s.script, s.workspace = "script", file, t.TempDir()
	p := &play{t: t, logs: &logBuffer{}}
	var tokens access.Tokens
	tokens.Add(access.LocalUser, testToken)
	log := slog.New(slog.NewTextHandler(p.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a, err := newApp(s, tokens, func() uuid.UUID { return uuid.MustParse(goldenSession) }, log)
	require.NoError(t, err)
	p.app = a
	p.openStream()
	return p
}

type pendingCall struct {
	Request string `json:"request_id"`
	Call    string `json:"call_id"`
}

// answer decides the calls that wait.
func (p *play) answer(actions map[string]string, thread string) {
	if len(actions) == 0 {
		return
	}
	time.Sleep(time.Second) // fake time: in a bubble
	var h struct {
		Pending []pendingCall `json:"pending_approvals"`
	}
	require.NoError(p.t, json.Unmarshal([]byte(p.get("/api/chat/history?thread_id="+thread)), &h))
	require.Len(p.t, h.Pending, len(actions))
	for _, q := range h.Pending {
		p.post("/api/chat/approval", fmt.Sprintf(`{"request_id":%q,"action":%q}`, q.Request, actions[q.Call]))
		synctest.Wait()
	}
}

func (p *play) openStream() {
	ctx, cancel := context.WithCancel(p.t.Context())
	p.stop, p.stream = cancel, httptest.NewRecorder()
	req := p.request(http.MethodGet, "/api/chat/events?last_event_id="+goldenSession[:8]+"-0", nil).WithContext(ctx)
	p.wg.Go(func() { p.app.web.ServeHTTP(p.stream, req) })
	synctest.Wait()
}

var retryHint = regexp.MustCompile(`retry: \d+`)

// stopStream ends the stream and gives what it said, its random part made even.
func (p *play) stopStream() string {
	p.stop()
	p.wg.Wait()
	return retryHint.ReplaceAllString(p.stream.Body.String(), "retry: 2000")
}

func (p *play) close() {
	p.stop()
	p.wg.Wait()
	p.app.close(p.t.Context())
}

func (p *play) request(method, path string, body io.Reader) *http.Request {
	req := httptest.NewRequest(method, path, body)
	req.Header.Set("Authorization", "Bearer "+testToken)
	req.Header.Set("Content-Type", "application/json")
	return req
}

func (p *play) post(path, body string) map[string]any {
	p.t.Helper()
	rec := httptest.NewRecorder()
	p.app.web.ServeHTTP(rec, p.request(http.MethodPost, path, strings.NewReader(body)))
	require.Less(p.t, rec.Code, 300, rec.Body.String())
	var out map[string]any
	require.NoError(p.t, json.Unmarshal(rec.Body.Bytes(), &out))
	return out
}

func (p *play) get(path string) string {
	p.t.Helper()
	rec := httptest.NewRecorder()
	p.app.web.ServeHTTP(rec, p.request(http.MethodGet, path, nil))
	require.Equal(p.t, http.StatusOK, rec.Code, rec.Body.String())
	return rec.Body.String()
}

func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err, "make golden writes it")
	assert.Empty(t, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")), "%s (-want +got)", golden)
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}
