package agent

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// unsure is a call with a confidence of 0.6.
func unsure() Call {
	return Call{Name: "look", Arguments: rawJSON(`{"rationale":"why","confidence":0.6}`)}
}

func TestTheThresholdOfTheTurnComesBeforeThatOfTheAgent(t *testing.T) {
	for _, tt := range []struct {
		name      string
		turn, own *float64
		want      float64
		asks      bool
	}{
		{"neither has one", nil, nil, 0.7, true},
		{"the agent has one", nil, new(0.5), 0.5, false},
		{"the turn has one", new(0.5), nil, 0.5, false},
		{"both have one, and the agent's is lower", new(0.8), new(0.5), 0.8, true},
		{"both have one, and the turn's is lower", new(0.5), new(0.8), 0.5, false},
		{"the turn's is 0, below which nothing is", new(0.0), new(0.8), 0, false},
		{"the confidence is equal to it", new(0.6), nil, 0.6, false},
		{"the confidence is just below it", new(math.Nextafter(0.6, 1)), nil, math.Nextafter(0.6, 1), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inChat(t, oneStep("", unsure()), func(t *testing.T, c *Chat, s *session.Session) {
				c.dispatcher.Confidence = Confidence{Offer: true, Threshold: tt.own}
				ref := sendRun(t, c, "", TurnOptions{Threshold: tt.turn})
				synctest.Wait()
				assert.Equal(t, tt.asks, len(openApprovals(t, s, ref)) == 1)
				turn, _ := s.Turn(ref.Thread, ref.Turn)
				call, _ := turn.Call("call_1")
				assert.Equal(t, session.Confidence{Stated: 0.6, Threshold: tt.want}, *call.Confidence)
				c.stop()
			}, echo("look"))
		})
	}
}

func TestAPersonIsAskedAboutACallBelowTheThreshold(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answer  session.Answer
		outcome session.Outcome
		why     string
	}{
		{"approved", session.Approve, session.Success, ""},
		{"denied", session.Deny, session.Rejected,
			"a person was asked and denied this call (a confidence of 0.6 is below the threshold of 0.7)"},
		{"unanswered", "", session.Rejected, "did not answer in time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inChat(t, oneStep("", unsure()), func(t *testing.T, c *Chat, s *session.Session) {
				c.dispatcher.Confidence.Offer = true
				ref := send(t, c, "", "hi").Ref
				synctest.Wait()
				open := openApprovals(t, s, ref)
				require.Len(t, open, 1)
				q := open[0].Approval
				assert.True(t, q.LowConfidence)
				assert.False(t, q.AllowAlways, "another call is another confidence")
				assert.Equal(t, "The agent is not sure enough of this call: a confidence of 0.6 is below the "+
					"threshold of 0.7. looks", q.Description.String())
				turn, _ := s.Turn(ref.Thread, ref.Turn)
				assert.Len(t, turn.Waiting(), 1)
				if tt.answer != "" {
					_, err := c.Approve(t.Context(), "ann", q.Request, session.Always)
					require.ErrorIs(t, err, session.ErrNotAlways)
					_, err = c.Approve(t.Context(), "ann", q.Request, tt.answer)
					require.NoError(t, err)
				}
				time.Sleep(DefaultApprovalTimeout + time.Second) // fake time: in a bubble
				assert.Equal(t, []session.Outcome{tt.outcome}, outcomes(t, s, ref))
				turn, _ = s.Turn(ref.Thread, ref.Turn)
				call, _ := turn.Call("call_1")
				assert.Contains(t, call.Error.String(), tt.why)
				assert.Equal(t, session.Completed, turn.State)
			}, looking(ApprovalNever))
		})
	}
}

// looking is a tool that looks, with a mode of approval.
func looking(mode Approval) Tool {
	t := guarded("look", mode).(funcTool)
	t.spec.Description = "looks"
	return t
}

func TestACallThatNeedsApprovalAnywayIsAskedAboutOnce(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Calls: []Call{{Name: "look"}}}, {Calls: []Call{unsure()}}, {Text: "done"},
	}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		c.dispatcher.Confidence.Offer = true
		ref := send(t, c, "", "hi").Ref
		synctest.Wait()
		q := openApprovals(t, s, ref)[0].Approval
		assert.False(t, q.LowConfidence)
		assert.Equal(t, "looks", q.Description.String())
		_, err := c.Approve(t.Context(), "ann", q.Request, session.Always)
		require.NoError(t, err)
		synctest.Wait()
		open := openApprovals(t, s, ref)
		require.Len(t, open, 1, "what was approved for good is the tool, not this call")
		q = open[0].Approval
		assert.True(t, q.LowConfidence)
		assert.False(t, q.AllowAlways)
		assert.Equal(t, "The agent is not sure enough of this call: a confidence of 0.6 is below the threshold of "+
			"0.7. Calls of this tool need approval in any case. looks", q.Description.String())
		_, err = c.Approve(t.Context(), "ann", q.Request, session.Approve)
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, []session.Outcome{session.Success, session.Success}, outcomes(t, s, ref))
	}, looking(ApprovalAsk))
}

