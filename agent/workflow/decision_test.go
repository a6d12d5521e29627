package workflow

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/session"
)

// undecided runs test with a run that waits for a person, since its agent is not sure enough.
func undecided(t *testing.T, test func(t *testing.T, c chat, e session.Event, request string)) {
	t.Helper()
	inChat(t, func(t *testing.T, c chat) {
		e := c.start(t, defined(t, "conformance-agent-low-confidence"), "")
		call, ok := c.turn(t, e).Call("call_1")
		require.True(t, ok)
		require.NotNil(t, call.Approval, call.Error.String())
		assert.True(t, call.Approval.LowConfidence)
		assert.True(t, call.Decides)
		assert.Equal(t, &session.Confidence{Stated: 0.5, Threshold: 0.7}, call.Confidence)
		assert.Equal(t, "One of two checks has passed.", call.Rationale.Text.String())
		assert.Equal(t, session.Processing, c.turn(t, e).State)
		test(t, c, e, call.Approval.Request)
	})
}

func TestAPersonDecidesWhatTheAgentIsNotSureOf(t *testing.T) {
	cases := map[string]struct {
		answer  session.Answer
		value   string
		state   session.State
		outputs string
		err     string
	}{
		"the agent's decision stands": {session.Approve, "", session.Completed,
			`{"decision":{"kind":"stub-low-conf"},"by":"agent","confirmed_by":"person"}`, ""},
		"the person decides otherwise": {session.Approve, `{"action":"wait"}`, session.Completed,
			`{"decision":{"action":"wait"},"by":"person"}`, ""},
		"the person refuses": {session.Deny, "", session.Failed, `null`, "a person denied the decision"},
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			undecided(t, func(t *testing.T, c chat, e session.Event, request string) {
				_, err := c.Answer(t.Context(), "ann", request, want.answer, json.RawMessage(want.value))
				require.NoError(t, err)
				synctest.Wait()
				turn := c.turn(t, e)
				assert.Equal(t, want.state, turn.State)
				assert.JSONEq(t, want.outputs, string(turn.Nodes[0].Outputs.Raw()))
				assert.Contains(t, turn.Nodes[0].Error.String(), want.err)
				assert.Contains(t, turn.Error.String(), want.err)
			})
		})
	}
}

func TestNobodyDecidesInTime(t *testing.T) {
	undecided(t, func(t *testing.T, c chat, e session.Event, _ string) {
		c.Close(stopped(t))
		assert.Equal(t, session.Interrupted, c.turn(t, e).State)
	})
}

func TestAnAgentThatIsSureEnoughDecides(t *testing.T) {
	half, below := 0.5, 0.49
	for config, threshold := range map[string]*float64{
		`{"mockDecision":{"decision":{"a":1}}}`:                    nil,
		`{"mockDecision":{"decision":{"a":1},"confidence":0.7}}`:   nil,
		`{"mockDecision":{"decision":{"a":1},"confidence":0.5}}`:   &half,
		`{"mockDecision":{"decision":{"a":1},"confidence":0.499}}`: &below,
	} {
		inChat(t, func(t *testing.T, c chat) {
			e := c.startWith(t, mocking(t, config), "", agent.TurnOptions{Threshold: threshold})
			turn := c.turn(t, e)
			assert.Equal(t, session.Completed, turn.State, config)
			assert.JSONEq(t, `{"decision":{"a":1},"by":"agent"}`, string(turn.Nodes[0].Outputs.Raw()))
		})
	}
}

func TestAConfidenceAloneIsThatOfSomeDecision(t *testing.T) {
	inChat(t, func(t *testing.T, c chat) {
		turn := c.turn(t, c.start(t, mocking(t, `{"mockConfidence":0.5}`), ""))
		assert.Equal(t, session.Processing, turn.State)
	})
}

func TestTheLogOfARunHasItsPartsIfItsClientAskedForThem(t *testing.T) {
	for _, spoken := range []bool{true, false} {
		inChat(t, func(t *testing.T, c chat) {
			options := agent.TurnOptions{Workflow: session.Workflow{ID: "conformance-x", Spoken: spoken}}
			e := c.startWith(t, defined(t, "conformance-agent-reasoning-streaming"), "", options)
			assert.Len(t, of[session.Spoken](c.bodies(t, e)), map[bool]int{true: 3, false: 0}[spoken])
		})
	}
}
