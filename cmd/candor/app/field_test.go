package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// standIn is a model server that answers each request with its next body, and then with a whole answer.
type standIn struct {
	mu       sync.Mutex
	bodies   []standInBody
	requests []string
}

// standInBody is an answer as it stands on the wire.
type standInBody struct {
	Type string `json:"type"`
	Body string `json:"body"`
}

// done are the answers that follow the bodies of a case, by the end of their path.
var done = map[string]string{
	"completions": `{"choices":[{"message":{"content":"That was all."},"finish_reason":"stop"}]}`,
	"messages":    `{"type":"message","content":[{"type":"text","text":"That was all."}],"stop_reason":"end_turn"}`,
	"responses": `{"status":"completed","output":[{"type":"message","content":[` +
		`{"type":"output_text","text":"That was all."}]}]}`,
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, _ := io.ReadAll(r.Body)
	s.requests = append(s.requests, string(raw))
	next := standInBody{"application/json", done[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]}
	if len(s.bodies) > 0 {
		next, s.bodies = s.bodies[0], s.bodies[1:]
	}
	if next.Type == "" {
		next.Type = "text/event-stream"
	}
	w.Header().Set("Content-Type", next.Type)
	_, _ = io.WriteString(w, next.Body)
}

// TestWhatTheFieldSendsComesOutRight plays the bodies of each case of testdata/field to the whole program, and compares
// what history says of the turn, how often the model was asked, and what it was told last. With -update it writes the
// files of results.
func TestWhatTheFieldSendsComesOutRight(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(apptest.Root(t), "testdata", "field", "*.json"))
	require.NoError(t, err)
	require.Greater(t, len(files), 20)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			var c struct {
				About  string        `json:"about"`
				Server string        `json:"server"` // chat, responses or anthropic
				Bodies []standInBody `json:"bodies"`
			}
			require.NoError(t, json.Unmarshal(raw, &c))
			require.NotEmpty(t, c.About)
			got := play(t, c.Server, &standIn{bodies: c.Bodies})
			apptest.CompareGolden(t, strings.TrimSuffix(file, ".json")+".txt", got)
		})
	}
}

// play asks a model once and returns what came of it, in lines.
func play(t *testing.T, api string, model *standIn) string {
	srv := httptest.NewServer(model)
	defer srv.Close()
	apptest.HideProviders(t)
	settings := app.Settings{Model: app.ModelSettings{Provider: "openai", API: api, Name: "fake"}}
	t.Setenv("OPENAI_BASE_URL", srv.URL+"/v1")
	if api == "anthropic" {
		settings.Model.Provider, settings.Model.API = "anthropic", ""
		t.Setenv("ANTHROPIC_BASE_URL", srv.URL)
	}
	t.Setenv("OPENAI_API_KEY", "a key of nobody")
	t.Setenv("ANTHROPIC_API_KEY", "a key of nobody")
	s := apptest.StartModel(t, settings)
	thread, _ := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	page := s.Get("ann", "/api/chat/history?thread_id="+thread).JSON()
	turn := page["turns"].([]any)[0].(apptest.M)
	assert.NotContains(t, string(apptest.JSON(t, page)), "PRIVATE")
	var out strings.Builder
	line := func(name string, v any) {
		if v != nil && v != "" {
			var raw bytes.Buffer
			enc := json.NewEncoder(&raw)
			enc.SetEscapeHTML(false)
			require.NoError(t, enc.Encode(v))
			out.WriteString(name + ": " + raw.String())
		}
	}
	for _, name := range []string{"state", "response", "error", "stop", "stop_words", "step_stops"} {
		line(name, turn[name])
	}
	if why, ok := turn["reasoning"].(apptest.M); ok {
		for _, name := range []string{"narrative", "narrative_source", "thought", "narratives"} {
			line(name, why[name])
		}
		for i, d := range why["tool_decisions"].([]any) {
			d := d.(apptest.M)
			call := turn["tool_calls"].([]any)[i].(apptest.M)
			line("call", []any{d["tool_name"], d["rationale"], d["rationale_source"], d["outcome"], d["parameters"]})
			line("  text before", d["text_before"])
			line("  error", call["error"])
		}
	}
	line("requests", len(model.requests))
	if n := len(model.requests); n > 1 && !strings.Contains(model.requests[n-1], "module candor") {
		line("  told last", last(t, model.requests[n-1])) // and no file that may change
	}
	return out.String()
}

// last returns the last message of a request.
func last(t *testing.T, request string) any {
	of := apptest.Decode(t, []byte(request))
	for _, name := range []string{"messages", "input"} {
		if all, ok := of[name].([]any); ok {
			return all[len(all)-1]
		}
	}
	return nil
}
