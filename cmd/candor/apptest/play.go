package apptest

import (
	"context"
	"encoding/json"
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

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/web/access"
)

// PlaySession is the id of the session of every Play.
const PlaySession = "550e8400-e29b-41d4-a716-446655440000"

// Play is an app inside a synctest bubble, with one event stream open, without a
// socket. Every time in it is fake, so that what it says is the same on every run.
type Play struct {
	App *app.App

	t      *testing.T
	server http.Handler // the app
	stream *httptest.ResponseRecorder
	stop   context.CancelFunc
	wg     sync.WaitGroup
}

// NewPlay starts an app that replays a script, with an empty folder as its workspace. It
// has to be called inside synctest.Test, where time stands still while any goroutine
// runs: a delay of the script costs no real time, and timestamps are the same on every
// run. The caller closes the play before the bubble ends, which synctest requires. Each of
// change adapts the settings.
func NewPlay(t *testing.T, script []byte, change ...func(*app.Settings)) *Play {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(file, script, 0o600))
	var tokens access.Tokens
	tokens.Add(access.LocalUser, Token)
	s := app.Settings{
		Model: app.ModelSettings{Provider: "script", Script: file},
		Tools: app.ToolSettings{Workspace: t.TempDir()},
	}
	for _, f := range change {
		f(&s)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a, err := app.New(s, tokens, func() uuid.UUID { return uuid.MustParse(PlaySession) }, log)
	require.NoError(t, err)
	p := &Play{t: t, App: a, server: watched(t, a)}
	p.openStream()
	return p
}

func (p *Play) openStream() {
	ctx, cancel := context.WithCancel(p.t.Context())
	p.stop, p.stream = cancel, httptest.NewRecorder()
	req := p.request(http.MethodGet, "/api/chat/events?last_event_id="+PlaySession[:8]+"-0", nil).WithContext(ctx)
	p.wg.Go(func() { p.server.ServeHTTP(p.stream, req) })
	synctest.Wait()
}

// retryHint matches the one random part of a stream.
var retryHint = regexp.MustCompile(`retry: \d+`)

// liveText matches the text of a running step, which is not in the log.
var liveText = regexp.MustCompile(`data: \{"type":"step_text".*\nevent: step_text\n\n`)

// StopStream ends the stream and returns all that it sent from the log, with a fixed retry
// hint, for a comparison with a golden. The app goes on; Close is still due.
func (p *Play) StopStream() string {
	p.stop()
	p.wg.Wait()
	logged := liveText.ReplaceAllString(p.stream.Body.String(), "")
	return retryHint.ReplaceAllString(logged, "retry: 2000")
}

// Close ends the stream and the app.
func (p *Play) Close() {
	p.stop()
	p.wg.Wait()
	p.App.Close(p.t.Context())
}

// Answer decides the calls of the thread that wait for approval. actions maps the id of
// each such call to approve or deny; a call too many or too few fails the test.
func (p *Play) Answer(actions map[string]string, thread string) {
	p.t.Helper()
	if len(actions) == 0 {
		return
	}
	time.Sleep(time.Second) // fake time, in which every call has asked
	var history struct {
		Pending []struct {
			Request string `json:"request_id"`
			Call    string `json:"call_id"`
		} `json:"pending_approvals"`
	}
	require.NoError(p.t, json.Unmarshal([]byte(p.Get("/api/chat/history?thread_id="+thread)), &history))
	require.Len(p.t, history.Pending, len(actions))
	for _, q := range history.Pending {
		p.Post("/api/chat/approval", fmt.Sprintf(`{"request_id":%q,"action":%q}`, q.Request, actions[q.Call]))
		synctest.Wait()
	}
}

// Post sends a request and returns the answer, which has to be a success.
func (p *Play) Post(path, body string) M {
	p.t.Helper()
	rec := httptest.NewRecorder()
	p.server.ServeHTTP(rec, p.request(http.MethodPost, path, strings.NewReader(body)))
	require.Less(p.t, rec.Code, 300, rec.Body.String())
	return Decode(p.t, rec.Body.Bytes())
}

// TryPost is Post for an answer of any status.
func (p *Play) TryPost(path, body string) (status int, answer string) {
	rec := httptest.NewRecorder()
	p.server.ServeHTTP(rec, p.request(http.MethodPost, path, strings.NewReader(body)))
	return rec.Code, rec.Body.String()
}

// Get returns the body of an answer, which has to be a success.
func (p *Play) Get(path string) string {
	p.t.Helper()
	status, body := p.TryGet(path)
	require.Equal(p.t, http.StatusOK, status, body)
	return body
}

// TryGet is Get for an answer of any status.
func (p *Play) TryGet(path string) (status int, body string) {
	rec := httptest.NewRecorder()
	p.server.ServeHTTP(rec, p.request(http.MethodGet, path, nil))
	return rec.Code, rec.Body.String()
}

func (p *Play) request(method, path string, body io.Reader) *http.Request {
	req := httptest.NewRequest(method, "http://localhost"+path, body)
	req.Header.Set("Authorization", "Bearer "+Token)
	req.Header.Set("Content-Type", "application/json")
	return req
}
