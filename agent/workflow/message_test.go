package workflow

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func ids(list []Message) (out []string) {
	for _, m := range list {
		out = append(out, m.ID)
	}
	return out
}

// TestFoldingMessagesAgainChangesNothing is the property that makes replays equal, for random lists.
func TestFoldingMessagesAgainChangesNothing(t *testing.T) {
	fold := func(list, more []Message) []Message {
		for _, m := range more {
			list = Apply(list, m)
		}
		return list
	}
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 7))
		messages := make([]Message, random.IntN(60))
		for i := range messages {
			content := json.RawMessage(fmt.Sprint(i))
			messages[i] = Message{ID: fmt.Sprint(random.IntN(20)), From: "user", Content: content}
		}
		once := fold(nil, messages)
		var first []string
		for _, m := range messages {
			if !strings.Contains(" "+strings.Join(first, " ")+" ", " "+m.ID+" ") {
				first = append(first, m.ID)
			}
		}
		require.Equal(t, first, ids(once), "each id once, in the order in which they came")
		require.Equal(t, once, fold(once, messages), "a second time")
		at := random.IntN(len(messages) + 1)
		require.Equal(t, once, fold(fold(nil, messages[:at]), messages), "after a part of them")
		for i, m := range once {
			require.Equal(t, once[:i+1], Apply(once[:i+1], m), "a single one")
		}
	}
}

func TestApplyDoesNotChangeItsList(t *testing.T) {
	list := make([]Message, 1, 4)
	list[0] = Message{ID: "a", From: "user"}
	left, right := Apply(list, Message{ID: "b", From: "user"}), Apply(list, Message{ID: "c", From: "user"})
	assert.Equal(t, []string{"a"}, ids(list))
	assert.Equal(t, []string{"a", "b"}, ids(left))
	assert.Equal(t, []string{"a", "c"}, ids(right))
}

func TestAListOfMessagesIsBounded(t *testing.T) {
	var list []Message
	for i := range maxMessages + 5 {
		list = Apply(list, Message{ID: fmt.Sprint(i), From: "user"})
	}
	assert.Len(t, list, maxMessages)
	assert.Equal(t, "999", list[maxMessages-1].ID)
}

func TestTheReducerFoldsItsMessagesAndTheInputs(t *testing.T) {
	inChat(t, func(t *testing.T, c chat) {
		d := defined(t, "conformance-message-reducer")
		folded := func(inputs string) session.Turn { return c.turn(t, c.start(t, d, inputs)) }
		own := `{"messageId":"m-1","from":"user","content":"Which of the two is faster?","ts":1},
			{"messageId":"m-2","from":"host:planner","to":"host:critic","content":{"claim":"the second"},"ts":2},
			{"messageId":"m-3","from":"host:critic","groupId":"review","content":"I agree.","ts":3}`
		assert.JSONEq(t, `{"messages":[`+own+`]}`, string(folded("").Nodes[0].Outputs.Raw()))
		fourth := `{"messageId":"m-4","from":"user","content":null}`
		turn := folded(`{"messages":[{"messageId":"m-3","from":"eve"},` + fourth + `]}`)
		assert.JSONEq(t, `{"messages":[`+own+`,`+fourth+`]}`,
			string(turn.Nodes[0].Outputs.Raw()))

		longID := strings.Repeat("ab ", 86)
		for messages, says := range map[string]string{
			`7`:                              "messages have to be a list",
			`[3]`:                            "message 1: it is not an object with a messageId",
			`[{"messageId":"a"}]`:            "message 1: it has no from",
			`[{"messageId":"a","ts":"now"}]`: "message 1: it is not an object with a messageId",
			`[{"messageId":"` + longID + `","from":"user"}]`: "its messageId has 258 bytes",
		} {
			turn := folded(`{"messages":` + messages + `}`)
			assert.Equal(t, session.Failed, turn.State)
			assert.Contains(t, turn.Error.String(), says)
		}
	})
}