func TestWhereNobodyCanBeAskedAnUnsureCallIsRefused(t *testing.T) {
	ran := 0
	look := toolFunc("look", func(context.Context) (json.RawMessage, error) { ran++; return rawJSON(`1`), nil })
	rec := runTurn(t, asking(t, oneStep("", unsure()), look))
	back := of[session.ToolReturned](rec)[0]
	assert.Equal(t, session.Rejected, back.Outcome)
	assert.Contains(t, back.Error.String(), "nobody can be asked here (a confidence of 0.6")
	assert.Zero(t, ran)

	d := asking(t, oneStep("", unsure()), look)
	d.Confidence.Continue = true
	rec = runTurn(t, d)
	assert.Equal(t, session.Success, of[session.ToolReturned](rec)[0].Outcome)
	assert.True(t, of[session.ToolCalled](rec)[0].Confidence.Suppressed)
}

func TestAnOperatorMayLetUnsureCallsRun(t *testing.T) {
	sure := Call{Name: "look", Arguments: rawJSON(`{"confidence":0.7}`)}
	denied := Call{Name: "denied", Arguments: rawJSON(`{"confidence":0.1}`)}
	inChat(t, oneStep("", unsure(), sure, denied), func(t *testing.T, c *Chat, s *session.Session) {
		c.dispatcher.Confidence = Confidence{Offer: true, Continue: true}
		c.dispatcher.Policy = func(_ context.Context, tool Spec, _ []byte) error {
			if tool.Name == "denied" {
				return ErrDenied
			}
			return nil
		}
		ref := send(t, c, "", "hi").Ref
		synctest.Wait()
		want := []session.Outcome{session.Success, session.Success, session.Rejected}
		assert.Equal(t, want, outcomes(t, s, ref))
		turn, _ := s.Turn(ref.Thread, ref.Turn)
		var suppressed []bool
		for call := range turn.Calls() {
			assert.Nil(t, call.Approval)
			suppressed = append(suppressed, call.Confidence.Suppressed)
		}
		assert.Equal(t, []bool{true, false, false}, suppressed, "only a question that would have been asked")
	}, echo("look"), echo("denied"))
}

// What no person is asked about elsewhere still asks here.
func TestAToolThatStatesAConfidenceIsHeldToTheThresholdEverywhere(t *testing.T) {
	d := newDispatcher(t, oneStep("", Call{Name: "a"}), stating{echo("a").(funcTool), 0.2, true})
	assert.Equal(t, session.Rejected, of[session.ToolReturned](runTurn(t, d))[0].Outcome)
}

func TestASubAgentIsHeldToItsTurnsThreshold(t *testing.T) {
	below := asking(t, oneStep("", Call{Name: "decide", Arguments: rawJSON(`{"confidence":0.6}`)}))
	below.Confidence = Confidence{Decide: echo("decide")}
	inChat(t, providerFunc(nested), func(t *testing.T, c *Chat, s *session.Session) {
		ref := sendRun(t, c, "", TurnOptions{Threshold: new(0.65)})
		synctest.Wait()
		open := openApprovals(t, s, ref)
		require.Len(t, open, 1)
		assert.Equal(t, "decide", open[0].Tool.String(), "it is offered to the sub-agent, too")
		assert.Equal(t, session.Confidence{Stated: 0.6, Threshold: 0.65}, *open[0].Confidence)
		_, err := c.Approve(t.Context(), "ann", open[0].Approval.Request, session.Approve)
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, []session.State{session.Completed}, states(t, s, ref.Thread))
	}, Delegate{Name: "research", Agent: below})
}

func TestADecisionIsMarkedAsOne(t *testing.T) {
	decide := strict("decide").(funcTool)
	decide.spec.Decides = true
	p := oneStep("", Call{Name: "decide", Arguments: rawJSON(`{"path":"a"}`)}, Call{Name: "decide"}, Call{Name: "look"})
	rec := runTurn(t, newDispatcher(t, p, decide, echo("look")))
	var marked []bool
	for _, c := range of[session.ToolCalled](rec) {
		marked = append(marked, c.Decides)
	}
	assert.Equal(t, []bool{true, false, false}, marked, "one with arguments that it cannot have decides nothing")
}

func TestAFrontEndsToolOfTheSameNameComesBeforeDecide(t *testing.T) {
	p := oneStep("")
	inChat(t, p, func(t *testing.T, c *Chat, _ *session.Session) {
		c.dispatcher.Confidence = Confidence{Offer: true, Decide: echo("decide")}
		_, err := c.SendWith(t.Context(), "ann", "", "hi", TurnOptions{Tools: []FrontEndTool{{Name: "decide"}}})
		require.NoError(t, err)
		synctest.Wait()
		require.Len(t, p.requests[0].Tools, 1)
		assert.True(t, p.requests[0].Tools[0].FrontEnd)
	})
}
