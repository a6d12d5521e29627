package ask_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// TestTheBeginningOfAnIDIsEnough holds it for both tools that take a conversation, and that what cannot be told apart
// or is not there is said in words that a model can act on.
func TestTheBeginningOfAnIDIsEnough(t *testing.T) {
	s, thread := played(t)
	a := over(t, s, apptest.TokenOf("ann"))
	for _, tool := range []string{"why", "recent_decisions"} {
		whole := a.ask(tool, apptest.M{"thread_id": thread})
		assert.NotEmpty(t, whole.Decisions)
		assert.Equal(t, whole, a.ask(tool, apptest.M{"thread_id": thread[:8]}))
		for _, none := range []string{thread[:3], "none-of-them"} {
			text, failed := a.try(tool, apptest.M{"thread_id": none})
			assert.True(t, failed, text)
			assert.Contains(t, text, "there is no such thread: recent_decisions")
			assert.NotContains(t, text, "GET /api")
		}
		text, failed := over(t, s, apptest.TokenOf("bob")).try(tool, apptest.M{"thread_id": thread[:8]})
		assert.True(t, failed, text)
	}
}

// TestTwoConversationsThatBeginAlikeAreNotGuessed asks a server whose ids have the same beginning.
func TestTwoConversationsThatBeginAlikeAreNotGuessed(t *testing.T) {
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/api/chat/threads" {
			_, _ = io.WriteString(w, `{"threads":[{"id":"alike-1"},{"id":"alike-2"}]}`)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"no_thread","message":"You have no such thread."}`)
	}))
	t.Cleanup(fake.Close)
	text, failed := beside(t, fake.URL, "ann").try("why", apptest.M{"thread_id": "alike"})
	require.True(t, failed, text)
	assert.Contains(t, text, "several threads have an id that begins so")
}

func TestAnAgentIsToldThatTheIndexIsBehind(t *testing.T) {
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"hits":[],"total":0,"facets":{},"behind":true}`)
	}))
	t.Cleanup(fake.Close)
	text, failed := beside(t, fake.URL, "ann").try("search_reasons", apptest.M{"query": "ledger"})
	require.False(t, failed, text)
	assert.Contains(t, text, "The index is behind")
}
