package agui_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

func TestADisconnectEndsTheRunButNotTheTurn(t *testing.T) {
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

func TestAClientGetsTheTurnsThatOthersAddedToItsThread(t *testing.T) {
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
		assert.Equal(t, "one", r.message(t, "said-1").Content, "its own message keeps its id")
		assert.Equal(t, "Noon.", r.message(t, "turn_3_response").Content)
	})
}

func TestAReplayRestatesTheMessagesThatWereStreamed(t *testing.T) {
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
