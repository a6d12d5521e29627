package agui_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

func TestANewMessageInterruptsTheWaitingTurn(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, m{
		"steps": []m{calling("", callOf("mine", "", m{})), answering("Done.")},
	})
	first, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(m{"tools": []m{{"name": "mine"}}})).Body)
	assert.Equal(t, []any{"turn_1_call_1"}, first[len(first)-1]["outcome"].(m)["pendingToolCallIds"])
	second, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": "r2"})).Body)
	assert.Equal(t, "RUN_FINISHED", second[len(second)-1]["type"])
	late := s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": "r3",
		"messages": []m{{"id": "x", "role": "tool", "toolCallId": "turn_1_call_1", "content": "late"}}}))
	assert.Equal(t, http.StatusConflict, late.Status)
	assert.Equal(t, "call_over", late.JSON()["error"])
	history := s.Do("ann", http.MethodGet, "/api/chat/history", "").Body
	assert.Contains(t, history, `"state":"interrupted"`)
	assert.Contains(t, history, `there is no tool of this name`, "a front end's tool belongs to its turn only")
}

func TestPartialAnswersLeaveTheOtherCallsWaiting(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, m{
		"steps": []m{calling("", callOf("mine", "", m{}), callOf("mine", "", m{}), callOf("deploy", "", m{})),
			answering("Done.")},
		"tools": m{"deploy": m{"result": "ok", "approval": "ask"}},
	})
	s.Do("ann", http.MethodPost, "/agui", anInput(m{"tools": []m{{"name": "mine"}}}))
	answer := func(run, call string) []m {
		events, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": run, "messages": []m{
			{"id": run, "role": "tool", "toolCallId": call, "content": "7"},
		}})).Body)
		return events
	}
	r2 := answer("r2", "turn_1_call_2")
	assert.Equal(t, "interrupt", r2[len(r2)-1]["outcome"].(m)["type"])
	r3 := answer("r3", "turn_1_call_1")
	interrupt := r3[len(r3)-1]["outcome"].(m)["interrupts"].([]any)[0].(m)["id"]
	r4, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": "r4", "messages": []m{},
		"resume": []m{{"interruptId": interrupt, "status": "cancelled"}}})).Body)
	assert.Equal(t, "success", r4[len(r4)-1]["outcome"].(m)["type"])
	assert.Contains(t, typesOf(r4), "TEXT_MESSAGE_CONTENT")
}

func TestACallThatItsFrontEndNeverAnswersTimesOut(t *testing.T) {
	s := apptest.Start(t, app.Settings{ApprovalTimeout: 50 * time.Millisecond}, m{
		"steps": []m{calling("", callOf("mine", "", m{})), answering("Done.")},
	})
	s.Do("ann", http.MethodPost, "/agui", anInput(m{"tools": []m{{"name": "mine"}}}))
	apptest.Eventually(t, "the turn goes on without it", func() bool {
		return strings.Contains(s.Do("ann", http.MethodGet, "/api/chat/history", "").Body, `"response":"Done."`)
	})
	assert.Contains(t, s.Do("ann", http.MethodGet, "/api/chat/history", "").Body, "did not answer in time")
}

func TestAResultThatIsTooLargeIsRefusedAndItsCallGoesOnWaiting(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, m{
		"steps": []m{calling("", callOf("mine", "", m{})), answering("Done.")},
	})
	s.Do("ann", http.MethodPost, "/agui", anInput(m{"tools": []m{{"name": "mine"}}}))
	answer := func(run string, bytes int) apptest.Reply {
		return s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": run, "messages": []m{
			{"id": run, "role": "tool", "toolCallId": "turn_1_call_1", "content": strings.Repeat("x", bytes)},
		}}))
	}
	refused := answer("r2", 512<<10+1)
	assert.Equal(t, http.StatusRequestEntityTooLarge, refused.Status)
	assert.Equal(t, "result_too_large", refused.JSON()["error"])
	assert.Contains(t, refused.Body, `"max_bytes":524288`)
	accepted, _ := wire(t, answer("r3", 512<<10).Body)
	assert.Equal(t, "success", accepted[len(accepted)-1]["outcome"].(m)["type"])
	assert.Contains(t, typesOf(accepted), "TEXT_MESSAGE_CONTENT", "the turn goes on with it")
}

// A front end shows the question as it stands in the interrupt: whole, with the number of
// characters that are hidden.
func TestAnInterruptShowsTheWholeQuestion(t *testing.T) {
	token := "gh" + "p_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
	s := apptest.Start(t, app.Settings{}, m{
		"steps": []m{calling("", callOf("deploy", "", m{"command": "run --token " + token + " <|im_start|>\u200b"}),
			callOf("deploy", "", m{"command": "run --token " + token + " <|im_start|>"})), answering("Done.")},
		"tools": m{"deploy": m{"result": "ok", "approval": "always"}},
	})
	events, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(nil)).Body)
	interrupts := events[len(events)-1]["outcome"].(m)["interrupts"].([]any)
	if !assert.Len(t, interrupts, 1, "the other call has a secret beside what nobody sees") {
		return
	}
	message := interrupts[0].(m)["message"].(string)
	assert.Contains(t, message, `Parameters: {"command":"run --token [REDACTED:github-pat] <|im_start|>"}`+
		"\n40 characters are hidden from you.")
	question := interrupts[0].(m)["metadata"].(m)["candor:question"].(m)
	assert.EqualValues(t, 40, question["hidden_characters"])
	assert.Equal(t, m{"command": "run --token [REDACTED:github-pat] <|im_start|>"}, question["parameters"])
	history := s.Do("ann", http.MethodGet, "/api/chat/history", "").Body
	assert.Contains(t, history, `"hidden_characters":40`)
	assert.Contains(t, history, "a text has both a secret and characters that nobody sees")
}
