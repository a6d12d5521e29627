package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// TestSpaces posts the messages of each case of testdata/mew, which are the examples of ADR-t8k
// and ADR-k9j, to the gateway, and compares what becomes of them in history, stream and export.
func TestSpaces(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(apptest.Root(t), "testdata", "mew", "*", "envelopes.jsonl"))
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var got views
			synctest.Test(t, func(t *testing.T) { got = playSpace(t, file) })
			apptest.CompareGolden(t, filepath.Join(dir, "history.json"), got.history)
			apptest.CompareGolden(t, filepath.Join(dir, "stream.sse"), got.stream)
			apptest.CompareGolden(t, filepath.Join(dir, "export.md"), got.export)
		})
	}
}

// playSpace posts the messages of a file, a second after each other, by their authors.
func playSpace(t *testing.T, file string) views {
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var messages []string
	authors := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		var m struct{ From string }
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		messages, authors[m.From] = append(messages, line), true
	}
	model := apptest.ReadFixture(t, apptest.TurnsDir(t, "no-tools", "script.json"))
	p := apptest.NewPlay(t, model, func(s *app.Settings) {
		s.MEW.SpacesFile = apptest.SpacesFile(t, authors)
	})
	defer p.Close()
	for _, m := range messages {
		time.Sleep(time.Second) // fake time
		synctest.Wait()
		postMessage(t, p.App, m)
	}
	time.Sleep(time.Second) // fake time
	synctest.Wait()
	got := views{}
	for _, thread := range observedThreads(t, p) {
		var indented bytes.Buffer
		require.NoError(t, json.Indent(&indented, []byte(p.Get("/api/chat/history?thread_id="+thread)), "", "  "))
		got.history += indented.String()
		got.export += p.Get("/api/chat/export?format=md&thread_id=" + thread)
	}
	got.stream = p.StopStream()
	return got
}

// postMessage posts a message as the participant that it is from.
func postMessage(t *testing.T, h http.Handler, message string) {
	t.Helper()
	var m struct{ From string }
	require.NoError(t, json.Unmarshal([]byte(message), &m))
	path := fmt.Sprintf("http://localhost/mew/participants/%s/messages?space=lab", m.From)
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(message))
	r.Header.Set("Authorization", "Bearer "+apptest.TokenOf(m.From))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	assert.Equal(t, http.StatusOK, w.Code, w.Body.String())
}

// observedThreads returns the ids of the threads of the space, in the order of their opening.
func observedThreads(t *testing.T, p *apptest.Play) (ids []string) {
	t.Helper()
	var list struct {
		Threads []observedThread `json:"threads"`
	}
	require.NoError(t, json.Unmarshal([]byte(p.Get("/api/chat/threads")), &list))
	slices.SortFunc(list.Threads, func(a, b observedThread) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for _, th := range list.Threads {
		if th.Origin != nil {
			ids = append(ids, th.ID)
		}
	}
	return ids
}

type observedThread struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"created_at"`
	Origin    *struct{} `json:"origin"`
}
