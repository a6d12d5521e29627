package agui_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// TestARunThatIsPostedAgainIsTheSameRun holds for a client that did not see the end of its run, or sends what it sent
// twice: nothing runs again, and it sees the run from its beginning.
func TestARunThatIsPostedAgainIsTheSameRun(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, m{
		"steps": []m{calling("I look.", callOf("look", "To see.", m{})), answering("Done.")},
		"tools": m{"look": m{"result": "ok"}},
	})
	post := func(changes m) []m {
		r := s.Do("ann", http.MethodPost, "/agui", anInput(changes))
		require.Equal(t, http.StatusOK, r.Status, r.Body)
		events, _ := wire(t, r.Body)
		return events
	}
	turns := func() int {
		return strings.Count(s.Do("ann", http.MethodGet, "/api/chat/history", "").Body, `"turn_number"`)
	}
	once := post(nil)
	first := turns()
	assert.Equal(t, once, post(nil))
	assert.Equal(t, once, post(m{"state": m{"page": 2}, "context": []m{{"description": "a", "value": "b"}}}),
		"what the client says beside it begins nothing")
	assert.Equal(t, first, turns())
	for name, changes := range map[string]m{
		"another run":     {"runId": "r2"},
		"another message": messages(m{"id": "m2", "role": "user", "content": "hello"}),
		"other words":     messages(m{"id": "m1", "role": "user", "content": "hello you"}),
	} {
		before := turns()
		post(changes)
		assert.Greater(t, turns(), before, name)
	}
	other := s.Do("bob", http.MethodPost, "/agui", anInput(nil))
	assert.Contains(t, other.Body, `"turn_number":1`, "another user's run is another one")
}

// TestAResultThatIsPostedAgainIsTheSameRun holds for the run that goes on with the result of a front end's tool.
func TestAResultThatIsPostedAgainIsTheSameRun(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, m{"steps": []m{calling("", callOf("mine", "", m{})), answering("Done.")}})
	s.Do("ann", http.MethodPost, "/agui", anInput(m{"tools": []m{{"name": "mine"}}}))
	result := func(content string) (int, string) {
		r := s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": "r2", "messages": []m{
			{"id": "x", "role": "tool", "toolCallId": "turn_1_call_1", "content": content}}}))
		return r.Status, r.Body
	}
	status, once := result("sunny")
	require.Equal(t, http.StatusOK, status, once)
	status, again := result("sunny")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, again, "Done.")
	status, other := result("rainy")
	assert.Equal(t, http.StatusConflict, status, other)
}
