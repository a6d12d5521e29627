package agui_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// TestAClientMayAskForShortEvents holds that no text is lost: what a client puts together comes in more pieces.
func TestAClientMayAskForShortEvents(t *testing.T) {
	words := strings.TrimSpace(strings.Repeat("wörd ", 12_000))
	s := apptest.Start(t, app.Settings{}, m{
		"steps": []m{calling("I look.", callOf("look", "To see.", m{"text": words})), answering(words)},
		"tools": m{"look": m{"result": words}},
	})
	for _, route := range [][2]string{ // the first makes the thread that the second reads
		{http.MethodPost, "/agui?max_event_bytes=8192"},
		{http.MethodGet, "/agui/threads/theirs/events?max_event_bytes=8192"},
	} {
		method, path := route[0], route[1]
		body := ""
		if method == http.MethodPost {
			body = anInput(nil)
		}
		r := s.Do("ann", method, path, body)
		require.Equal(t, http.StatusOK, r.Status, r.Body)
		for line := range strings.Lines(r.Body) {
			assert.LessOrEqual(t, len(line), 8192, path)
		}
		if method == http.MethodGet {
			continue // a snapshot has the end of it
		}
		events, _ := wire(t, r.Body)
		answer, arguments := "", ""
		for _, e := range events {
			switch e["type"] {
			case "TEXT_MESSAGE_CONTENT":
				answer += e["delta"].(string)
			case "TOOL_CALL_ARGS":
				arguments += e["delta"].(string)
			}
		}
		assert.Equal(t, words, answer)
		var got m
		require.NoError(t, json.Unmarshal([]byte(arguments), &got))
		assert.Equal(t, words, got["text"])
	}
	bad := s.Do("ann", http.MethodPost, "/agui?max_event_bytes=1", anInput(m{"runId": "r2"}))
	assert.Equal(t, http.StatusBadRequest, bad.Status)
}

// TestEveryStreamContinuesUnderAllNamesOfTheCursor holds for all routes with a stream, and that a name which none of
// them has is refused.
func TestEveryStreamContinuesUnderAllNamesOfTheCursor(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, m{"steps": []m{answering("Done.")}})
	first := s.Do("ann", http.MethodPost, "/agui", anInput(nil))
	require.Equal(t, http.StatusOK, first.Status)
	for path, status := range map[string]int{
		"/agui/threads/theirs/events?lastEventId=nonsense":   http.StatusBadRequest,
		"/agui/threads/theirs/events?Last-Event-ID=nonsense": http.StatusBadRequest,
		"/agui/threads/theirs/events?after=nonsense":         http.StatusBadRequest,
		"/agui/threads/theirs/events?cursor=1":               http.StatusBadRequest,
		"/api/chat/events?lastEventId=nonsense":              http.StatusBadRequest,
		"/api/chat/events?Last-Event-ID=nonsense":            http.StatusBadRequest,
		"/api/chat/events?since=1":                           http.StatusBadRequest,
		"/api/chat/events?after=1":                           http.StatusBadRequest,
		"/api/chat/events?max_event_bytes=x":                 http.StatusBadRequest,
	} {
		r := s.Do("ann", http.MethodGet, path, "")
		assert.Equal(t, status, r.Status, fmt.Sprint(path, r.Body))
	}
}
