package agui_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

func TestAClientCompletesPlainRuns(t *testing.T) {
	withEach(t, func(t *testing.T, client string) {
		s := apptest.Start(t, app.Settings{}, m{"steps": []m{answering("Hello to you.")}})
		r := drive(t, s, client, says("hello"), says("again")).Runs
		assert.Equal(t, []string{"RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
			"RUN_FINISHED"}, r[0].types())
		assert.Equal(t, "success", r[0].outcome())
		assert.Equal(t, []string{"user", "assistant", "user", "assistant"}, r[1].roles())
		assert.Equal(t, "Hello to you.", r[1].message(t, "turn_2_response").Content)
		assert.Equal(t, "theirs-"+client, r[0].Events[0]["threadId"])
		assert.Equal(t, "run-1", r[0].Events[0]["runId"])
		if client == "1" {
			assert.Equal(t, "1.0", r[0].Events[0]["protocolVersion"])
		}
	})
}

func TestAClientGetsTheReasonBeforeEachCall(t *testing.T) {
	withEach(t, func(t *testing.T, client string) {
		s := apptest.Start(t, app.Settings{}, m{
			"steps": []m{
				calling("I look at the log.", callOf("logs", "the log says what happened", m{"query": "deploy"})),
				calling("Now both at once.", callOf("logs", "once more", m{}), callOf("clock", "", m{})),
				answering("It went well."),
			},
			"tools": m{"logs": m{"result": []string{"ok"}}, "clock": m{"result": "12:00"}},
		})
		r := drive(t, s, client, says("how did it go?")).Runs[0]
		assert.Equal(t, []string{"user",
			"reasoning", "reasoning", "assistant", "tool",
			"reasoning", "reasoning", "assistant", "tool", "reasoning", "assistant", "tool",
			"assistant"}, r.roles(), "each reason before its call")
		assert.Equal(t, "I look at the log.", r.message(t, "turn_1_step_1_narrative").Content)
		why := r.message(t, "turn_1_call_1_rationale")
		assert.Equal(t, "the log says what happened", why.Content)
		if client == "1" {
			assert.Equal(t, "model", why.Metadata["candor:reasoning"].(m)["source"])
			assert.Equal(t, "fallback", r.message(t,
				"turn_1_call_3_rationale").Metadata["candor:reasoning"].(m)["source"])
			assert.Contains(t, r.message(t, "turn_1_step_1_narrative").Metadata["candor:reasoning"], "duration_ms")
		}
		call := r.message(t, "turn_1_call_1").ToolCalls[0]
		assert.Equal(t, "logs", call.Function.Name)
		assert.JSONEq(t, `{"query":"deploy"}`, call.Function.Arguments, "the reason is not an argument")
		assert.Equal(t, `["ok"]`, r.message(t, "turn_1_call_1_result").Content)
		assert.Equal(t, "12:00", r.message(t, "turn_1_call_3_result").Content)
		assert.Equal(t, "success", r.outcome())

		history := s.Do("ann", http.MethodGet, "/api/chat/history", "").Body
		assert.Contains(t, history, `"rationale":"the log says what happened"`, "history has the run, too")
	})
}

func TestATurnContinuesAfterItsFrontEndRanATool(t *testing.T) {
	tools := []m{{"name": "pick_color", "description": "Lets the user pick.",
		"parameters": m{"type": "object", "properties": m{"n": m{"type": "number"}}}}}
	withEach(t, func(t *testing.T, client string) {
		s := apptest.Start(t, app.Settings{}, m{
			"steps": []m{
				calling("Both at once.", callOf("pick_color", "only the user knows", m{"n": 2}),
					callOf("clock", "for the time", m{})),
				calling("And again.", callOf("pick_color", "a second one", m{"n": 1})),
				answering("Blue it is."),
			},
			"tools": m{"clock": m{"result": "12:00"}},
		})
		r := drive(t, s, client, m{"say": "paint", "tools": tools}, m{"answer": "blue", "tools": tools},
			m{"answer": `{"hue":240}`, "tools": tools}).Runs
		assert.Equal(t, "success", r[0].outcome())
		assert.Equal(t, "12:00", r[0].message(t, "turn_1_call_2_result").Content,
			"calls of the agent's own tools do not wait")
		if client == "1" {
			assert.Equal(t, []any{"turn_1_call_1"}, r[0].Finished.Event["outcome"].(m)["pendingToolCallIds"])
			assert.Equal(t, []string{"turn_1_call_3"}, r[1].Finished.Pending)
		}
		assert.NotContains(t, r[1].types(), "TOOL_CALL_RESULT", "the client gave the result itself")
		assert.Contains(t, r[1].types(), "STEP_FINISHED")
		assert.Equal(t, "Blue it is.", r[2].message(t, "turn_1_response").Content)
		history := s.Do("ann", http.MethodGet, "/api/chat/history", "").Body
		assert.Contains(t, history, `"turn_number":1`)
		assert.NotContains(t, history, `"turn_number":2`, "three runs are one turn")
		assert.Contains(t, history, `blue`)
	})
}

