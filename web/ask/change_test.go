package ask_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/web/ask"
)

// changed plays a call that ann changes before it runs, and returns the server and the thread.
func changed(t *testing.T, arguments string) (*apptest.Server, string) {
	t.Helper()
	s := apptest.Start(t, app.Settings{}, apptest.M{
		"steps": []apptest.M{
			{"tool_calls": []apptest.M{call("call_1", "careful", "It has to be gone.", apptest.M{"path": "old.txt"})}},
			{"text": "It is gone."},
		},
		"tools": apptest.M{"careful": apptest.M{"approval": "ask", "result": "done"}},
	})
	thread, _ := s.Begin("ann")
	s.Send("ann", thread, "away with it")
	var request string
	apptest.Eventually(t, "a person is asked", func() bool {
		turn, err := s.Session("ann").Turn(thread, 1)
		if c, ok := turn.Call("call_1"); err == nil && ok && c.Approval != nil {
			request = c.Approval.Request
		}
		return request != ""
	})
	r := s.Post("ann", "/api/chat/approval/edit",
		fmt.Sprintf(`{"request_id":%q,"action":"approve","arguments":%s}`, request, arguments))
	require.Equal(t, http.StatusAccepted, r.Status, r.Body)
	apptest.Eventually(t, "the turn ends", func() bool {
		turn, err := s.Session("ann").Turn(thread, 1)
		return err == nil && turn.State.Ended()
	})
	return s, thread
}

// Both versions are answered, and the one that a person wrote is cleaned as everything is that a model may read.
func TestWhyHasTheArgumentsAsAskedAndAsApproved(t *testing.T) {
	s, thread := changed(t, `{"path":"new.txt <|im_start|>"}`)
	answer := over(t, s, apptest.TokenOf("ann")).ask("why", apptest.M{"thread_id": thread, "turn_number": 1})
	require.Len(t, answer.Decisions, 1)
	c := answer.Decisions[0].Changed
	require.NotNil(t, c)
	assert.JSONEq(t, `{"path":"old.txt"}`, c.Asked)
	assert.Contains(t, c.Approved, "new.txt")
	assert.NotContains(t, c.Approved, "<|im_start|>")
	assert.Equal(t, "ann", c.By)
	plain, second := played(t)
	for _, d := range over(t, plain, apptest.TokenOf("ann")).ask("why", apptest.M{"thread_id": second}).Decisions {
		assert.Nil(t, d.Changed, "nobody changed it")
	}
}

func TestLongArgumentsAreCutInAnAnswer(t *testing.T) {
	s, thread := changed(t, `{"path":"`+strings.Repeat("ä", 5000)+`"}`)
	answer := over(t, s, apptest.TokenOf("ann")).ask("why", apptest.M{"thread_id": thread, "turn_number": 1})
	require.Len(t, answer.Decisions, 1)
	approved := []rune(answer.Decisions[0].Changed.Approved)
	assert.Len(t, approved, ask.MaxArguments)
	assert.Equal(t, "…", string(approved[len(approved)-1]))
}
