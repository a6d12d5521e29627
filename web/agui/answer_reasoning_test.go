package agui_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
)

// threeTurns are an answer, a call with an answer, and an answer.
var threeTurns = []m{says("hello"), says("what time is it?"), says("thanks")}

func TestTheReasoningOfEveryStepReturnsToTheModelOverThreeTurns(t *testing.T) {
	for _, protocol := range []string{"chat", "messages", "responses"} {
		t.Run(protocol, func(t *testing.T) {
			withEach(t, func(t *testing.T, client string) {
				re := &reasoner{protocol: protocol}
				s := startReasoner(t, re, app.Settings{})
				r := drive(t, s, client, threeTurns...).Runs
				for _, run := range r {
					require.Equal(t, "success", run.outcome(), "%v", run.Error)
				}
				re.checked(t, 4)
				assert.Equal(t, []string{"RUN_STARTED", "STEP_STARTED", "REASONING_START", "REASONING_MESSAGE_START",
					"REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "REASONING_END", "REASONING_ENCRYPTED_VALUE",
					"TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "STEP_FINISHED", "RUN_FINISHED",
				}, r[0].types())
				assert.Equal(t, []string{"user", "reasoning", "assistant",
					"user", "reasoning", "reasoning", "assistant", "tool", "reasoning", "assistant",
					"user", "reasoning", "assistant"}, r[2].roles())
				for id, text := range map[string]string{
					"turn_1_step_1_narrative": "I weigh step 1.", "turn_2_step_1_narrative": "I weigh step 2.",
					"turn_2_step_2_narrative": "I weigh step 3.", "turn_3_step_1_narrative": "I weigh step 4.",
				} {
					why := r[2].message(t, id)
					assert.Equal(t, text, why.Content)
					assert.Equal(t, id != "turn_2_step_1_narrative", why.EncryptedValue != "",
						"%s: a step with calls has its value on its first call", id)
					if client == "1" {
						assert.Equal(t, "summary", why.Metadata["candor:reasoning"].(m)["source"])
					}
				}
				assert.Equal(t, r[0].message(t, "turn_1_step_1_narrative").EncryptedValue,
					r[2].message(t, "turn_1_step_1_narrative").EncryptedValue)
				assert.NotEmpty(t, r[2].message(t, "turn_2_call_1").ToolCalls[0].EncryptedValue)
				assert.NotContains(t, string(apptest.JSON(t, r)), "blob", "clients cannot read the reasoning")
				assert.NotContains(t, s.Logs.String(), "not ours", "the returned values were accepted")
			})
		})
	}
}

func TestTheClientsReasoningHelpsWhereTheServerLostIt(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a session")
	}
	withEach(t, func(t *testing.T, client string) {
		re := &reasoner{protocol: "responses"}
		s := startReasoner(t, re, app.Settings{})
		before := drive(t, s, client, says("hello"), says("what time is it?")).Runs[1]
		// This is more reasoning than the server keeps for a user.
		for _, words := range []string{"flood 1", "flood 2", "flood 3"} {
			thread, _ := s.Begin("ann")
			s.Send("ann", thread, words)
			for up, err := range s.Session("ann").Watch(t.Context(), 0) { // it is long, so no bound of time
				require.NoError(t, err)
				if up.Event.Thread == thread && up.Turn.State.Ended() {
					require.Equal(t, session.Completed, up.Turn.State)
					break
				}
			}
		}
		after := drive(t, s, client, m{"messages": append(before.Messages,
			clientMessage{raw: json.RawMessage(`{"id":"mine","role":"user","content":"thanks"}`)})}).Runs[0]
		require.Equal(t, "success", after.outcome(), "%v", after.Error)
		re.checked(t, 7)
	})
}

func TestReasoningWithoutASummaryIsAMessageWithoutContent(t *testing.T) {
	for _, tt := range []struct {
		name   string
		silent bool
		props  m
	}{
		{"the provider makes no summary", true, m{}},
		{"the client is shown no reasoning", false, m{"reasoning": "hidden"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			withEach(t, func(t *testing.T, client string) {
				re := &reasoner{protocol: "chat", silent: tt.silent}
				s := startReasoner(t, re, app.Settings{})
				r := drive(t, s, client, m{"say": "hello", "props": tt.props},
					m{"say": "thanks", "props": tt.props}).Runs
				re.checked(t, 2)
				assert.Equal(t, []string{"user", "reasoning", "assistant", "user", "reasoning", "assistant"},
					r[1].roles())
				why := r[1].message(t, "turn_2_step_1_narrative")
				assert.Equal(t, "", why.Content)
				assert.NotEmpty(t, why.EncryptedValue)
				assert.NotContains(t, string(apptest.JSON(t, r)), "I weigh")
			})
		})
	}
}

func TestHistoryShowsTheSummaryBehindAnAnswer(t *testing.T) {
	s := startReasoner(t, &reasoner{protocol: "messages"}, app.Settings{})
	thread, origin := s.Begin("ann")
	s.RunTurns("ann", thread, 1)
	turn := s.Do("ann", http.MethodGet, "/api/chat/history?render=html", "").JSON()["turns"].([]any)[0].(m)
	assert.Nil(t, turn["reasoning"], "no tool was called")
	assert.Equal(t, m{"step": 1.0, "narrative": "I weigh step 1.", "narrative_html": "<p>I weigh step 1.</p>\n",
		"narrative_source": "summary"}, turn["answer_reasoning"])
	var said []string
	for _, f := range s.Everything("ann", origin) {
		if f.Event == "thinking" && apptest.Decode(t, []byte(f.Data))["answer"] == true {
			said = append(said, apptest.Decode(t, []byte(f.Data))["message"].(string))
		}
	}
	assert.Equal(t, []string{"I weigh step 1."}, said, "the stream has it, too")
}
