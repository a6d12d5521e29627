package jobs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

func TestWhatAWorkerSpentIsTheSumOfItsTurn(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	id, token := s.NewJob("x")
	require.Equal(t, 200, s.PostEvents(id, token, `[
		{"event":"reasoning",
		 "usage":{"input_tokens":100,"output_tokens":20,"reasoning_tokens":5,"cost_nanodollars":30000000},
		 "tool_decisions":[{"tool_name":"ls"}]},
		{"event":"message","content":"Done.","usage":{"output_tokens":7,"cost_nanodollars":10000000}}]`).Status)
	usage := func() any {
		return s.Do("ann", "GET", "/api/jobs/"+id, "").JSON()["turns"].([]any)[0].(map[string]any)["usage"]
	}
	assert.Equal(t, map[string]any{"input_tokens": 100.0, "output_tokens": 27.0, "reasoning_tokens": 5.0,
		"cost_nanodollars": 4e7, "cost": "$0.04"}, usage())
	for _, bad := range []string{`{"input_tokens":-1}`, `{"output_tokens":9000000000}`, `{"cost_nanodollars":-1}`,
		`{"cost_nanodollars":1000000000000001}`, `"much"`} {
		for _, event := range []string{`"reasoning"`, `"message","content":"x"`} {
			answer := s.PostEvents(id, token, `{"event":`+event+`,"usage":`+bad+`}`)
			assert.Equal(t, 400, answer.Status, "%s %s: %s", event, bad, answer.Body)
		}
	}
	require.Equal(t, 200, s.PostEvents(id, token,
		`{"event":"reasoning","usage":{"input_tokens":1},"tool_decisions":[{"tool_name":"ls"}]}`).Status)
	assert.Equal(t, map[string]any{"input_tokens": 101.0, "output_tokens": 27.0, "reasoning_tokens": 5.0}, usage(),
		"a sum of which a part is unknown is unknown")
}
