package client

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each answer of a person goes to its route, with what the person chose and nothing else.
func TestAnswersOfAPersonSayWhatWasChosen(t *testing.T) {
	var route, body string
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		route, body = r.Method+" "+r.URL.Path, string(raw)
		_, _ = w.Write([]byte(`{}`))
	})
	ctx := t.Context()
	for _, tt := range []struct {
		name, route, body string
		answer            func() error
	}{
		{"approving", "POST /api/chat/approval", `{"action":"always","request_id":"r1"}`,
			func() error { return c.Approve(ctx, "r1", "always") }},
		{"approving with other parameters", "POST /api/chat/approval/edit",
			`{"action":"approve","arguments":{"path":"b"},"request_id":"r1"}`,
			func() error { return c.ApproveEdited(ctx, "r1", "approve", json.RawMessage(`{"path":"b"}`)) }},
		{"deciding otherwise", "POST /api/chat/approval", `{"action":"approve","request_id":"r1","value":"wait"}`,
			func() error { return c.Decide(ctx, "r1", "wait") }},
		{"denying", "POST /api/chat/approval", `{"action":"deny","request_id":"r1","value":"not this"}`,
			func() error { return c.Deny(ctx, "r1", "not this") }},
		{"rating", "POST /api/chat/feedback",
			`{"call_id":"call_1","note":"why","rating":"bad","thread_id":"t","turn_number":2}`,
			func() error { return c.Rate(ctx, "t", 2, "call_1", "bad", "why") }},
	} {
		require.NoError(t, tt.answer(), tt.name)
		assert.Equal(t, tt.route, route, tt.name)
		assert.JSONEq(t, tt.body, body, tt.name)
	}
}

func TestATurnTellsOfItsSteps(t *testing.T) {
	var turn Turn
	require.NoError(t, json.Unmarshal([]byte(`{"created_at":"2026-05-01T10:00:00Z","started_at":"2026-04-01T10:00:00Z",
		"step_stops":[{"step":2,"stop":"length","stop_words":"cut off at the model's limit"}]}`), &turn))
	assert.Equal(t, "length", turn.StopOf("", 2).Stop)
	assert.Zero(t, turn.StopOf("", 1))
	assert.Zero(t, turn.StopOf("helper", 2))
	assert.Equal(t, time.April, turn.Began().Month(), "a watched agent began before the server heard of it")
	turn.StartedAt = nil
	assert.Equal(t, time.May, turn.Began().Month())
	assert.True(t, Confidence{Stated: 0.5, Threshold: 0.7}.Low())
	assert.False(t, Confidence{Stated: 0.7, Threshold: 0.7}.Low())
}
