package agui

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/problem"
)

const wholeInput = `{"threadId":"t","runId":"r","protocolVersion":"1.0","state":{"a":1},
"tools":[{"name":"x","description":"d","parameters":{}}],
"context":[{"description":"a","value":"b"}],"forwardedProps":{"reasoning":"summary"},
"resume":[{"interruptId":"i","status":"resolved","payload":{"answer":"deny"}}],
"messages":[{"id":"1","role":"system","content":"s"},
{"id":"2","role":"assistant","toolCalls":[
{"id":"turn_1_call_1","type":"function","function":{"name":"x","arguments":"{}"},"encryptedValue":"e"}]},
{"id":"3","role":"tool","toolCallId":"turn_1_call_1","content":[{"type":"text","text":"7"}],"error":"e"},
{"id":"4","role":"reasoning","content":"r","encryptedValue":"e"},
{"id":"5","role":"user","content":[{"type":"text","text":"hi"},
{"type":"image","source":{"type":"url","value":"u"}}],"kept":{"as":"sent"}}]}`

// Whatever is sent, it is an input or a problem that repeats nothing of it.
func FuzzInputs(f *testing.F) {
	f.Add(wholeInput)
	f.Add(`{}`)
	f.Add(`{"threadId":null,"messages":[null]}`)
	f.Add(strings.ReplaceAll(wholeInput, `"hi"`, `7`))
	f.Add(strings.ReplaceAll(wholeInput, `"1.0"`, `"0.0.59"`))
	f.Fuzz(func(t *testing.T, body string) {
		in, err := parseInput([]byte(body))
		if err != nil {
			p, ok := errors.AsType[*problem.Problem](err)
			require.True(t, ok)
			require.Equal(t, 400, p.Status)
			return
		}
		_, _ = in.level()
		_ = in.version1()
		_ = in.contextLines(true)
		_ = in.has(nil)
		_, _ = in.replies(nil)
		for _, m := range in.Messages {
			require.True(t, len(m.result()) > 0)
		}
		require.NotNil(t, in.restate(nil, nil, safety.NewLayer()))
	})
}

func TestAMessageKeepsItsOriginalJSON(t *testing.T) {
	in, err := parseInput([]byte(wholeInput))
	require.NoError(t, err)
	last := in.last()
	assert.Contains(t, string(last.Raw), `"kept":{"as":"sent"}`)
	assert.Equal(t, "hi\n(Attached, and not readable here: 1 image.)", last.words())
	assert.JSONEq(t, `7`, string(in.Messages[2].result()))
	assert.Equal(t, "e", in.Messages[1].ToolCalls[0].EncryptedValue)
	level, err := in.level()
	require.NoError(t, err)
	assert.Equal(t, Summary, level)
	assert.True(t, in.version1())
}

func TestTheClientsVersionSelectsTheProtocol(t *testing.T) {
	for version, first := range map[string]bool{"": false, "0.0.59": false, "0.1": false, "1.0": true, "1.1": true,
		"2.0": true} {
		assert.Equal(t, first, (&Input{ProtocolVersion: version}).version1(), version)
	}
}

func TestAFrontEndsResultOfACallThatNobodyApprovedIsNone(t *testing.T) {
	in := Input{Messages: []InputMessage{{ID: "m", Role: "tool", ToolCallID: callID(1, "call_1"), Text: "7"}}}
	ref := session.Ref{Thread: "t", Turn: 1}
	turn := session.Turn{}
	for _, step := range []struct {
		body  session.Body
		taken int // results
	}{
		{session.TurnStarted{}, 0},
		{session.ToolCalled{Step: 1, Call: "call_1", FrontEnd: true}, 0},
		{session.ApprovalAsked{Request: "r", Call: "call_1"}, 0},
		{session.StepWaits{Step: 1}, 0},
		{session.ApprovalAnswered{Request: "r", Call: "call_1", Answer: session.Approve}, 1},
	} {
		turn = turn.Apply(session.Event{Seq: turn.LastSeq + 1, Ref: ref, Body: step.body})
		replies, err := in.replies([]session.Turn{turn})
		require.NoError(t, err)
		assert.Len(t, replies, step.taken, "%T", step.body)
	}
}

func TestAClientThatLacksOnlyTheOldestTurnsNeedsNoSnapshot(t *testing.T) {
	var turns []session.Turn
	for n := range 4 {
		turns = append(turns, session.Turn{Number: n + 1, State: session.Completed})
	}
	turns[2].State = session.Failed // has no response
	for _, tt := range []struct {
		has  []int
		want bool
	}{
		{nil, false}, {[]int{1}, false}, {[]int{1, 4}, false},
		{[]int{1, 2, 4}, true}, {[]int{2, 4}, true}, {[]int{4}, true},
	} {
		var in Input
		for _, n := range tt.has {
			in.Messages = append(in.Messages, InputMessage{ID: responseID(n)})
		}
		assert.Equal(t, tt.want, in.has(turns), "%v", tt.has)
	}
	assert.True(t, (&Input{}).has(nil))
}
