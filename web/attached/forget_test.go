package attached_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// threadOf returns the id of ann's thread of an agent's session.
func threadOf(s *apptest.Server, agent, session string) string {
	return s.Session("ann").NamedID("observed/attached\x00" + agent + "\x00" + session)
}

// erase deletes a thread of ann's.
func erase(t *testing.T, s *apptest.Server, id string) {
	t.Helper()
	r := s.Do("ann", http.MethodDelete, "/api/chat/threads/"+id, "")
	require.Equal(t, http.StatusNoContent, r.Status, r.Body)
}

// hooked posts a payload of a hook as ann.
func hooked(t *testing.T, s *apptest.Server, agent, payload string) {
	t.Helper()
	r := s.Post("ann", "/api/hooks/"+agent, payload)
	require.Equal(t, http.StatusOK, r.Status, r.Body)
}

// TestWordsThatWaitForACallGoWithTheirConversation holds that what a model said does not come back with the next call
// once a person deleted the conversation, and that the words of another one stay.
func TestWordsThatWaitForACallGoWithTheirConversation(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	for _, session := range []string{"s1", "s2"} {
		head := fmt.Sprintf(`{"session_id":%q,"prompt_id":"p1","hook_event_name":`, session)
		hooked(t, s, "claude", head+`"UserPromptSubmit","prompt":"go on"}`)
		hooked(t, s, "claude", head+`"MessageDisplay","message_id":"m","index":0,"delta":"words"}`)
	}
	erase(t, s, threadOf(s, "claude", "s1"))
	for session, words := range map[string]any{"s1": nil, "s2": "words"} {
		hooked(t, s, "claude", fmt.Sprintf(`{"session_id":%q,"prompt_id":"p1","hook_event_name":"PreToolUse",
			"tool_name":"Bash","tool_use_id":"c1","tool_input":{"command":"ls"}}`, session))
		h := s.Get("ann", "/api/chat/history?thread_id="+threadOf(s, "claude", session)).JSON()
		turn := h["turns"].([]any)[0].(apptest.M)
		assert.Equal(t, words, turn["reasoning"].(apptest.M)["narrative"], session)
	}
}

// TestASubAgentOfADeletedConversationIsStillAskedAbout holds that the turn of one that goes on stays known: a call of
// no known turn would run without a person.
func TestASubAgentOfADeletedConversationIsStillAskedAbout(t *testing.T) {
	s := askedCodex(t, app.Settings{ApprovalTimeout: time.Millisecond})
	hooked(t, s, "codex", codexHook("SubagentStart", "", "", `,"agent_id":"a1"`))
	erase(t, s, threadOf(s, "codex", "s1"))
	asksAs(t, s, "codex", codexHook("PreToolUse", "c1", inRollout, `,"agent_id":"a1"`)).get(t)
	assert.NotNil(t, lastCall(t, s).Approval)
}

// TestTelemetryThatWaitsGoesWithADeletedConversation holds that of what nobody knows the place of nothing stays, since
// it may be of a sub-agent of that conversation.
func TestTelemetryThatWaitsGoesWithADeletedConversation(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	tell(t, s, unplaced("e", look))
	tell(t, s, unplaced("c0", ls))
	erase(t, s, threadOf(s, "codex", "c0"))
	tell(t, s, unplaced("e", ls))
	assert.Equal(t, map[string]int{"": 1}, inputs(s))
}

// TestTheSubAgentsOfOtherConversationsStayKnown holds that what they do is shown where it belongs after a conversation
// was deleted.
func TestTheSubAgentsOfOtherConversationsStayKnown(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	tell(t, s, unplaced("c1", ls), unplaced("c0", ls), unplaced("c0", func(s *attach.Sighting) {
		s.Call, s.Sub, s.Spawned = "call_c0", "sub", &attach.Spawned{}
	}))
	erase(t, s, threadOf(s, "codex", "c1"))
	tell(t, s, bySub("sub"))
	_, history := watched(t, s, "ann")
	turn := history["turns"].([]any)[0].(apptest.M)
	assert.Len(t, turn["reasoning"].(apptest.M)["tool_decisions"], 2)
}

// TestADeletedJobTakesNothingThatWaits holds that what waits for the rest of a conversation is no job's.
func TestADeletedJobTakesNothingThatWaits(t *testing.T) {
	s := apptest.StartModel(t, app.Settings{})
	id, token := s.NewJob("count")
	tell(t, s, unplaced("e", look))
	end := `{"events":[{"id":"1","event":"result","success":true,"message":"three"}]}`
	require.Less(t, s.PostEvents(id, token, end).Status, 300)
	require.Equal(t, http.StatusNoContent, s.Do("ann", http.MethodDelete, "/api/jobs/"+id, "").Status)
	tell(t, s, unplaced("e", ls))
	assert.Equal(t, map[string]int{"Look.": 1}, inputs(s))
}