func TestAnApprovalIsAnInterruptThatTheNextRunAnswers(t *testing.T) {
	script := m{
		"steps": []m{
			calling("Two things.", callOf("deploy", "they asked for it", m{}), callOf("wipe", "to begin afresh", m{})),
			answering("Done."),
		},
		"tools": m{"deploy": m{"result": "deployed", "approval": "ask"},
			"wipe": m{"result": "wiped", "approval": "always"}},
	}
	for _, tt := range []struct {
		name, result string
		resume       m
	}{
		{"resolved without a payload", "deployed", m{"status": "resolved"}},
		{"resolved as approved", "deployed", m{"status": "resolved", "payload": m{"answer": "approve"}}},
		{"resolved as denied", "a person was asked and denied this call",
			m{"status": "resolved", "payload": m{"answer": "deny"}}},
		{"resolved as not approved", "a person was asked and denied this call",
			m{"status": "resolved", "payload": m{"approved": false}}},
		{"cancelled", "a person was asked and denied this call", m{"status": "cancelled"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			withEach(t, func(t *testing.T, client string) {
				s := apptest.Start(t, app.Settings{}, script)
				r := drive(t, s, client, says("go"), m{"resume": tt.resume}).Runs
				require.Equal(t, "interrupt", r[0].outcome())
				open := r[0].Finished.Event["outcome"].(m)["interrupts"].([]any)
				require.Len(t, open, 2)
				first := open[0].(m)
				assert.Equal(t, "tool_call", first["reason"])
				assert.Equal(t, "turn_1_call_1", first["toolCallId"])
				assert.Contains(t, first["message"], "Reason: they asked for it")
				assert.Contains(t, first, "expiresAt")
				assert.Equal(t, tt.result, r[1].message(t, "turn_1_call_1_result").Content)
				assert.NotContains(t, r[1].types(), "TOOL_CALL_START", "the call was shown in the run before")
				assert.Equal(t, "success", r[1].outcome())
				assert.Equal(t, "Done.", r[1].message(t, "turn_1_response").Content)
			})
		})
	}
}

func TestASubAgentsApprovalInterruptsTheRun(t *testing.T) {
	withEach(t, func(t *testing.T, client string) {
		s := apptest.Start(t, app.Settings{}, m{
			"steps": []m{calling("I hand it on.", callOf("helper", "it knows", m{"task": "look"}),
				callOf("clock", "meanwhile", m{})), answering("So it is.")},
			"tools": m{"clock": m{"result": "12:00"}},
			"agents": m{"helper": m{
				"steps": []m{calling("I look.", callOf("deploy", "to see", m{})), answering("I looked.")},
				"tools": m{"deploy": m{"result": "seen", "approval": "ask"}},
			}},
		})
		r := drive(t, s, client, says("go"), m{"resume": m{"status": "resolved"}}).Runs
		require.Equal(t, "interrupt", r[0].outcome())
		assert.Equal(t, "12:00", r[0].message(t, "turn_1_call_2_result").Content)
		assert.Equal(t, "So it is.", r[1].message(t, "turn_1_response").Content)
		assert.Equal(t, "seen", r[1].message(t, "turn_1_call_3_result").Content)
		if client == "1" {
			assert.Contains(t, r[0].types(), "SUBAGENT_STARTED")
			assert.Contains(t, r[1].types(), "SUBAGENT_FINISHED")
		}
	})
}

func TestAStoppedTurnEndsItsRunAsCancelled(t *testing.T) {
	withEach(t, func(t *testing.T, client string) {
		s := apptest.Start(t, app.Settings{}, m{
			"steps": []m{calling("This takes long.", callOf("slow", "as asked", m{})), answering("never")},
			"tools": m{"slow": m{"result": 1, "delay_ms": 600_000}},
		})
		r := drive(t, s, client, m{"say": "go", "interrupt": "TOOL_CALL_END"}).Runs[0]
		want := map[string]string{"1": "cancelled", "0": "error cancelled"}[client]
		assert.Equal(t, want, r.outcome())
		assert.Contains(t, r.types(), "STEP_FINISHED", "open steps are closed")
		assert.Equal(t, "Stopped together with its turn, before it ended.",
			r.message(t, "turn_1_call_1_result").Content)
	})
}

func TestAProvidersFailureIsARunError(t *testing.T) {
	withEach(t, func(t *testing.T, client string) {
		s := apptest.Start(t, app.Settings{}, m{
			"steps": []m{calling("First this.", callOf("clock", "", m{})), {"error": "the model is on strike"}},
			"tools": m{"clock": m{"result": "12:00"}},
		})
		r := drive(t, s, client, says("go"), says("again")).Runs
		assert.Equal(t, "error turn_failed", r[0].outcome())
		assert.Contains(t, r[0].Error["message"], "on strike")
		assert.Equal(t, "error turn_failed", r[1].outcome(), "the thread still accepts messages")
	})
}
