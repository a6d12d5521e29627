package jobs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

func TestSealedReasoningOfAWorkerIsShownByItsSize(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	id, token := s.NewJob("x")
	require.Equal(t, 200, s.PostEvents(id, token, `[{"event":"reasoning",
		"sealed":{"kind":"encrypted","bytes":1200,"tokens":310},"tool_decisions":[{"tool_name":"ls"}]},
		{"event":"reasoning","answer":true,"sealed":{"kind":"signature"}}]`).Status)
	turn := s.Do("ann", "GET", "/api/jobs/"+id, "").JSON()["turns"].([]any)[0].(map[string]any)
	assert.Equal(t, []any{
		map[string]any{"step": 1.0, "kind": "encrypted", "bytes": 1200.0, "tokens": 310.0},
		map[string]any{"step": 2.0, "answer": true, "kind": "signature"},
	}, turn["sealed_reasoning"])
	for _, bad := range []string{`{"kind":"secret"}`, `{}`, `{"kind":"encrypted","bytes":-1}`,
		`{"kind":"encrypted","tokens":9000000000}`, `"c2VhbGVk"`} {
		answer := s.PostEvents(id, token, `{"event":"reasoning","sealed":`+bad+`}`)
		assert.Equal(t, 400, answer.Status, "%s: %s", bad, answer.Body)
		assert.NotContains(t, answer.Body, "c2VhbGVk")
	}
}
