package tool_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/tool"
	"candor/safety"
	"candor/session"
)

// deciding is a model that makes one decision, and then answers with the result of it.
type deciding struct{ args string }

func (d deciding) Respond(_ context.Context, r agent.Request) (agent.Response, error) {
	if last := r.Messages[len(r.Messages)-1]; last.Role == agent.RoleTool {
		return agent.Response{Text: last.Text}, nil
	}
	call := agent.Call{Name: "decide", Arguments: json.RawMessage(d.args)}
	return agent.Response{Calls: []agent.Call{call}}, nil
}

// decide runs a turn in which a model decides, and a person answers the question about it, if there is one.
func decide(t *testing.T, args string, answer session.Answer, value string) (call session.Call, response string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := session.NewMemory(nil)
		box := &agent.Toolbox{}
		require.NoError(t, box.Replace())
		c := agent.NewChat(store, &agent.Dispatcher{
			Provider: deciding{args}, Tools: box, Safety: safety.NewLayer(),
			Log:        slog.New(slog.NewTextHandler(io.Discard, nil)),
			Confidence: agent.Confidence{Offer: true, Decide: tool.Decide()},
		}, 0)
		e, err := c.Send(t.Context(), "ann", "", "hi")
		require.NoError(t, err)
		synctest.Wait()
		s, err := store.Open(t.Context(), "ann")
		require.NoError(t, err)
		turn, err := s.Turn(e.Thread, 1)
		require.NoError(t, err)
		call, _ = turn.Call("call_1")
		if call.Approval != nil {
			_, err := c.Answer(t.Context(), "ann", call.Approval.Request, answer, json.RawMessage(value))
			require.NoError(t, err)
			synctest.Wait()
		}
		turn, err = s.Turn(e.Thread, 1)
		require.NoError(t, err)
		call, _ = turn.Call("call_1")
		response = turn.Response.String()
		c.Close(t.Context())
		require.NoError(t, store.Close())
	})
	return call, response
}

func TestADecisionIsTheAgentsUnlessAPersonSaysAnother(t *testing.T) {
	const sure, unsure = `{"decision":"ship","confidence":0.9}`, `{"decision":"ship","confidence":0.4}`
	for _, tt := range []struct {
		name, args string
		answer     session.Answer
		value      string
		asked      bool
		result     string
	}{
		{"an agent that is sure", sure, "", "", false, `{"decision":"ship","by":"agent"}`},
		{"one that does not say", `{"decision":{"to":["a",1]}}`, "", "", false,
			`{"decision":{"to":["a",1]},"by":"agent"}`},
		{"a decision for nothing", `{"decision":null}`, "", "", false, `{"decision":null,"by":"agent"}`},
		{"what is no confidence says nothing", `{"decision":"ship","confidence":"low"}`, "", "", false,
			`{"decision":"ship","by":"agent"}`},
		{"a person agrees", unsure, session.Approve, ``, true,
			`{"decision":"ship","by":"agent","confirmed_by":"person"}`},
		{"a person decides otherwise", unsure, session.Approve, `{"hold":true}`, true,
			`{"decision":{"hold":true},"by":"person"}`},
		{"a person denies it", unsure, session.Deny, `"hold"`, true, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			call, response := decide(t, tt.args, tt.answer, tt.value)
			assert.True(t, call.Decides)
			assert.Equal(t, tt.asked, call.Approval != nil)
			if tt.asked {
				assert.Equal(t, "The agent is not sure enough of this call: a confidence of 0.4 is below the "+
					"threshold of 0.7.", call.Approval.Description.String(), "and nothing that is meant for the model")
			}
			if tt.result == "" {
				assert.Equal(t, session.Rejected, call.Outcome)
				assert.Contains(t, response, "denied this call")
				return
			}
			assert.Equal(t, session.Success, call.Outcome)
			assert.JSONEq(t, tt.result, string(call.Result.Raw()))
			assert.JSONEq(t, tt.result, response, "the model reads it")
			assert.JSONEq(t, tt.args, string(call.Params.Raw()), "the parameters state what the agent decided")
		})
	}
}

func TestADecisionNeedsADecisionAndNothingElse(t *testing.T) {
	for _, args := range []string{`{}`, `{"confidence":1}`, `{"decision":"ship","Decision":"hold"}`} {
		call, _ := decide(t, args, "", "")
		assert.Equal(t, session.Errored, call.Outcome, args)
		assert.False(t, call.Decides)
	}
	_, err := tool.Decide().Run(t.Context(), json.RawMessage(`[]`))
	assert.Error(t, err)
}

func TestDecideReadsHowSureTheModelIs(t *testing.T) {
	for args, want := range map[string]float64{
		`{"confidence":0.4}`: 0.4, `{"confidence":0}`: 0, `{"confidence":null}`: math.NaN(), `{}`: math.NaN(),
		`{"confidence":"0.4"}`: math.NaN(), `[]`: math.NaN(),
	} {
		got, ok := tool.Decide().(agent.Confident).Confidence(json.RawMessage(args))
		assert.Equal(t, !math.IsNaN(want), ok, args)
		if ok {
			assert.Equal(t, want, got)
		}
	}
	spec := tool.Decide().Spec()
	assert.True(t, spec.Decides && spec.ReadOnly)
}
