package aimock

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/provider/anthropic"
	"candor/agent/provider/openai"
	"candor/agent/provider/retry"
	"candor/safety"
	"candor/session"
)

// backends names the providers that the loop runs on.
var backends = []string{"openai chat", "openai responses", "anthropic", "ollama"}

// provider returns the adapter for a backend, with the mock's server as its API.
func provider(t *testing.T, name, url string, through http.RoundTripper) agent.Provider {
	t.Helper()
	var p agent.Provider
	var err error
	switch name {
	case "openai chat":
		p, err = openai.New(openai.Options{BaseURL: url + "/v1", Key: "mock", Model: "o3", Transport: through})
	case "openai responses":
		p, err = openai.New(openai.Options{
			BaseURL: url + "/v1", Key: "mock", Model: "o3", API: openai.Responses, Transport: through,
		})
	case "anthropic":
		p, err = anthropic.New(anthropic.Options{
			BaseURL: url, Key: "mock", Model: "claude-opus-4-5", Transport: through,
		})
	case "ollama":
		p, err = openai.New(openai.Options{BaseURL: url + "/v1", Model: "deepseek-r1:8b", Transport: through})
	}
	require.NoError(t, err)
	return p
}

// look is a tool that returns its arguments.
type look struct{}

func (look) Spec() agent.Spec {
	return agent.Spec{Name: "look", Description: "Look at a path.", Schema: &jsonschema.Schema{
		Type: "object", Required: []string{"path"},
		Properties: map[string]*jsonschema.Schema{"path": {Type: "string"}},
	}}
}

func (look) Run(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
	return json.Marshal(map[string]json.RawMessage{"saw": args})
}

// rig is the agent loop on one backend, wired as in production.
type rig struct {
	backend    string
	store      *session.Memory
	chat       *agent.Chat
	dispatcher *agent.Dispatcher
}

func newRig(t *testing.T, backend, url string, through http.RoundTripper) *rig {
	t.Helper()
	box := &agent.Toolbox{}
	require.NoError(t, box.Replace(look{}))
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	r := &rig{backend: backend, store: session.NewMemory(nil)}
	r.dispatcher = &agent.Dispatcher{
		Tools: box, Safety: safety.NewLayer(), Log: quiet,
		Provider: retry.New(provider(t, backend, url, through), retry.Options{
			Attempts: 3, Base: 2 * time.Millisecond, Max: 20 * time.Millisecond, PerTry: 10 * time.Second, Log: quiet,
		}),
	}
	r.chat = agent.NewChat(r.store, r.dispatcher, 0)
	return r
}

func (r *rig) close(ctx context.Context) {
	r.chat.Close(ctx)
	_ = r.store.Close() // which never fails
}

// say runs one turn in a new thread and waits at most a minute for its end.
func (r *rig) say(t *testing.T, user, words string) session.Turn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := r.store.Open(ctx, user)
	if !assert.NoError(t, err) {
		return session.Turn{}
	}
	opened, err := s.OpenThread()
	assert.NoError(t, err)
	accepted, err := r.chat.Send(ctx, user, opened.Thread, words)
	assert.NoError(t, err)
	for u, err := range s.Watch(ctx, accepted.Seq-1) {
		assert.NoError(t, err)
		if u.Event.Ref == accepted.Ref && u.Turn.State.Ended() {
			return u.Turn
		}
	}
	assert.Fail(t, "the turn is stuck", "%s: %s", r.backend, words)
	return session.Turn{}
}

// checkLog checks that a log has no gap in its numbers and a rationale from the right
// source for every call. It returns the number of calls.
func (r *rig) checkLog(t *testing.T, user string) (calls int) {
	t.Helper()
	s, err := r.store.Open(t.Context(), user)
	require.NoError(t, err)
	head, next := s.Head(), uint64(1)
	for u, err := range s.Watch(t.Context(), 0) {
		require.NoError(t, err)
		require.Equal(t, next, u.Event.Seq, "the log has a gap")
		if called, ok := u.Event.Body.(session.ToolCalled); ok {
			checkReason(t, called)
			calls++
		}
		if next++; next > head {
			break
		}
	}
	return calls
}

// checkReason checks the rationale of a call. The path says whether the model gave one.
func checkReason(t *testing.T, c session.ToolCalled) {
	t.Helper()
	var params struct{ Path, Rationale string }
	require.NoError(t, json.Unmarshal(c.Params.Raw(), &params))
	assert.Empty(t, params.Rationale, "the rationale is not an argument")
	require.NotEmpty(t, c.Rationale.Text.String())
	if why, given := reasons[params.Path]; given {
		assert.Equal(t, session.FromModel, c.Rationale.Source, params.Path)
		assert.Equal(t, why, c.Rationale.Text.String())
	} else {
		assert.Equal(t, session.FromFallback, c.Rationale.Source, params.Path)
	}
}
