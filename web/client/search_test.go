package client

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASearchAsksForWordsAndFacetsAndKeepsTheAnswer(t *testing.T) {
	const answer = `{"hits":[{"thread_id":"t","turn_number":4,"call_id":"call_1","tool_name":"delete_file",
		"tool":[{"text":"delete","match":true},{"text":"_file"}]}],"total":9,"searched":{"decisions":12,"places":2}}`
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/api/chat/search", r.URL.Path)
		assert.Equal(t, "limit=5&offset=10&outcome=error&outcome=rejected&q=delete+%26+more", r.URL.RawQuery)
		_, _ = w.Write([]byte(answer))
	})
	found, err := c.Search(t.Context(), Search{Words: "delete & more", Limit: 5, Offset: 10,
		Want: map[string][]string{"outcome": {"error", "rejected"}}})
	require.NoError(t, err)
	assert.Equal(t, []Hit{{ThreadID: "t", TurnNumber: 4, CallID: "call_1", Tool: "delete_file",
		Name: []Part{{"delete", true}, {"_file", false}}}}, found.Hits)
	assert.Equal(t, Searched{Decisions: 12, Places: 2}, found.Searched)
	assert.JSONEq(t, answer, string(found.Raw), "for programs")

	broken := serving(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`["no object"]`)) })
	_, err = broken.Search(t.Context(), Search{})
	assert.ErrorContains(t, err, "its response is not that of a Candor server")
	refused := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(400)
		_, _ = w.Write([]byte(`{"error":"bad_query","message":"Search for less."}`))
	})
	_, err = refused.Search(t.Context(), Search{})
	assert.True(t, Is(err, "bad_query"), "%v", err)
}
