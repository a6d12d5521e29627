package agui_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAClientOfAGUIHasAPlainRun(t *testing.T) {
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

func TestAClientOfAGUIIsShownWhyEachToolWasCalled(t *testing.T) {
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
		assert.JSONEq(t, `{"query":"deploy"}`, call.Function.Arguments, "the reason is no argument")
		assert.Equal(t, `["ok"]`, r.message(t, "turn_1_call_1_result").Content)
		assert.Equal(t, "12:00", r.message(t, "turn_1_call_3_result").Content)
		assert.Equal(t, "success", r.outcome())

		history := s.Do("ann", http.MethodGet, "/api/chat/history", "").Body
		assert.Contains(t, history, `"rationale":"the log says what happened"`, "the run is in history like any other")
	})
}

func TestAFrontEndRunsItsOwnToolAndTheTurnGoesOn(t *testing.T) {
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
			"what we run ourselves is not held up")
		if client == "1" {
			assert.Equal(t, []any{"turn_1_call_1"}, r[0].Finished.Event["outcome"].(m)["pendingToolCallIds"])
			assert.Equal(t, []string{"turn_1_call_3"}, r[1].Finished.Pending)
		}
		assert.NotContains(t, r[1].types(), "TOOL_CALL_RESULT", "the client has the result: it gave it")
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
				assert.NotContains(t, r[1].types(), "TOOL_CALL_START", "the call is the one of the run before")
				assert.Equal(t, "success", r[1].outcome())
				assert.Equal(t, "Done.", r[1].message(t, "turn_1_response").Content)
			})
		})
	}
}

func TestASubAgentsQuestionInterruptsTheRun(t *testing.T) {
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
		assert.Contains(t, r.types(), "STEP_FINISHED", "what was open is closed")
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
		assert.Equal(t, "error turn_failed", r[1].outcome(), "the thread is not lost")
	})
}

func TestAClientThatLeavesEndsItsRunAndNotTheTurn(t *testing.T) {
	withEach(t, func(t *testing.T, client string) {
		th := &thinker{gate: make(chan struct{})}
		model := httptest.NewServer(th)
		defer model.Close()
		t.Setenv(app.OpenAIBaseEnv, model.URL+"/v1")
		s := apptest.StartModel(t, app.Settings{Model: app.ModelSettings{Provider: "openai", Name: "m"}})
		r := drive(t, s, client, m{"say": "go", "leave": "TOOL_CALL_END"}).Runs[0]
		close(th.gate) // only now can the turn end
		assert.NotContains(t, r.types(), "RUN_FINISHED")
		apptest.Eventually(t, "the turn ends in the log", func() bool {
			return strings.Contains(s.Do("ann", http.MethodGet, "/api/chat/history", "").Body,
				`"response":"It is noon."`)
		})
	})
}

func TestAClientIsToldWhatOthersWroteIntoItsThread(t *testing.T) {
	withEach(t, func(t *testing.T, client string) {
		s := apptest.Start(t, app.Settings{}, m{
			"steps": []m{calling("I look.", callOf("clock", "for the time", m{})), answering("Noon.")},
			"tools": m{"clock": m{"result": "12:00"}},
		})
		first := drive(t, s, client, says("one")).Runs[0]
		ours := first.Events[0]["metadata"].(m)["candor:run"].(m)["thread_id"].(string)
		sent := s.Do("ann", http.MethodPost, "/api/chat/send", string(apptest.JSON(t,
			m{"content": "from the page", "thread_id": ours})))
		require.Equal(t, http.StatusAccepted, sent.Status, sent.Body)
		r := drive(t, s, client, m{"messages": append(first.Messages,
			clientMessage{raw: json.RawMessage(`{"id":"mine","role":"user","content":"two"}`)})}).Runs[0]
		assert.Contains(t, r.types(), "MESSAGES_SNAPSHOT")
		for i, words := range map[int]string{0: "one", 5: "Noon.", 6: "from the page", 11: "Noon.", 12: "two",
			17: "Noon."} {
			assert.Equal(t, words, r.Messages[i].Content, "message %d of %v", i, r.roles())
		}
		assert.Len(t, r.Messages, 18)
		assert.Equal(t, "Noon.", r.message(t, "turn_2_response").Content)
		assert.Equal(t, "for the time", r.message(t, "turn_2_call_1_rationale").Content)
		assert.Equal(t, "one", r.message(t, "said-1").Content, "its own message keeps its name")
		assert.Equal(t, "Noon.", r.message(t, "turn_3_response").Content)
	})
}

