package agui_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// aTurn is the script of a turn with each kind of message.
var aTurn = m{
	"steps": []m{
		calling("I look at the log.", callOf("logs", "the log says what happened", m{"query": "deploy"})),
		answering("It went well."),
	},
	"tools": m{"logs": m{"result": m{"lines": 2}}},
}

// turnMessages are the messages of a turn that played aTurn, without their metadata.
func turnMessages(prefix string) []any {
	return []any{
		m{"id": prefix + "step_1_narrative", "role": "reasoning", "content": "I look at the log."},
		m{"id": prefix + "call_1_rationale", "role": "reasoning", "content": "the log says what happened"},
		m{"id": prefix + "call_1", "role": "assistant", "toolCalls": []any{m{"id": prefix + "call_1",
			"type": "function", "function": m{"name": "logs", "arguments": `{"query":"deploy"}`}}}},
		m{"id": prefix + "call_1_result", "role": "tool", "toolCallId": prefix + "call_1", "content": `{"lines":2}`},
		m{"id": prefix + "response", "role": "assistant", "content": "It went well."},
	}
}

// withoutMetadata removes the metadata of messages and their calls, which has times.
func withoutMetadata(messages []any) []any {
	for _, msg := range messages {
		delete(msg.(m), "metadata")
		calls, _ := msg.(m)["toolCalls"].([]any)
		for _, c := range calls {
			delete(c.(m), "metadata")
		}
	}
	return messages
}

// theOnly returns the only event of a type.
func theOnly(t *testing.T, events []m, kind string) (found m) {
	t.Helper()
	for _, e := range events {
		if e["type"] == kind {
			require.Nil(t, found, "a second %s", kind)
			found = e
		}
	}
	require.NotNil(t, found, "no %s in %v", kind, typesOf(events))
	return found
}

func TestASnapshotHasEveryWordOfItsThreadAndTheState(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, aTurn)
	first, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(m{"state": m{"page": 3, "tags": []string{"a"}},
		"messages": []m{{"id": "u", "role": "user", "content": "how did it go?"}}})).Body)
	require.Equal(t, "RUN_FINISHED", first[len(first)-1]["type"])
	replayed, _ := wire(t, s.Do("ann", http.MethodGet, "/agui/threads/theirs/events", "").Body)
	got := withoutMetadata(theOnly(t, replayed, "MESSAGES_SNAPSHOT")["messages"].([]any))
	require.NotEmpty(t, got)
	question := got[0].(m)
	assert.NotEmpty(t, question["id"])
	assert.Equal(t, m{"id": question["id"], "role": "user", "content": "how did it go?"}, question)
	assert.Equal(t, turnMessages("turn_1_"), got[1:])
	assert.Equal(t, m{"page": 3.0, "tags": []any{"a"}}, theOnly(t, replayed, "STATE_SNAPSHOT")["snapshot"])

	// A client without the first turn gets it as a snapshot in its run.
	input := anInput(m{"runId": "r2", "messages": []m{{"id": "x", "role": "system", "content": "Be brief."},
		{"id": "v", "role": "user", "content": "and now?"}}})
	second, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", input).Body)
	got = withoutMetadata(theOnly(t, second, "MESSAGES_SNAPSHOT")["messages"].([]any))
	require.Len(t, got, 8)
	assert.Equal(t, m{"id": "x", "role": "system", "content": "Be brief."}, got[0], "the client's own message stays")
	assert.Equal(t, question, got[1])
	assert.Equal(t, turnMessages("turn_1_"), got[2:7])
	assert.Equal(t, "and now?", got[7].(m)["content"])
	assert.NotContains(t, typesOf(second), "STATE_SNAPSHOT", "the client has its state")
}

func TestOneUsersFrontEndsDoNotDisplaceTheStateOfAnothers(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 10_000}, aTurn)
	for n := range 300 {
		user := "ann"
		if n == 0 {
			user = "bob"
		}
		r := s.Do(user, http.MethodPost, "/agui", anInput(m{"threadId": fmt.Sprint(n), "state": m{"page": n}}))
		require.Equal(t, http.StatusOK, r.Status, r.Body)
	}
	replayed, _ := wire(t, s.Do("bob", http.MethodGet, "/agui/threads/0/events", "").Body)
	assert.Equal(t, m{"page": 0.0}, theOnly(t, replayed, "STATE_SNAPSHOT")["snapshot"])
	replayed, _ = wire(t, s.Do("ann", http.MethodGet, "/agui/threads/1/events", "").Body)
	assert.NotContains(t, typesOf(replayed), "STATE_SNAPSHOT", "only the latest of each user are kept")
}
