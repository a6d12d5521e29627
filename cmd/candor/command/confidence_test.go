package command_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// What becomes of a decision with a confidence of 0.5.
func TestTheFlagsSayWhatBecomesOfAnUnsureDecision(t *testing.T) {
	apptest.HideProviders(t)
	script := apptest.ScriptFile(t, json.RawMessage(`{"steps": [{"tool_calls": [{"name": "decide", "arguments":
		{"rationale": "the tests pass", "decision": "ship", "confidence": 0.5}}]}, {"text": "done"}]}`))
	const runs, asks = `"by": "agent"`, "a confidence of 0.5 is below the threshold of "
	for _, tt := range []struct {
		name  string
		flags []string
		env   map[string]string
		want  string
	}{
		{"no model is asked by default", nil, nil, "there is no tool of this name"},
		{"a person is asked", []string{"--confidence"}, nil, asks + "0.7"},
		{"a person is asked below the threshold given", []string{"--confidence", "--confidence-threshold", "0.6"}, nil,
			asks + "0.6"},
		{"a lower threshold", []string{"--confidence", "--confidence-threshold", "0.5"}, nil, runs},
		{"a threshold of 0 is one", []string{"--confidence", "--confidence-threshold", "0"}, nil, runs},
		{"calls below it run", []string{"--confidence", "--low-confidence", "continue"}, nil, runs},
		{"an orchestrator asks, too", []string{"--confidence", "--low-confidence", "orchestrator"}, nil, asks + "0.7"},
		{"the environment sets them", nil, map[string]string{
			"CANDOR_CONFIDENCE": "true", "CANDOR_CONFIDENCE_THRESHOLD": "0.8", "CANDOR_LOW_CONFIDENCE": "ask",
		}, asks + "0.8"},
		{"a rule may deny it", []string{"--confidence", "--deny", "decide"}, nil, "not allowed here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			args := append([]string{"chat", "--provider", "script", "--script", script}, tt.flags...)
			out, _, err := runCandor(t, "", append(args, "go")...)
			require.NoError(t, err)
			assert.Contains(t, out, tt.want)
		})
	}
}