func TestAClientIsGivenAThreadAsAReplay(t *testing.T) {
	withEach(t, func(t *testing.T, client string) {
		s := apptest.Start(t, app.Settings{}, asking)
		version := map[string]string{"1": "", "0": "&protocolVersion=0.0.59"}[client]
		own := s.Session("ann")
		r := drive(t, s, client, m{"say": "go", "state": m{"page": 3}}, m{"resume": m{"status": "resolved"}},
			m{"messages": []m{}, "state": m{}, "replay": "?follow=false" + version},
			m{"messages": []m{}, "replay": "?after=" + own.ID()[:8] + "-0" + version})
		streamed, restated, replayed := r.Runs[1].Messages, r.Runs[2].Messages, r.Runs[3].Messages
		require.Len(t, restated, len(streamed))
		require.Len(t, replayed, len(streamed))
		for i := range streamed[1:] {
			assert.JSONEq(t, string(streamed[i+1].raw), string(restated[i+1].raw),
				"a snapshot restates what was streamed")
			assert.JSONEq(t, string(streamed[i+1].raw), string(replayed[i+1].raw), "a replay repeats it")
		}
		assert.Equal(t, "go", restated[0].Content)
		assert.Equal(t, m{"page": 3.0}, r.State, "the state comes with it")
	})
}

// thinker is a model server whose model calls a tool once in each turn and thinks
// aloud in a field that is not for people.
type thinker struct {
	mu     sync.Mutex
	bodies []string
	gate   chan struct{} // holds the answer back until it is closed; nil holds nothing
}

const rawThought = "the user seems to be in a hurry"

func (th *thinker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var buf bytes.Buffer
	_, _ = buf.ReadFrom(r.Body)
	th.mu.Lock()
	th.bodies = append(th.bodies, buf.String())
	th.mu.Unlock()
	delta := `{"role":"assistant","reasoning_content":"` + rawThought + `",` +
		`"tool_calls":[{"index":0,"id":"c1","type":"function",` +
		`"function":{"name":"time","arguments":"{\"rationale\":\"it was asked for\"}"}}]}`
	reason := "tool_calls"
	var in struct{ Messages []struct{ Role string } }
	if json.Unmarshal(buf.Bytes(), &in) == nil && in.Messages[len(in.Messages)-1].Role == "tool" {
		if th.gate != nil {
			<-th.gate
		}
		delta, reason = `{"role":"assistant","content":"It is noon."}`, "stop"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, chunk := range []string{
		`{"id":"1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":` + delta + `}]}`,
		`{"id":"1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"` +
			reason + `"}]}`,
		`{"id":"1","object":"chat.completion.chunk","model":"m","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18,"completion_tokens_details":{"reasoning_tokens":3}}}`,
		`[DONE]`,
	} {
		_, _ = w.Write([]byte("data: " + chunk + "\n\n"))
	}
}

func TestTheSecondTurnBringsBackReasoningAndWhatIsEncrypted(t *testing.T) {
	withEach(t, func(t *testing.T, client string) {
		th := &thinker{}
		model := httptest.NewServer(th)
		defer model.Close()
		t.Setenv(app.OpenAIBaseEnv, model.URL+"/v1")
		s := apptest.StartModel(t, app.Settings{Model: app.ModelSettings{Provider: "openai", Name: "m"}})
		r := drive(t, s, client, says("what time is it?"), says("and now?")).Runs
		for _, run := range r {
			require.Equal(t, "success", run.outcome(), "%v", run.Error)
			assert.Contains(t, run.types(), "REASONING_ENCRYPTED_VALUE")
		}
		sealed := r[0].message(t, "turn_1_call_1").ToolCalls[0].EncryptedValue
		require.NotEmpty(t, sealed)
		assert.Equal(t, sealed, r[1].message(t, "turn_1_call_1").ToolCalls[0].EncryptedValue)
		assert.NotContains(t, string(apptest.JSON(t, r)), rawThought,
			"thoughts that are not for people reach no client")
		assert.NotContains(t, s.Logs.String(), "not ours", "what came back was taken for ours")
		usage := r[0].Finished.Event["usage"].([]any)[0].(m)
		assert.EqualValues(t, 22, usage["inputTokens"])
		assert.EqualValues(t, 6, usage["reasoningTokens"])
		assert.NotContains(t, usage, "cachedInputTokens", "unknown is left out")
		th.mu.Lock()
		defer th.mu.Unlock()
		require.Len(t, th.bodies, 4)
		assert.Contains(t, th.bodies[2], rawThought, "and the model has them back in the next turn")
	})
}
