package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
)

func TestAnObservedThreadIsSearchedAndExportedWithItsParticipant(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	space := s.Observe("ann", "lab")
	_, scout := space.AskScout("Do the tests pass?")
	space.Add(scout, session.TurnCompleted{Conclusion: space.Text("They should.")})
	found := s.Get("ann", "/api/chat/search?q=knows&participant=scout").JSON()
	hits := found["hits"].([]any)
	require.Len(t, hits, 1, "the same words of planner's are not scout's")
	assert.Equal(t, "asked_reason", hits[0].(map[string]any)["field"])
	assert.Equal(t, "scout", hits[0].(map[string]any)["participant"])
	for format, want := range map[string]string{
		"md": "The agent is `scout` in the space `lab`.", "html": "The agent is <code>scout</code> in the space",
		"jsonl": `"conclusion":"They should."`,
	} {
		r := s.Get("ann", "/api/chat/export?thread_id="+space.Scout+"&format="+format)
		require.Equal(t, http.StatusOK, r.Status, r.Body)
		assert.Contains(t, r.Body, want, format)
	}
}
