//go:build realagents

package realtest

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/transcript"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// exporting returns a player whose hooks and telemetry go to a real server as ann's.
func exporting(t *testing.T) (*player, *apptest.Server) {
	t.Helper()
	p := newPlayer(t)
	s := apptest.Start(t, app.Settings{}, nil)
	p.token = apptest.TokenOf("ann")
	p.attach(t, commands(t).Reporting(), s.HTTP.URL)
	p.exporter = []string{"CLAUDE_CODE_ENABLE_TELEMETRY=1", "OTEL_LOGS_EXPORTER=otlp",
		"OTEL_EXPORTER_OTLP_PROTOCOL=http/json", "OTEL_EXPORTER_OTLP_ENDPOINT=" + s.HTTP.URL,
		"OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer " + p.token, // the program does not decode it
		"OTEL_LOG_USER_PROMPTS=1", "OTEL_LOG_ASSISTANT_RESPONSES=1", "OTEL_LOG_TOOL_DETAILS=1",
		"CLAUDE_CODE_OTEL_SHUTDOWN_TIMEOUT_MS=60000", "CLAUDE_CODE_OTEL_FLUSH_TIMEOUT_MS=60000"}
	return p, s
}

// TestTelemetryHooksAndFileOfTheRealProgramTellOneDecision holds that three channels of one session make one turn, in
// which each call that the stand-in asked for is one decision that all three told, and each text is there once.
func TestTelemetryHooksAndFileOfTheRealProgramTellOneDecision(t *testing.T) {
	p, s := exporting(t)
	p.prompt(t, "PLAN:one go", "--session-id", session)
	files := transcript.Walk{Places: []string{p.home}, Send: func(_ context.Context, batch []byte, _ int) error {
		r := s.Post("ann", "/api/attached", string(batch))
		assert.Equal(t, http.StatusOK, r.Status, r.Body)
		return nil
	}}
	require.NoError(t, files.Once(t.Context()))
	p.model.mu.Lock()
	defer p.model.mu.Unlock()
	wanted, texts := asJoined(t, p.model.sent)
	got, told := joined(t, s)
	assert.ElementsMatch(t, wanted, got)
	assert.ElementsMatch(t, texts, told)
	assert.Empty(t, p.model.Strayed())
}

// asJoined returns what has to come of answers: a line for each call, with its agent, its step and how it ends by the
// plan, and the texts.
func asJoined(t *testing.T, sent []said) (calls, texts []string) {
	t.Helper()
	ends := map[string]string{failedCall: "error", refusedCall: "rejected"}
	steps := map[string]int{}
	for _, a := range sent {
		steps[a.Plan]++
		texts = append(texts, a.Text)
		for _, c := range a.Calls {
			agent := map[string]any{"sub": "general-purpose_1"}[a.Plan]
			calls = append(calls, line(t, agent, steps[a.Plan], c.Tool, c.Input, cmp.Or(ends[c.ID], "success"),
				len(a.Calls) > 1, []attach.Channel{attach.File, attach.Hooks, attach.Telemetry}))
		}
	}
	return calls, texts
}

// joined returns the decisions and the texts that ann's only turn has, in the form of asJoined.
func joined(t *testing.T, s *apptest.Server) (calls, texts []string) {
	t.Helper()
	threads := s.Session("ann").Threads()
	require.Len(t, threads, 1)
	turns := s.Get("ann", "/api/chat/history?thread_id="+threads[0].ID).JSON()["turns"].([]any)
	require.Len(t, turns, 1)
	turn := turns[0].(apptest.M)
	assert.Equal(t, "PLAN:one go", turn["user_input"])
	assert.Equal(t, "completed", turn["state"])
	reasons := turn["reasoning"].(apptest.M)
	for _, one := range reasons["tool_decisions"].([]any) {
		d := one.(apptest.M)
		assert.Equal(t, "fallback", d["rationale_source"], "nobody gave a reason")
		calls = append(calls, line(t, d["agent"], d["step"], d["tool_name"], d["parameters"], d["outcome"],
			d["parallel_group"] != nil, d["sighted"].(apptest.M)["called"]))
	}
	texts = append(texts, turn["response"].(string))
	for _, one := range reasons["narratives"].([]any) {
		texts = append(texts, one.(apptest.M)["narrative"].(string))
	}
	return calls, texts
}

// line writes values as JSON, which is the same for equal ones.
func line(t *testing.T, values ...any) string {
	t.Helper()
	raw, err := json.Marshal(values)
	require.NoError(t, err)
	return string(raw)
}
