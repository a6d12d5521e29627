package agent

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// sendWithTools begins a turn that has these tools of its own.
func sendWithTools(t *testing.T, c *Chat, own ...FrontEndTool) session.Event {
	t.Helper()
	e, err := c.SendWith(t.Context(), "ann", "", "hi", TurnOptions{Tools: own})
	require.NoError(t, err)
	synctest.Wait()
	return e
}

func turnOf(t *testing.T, s *session.Session, e session.Event) session.Turn {
	t.Helper()
	turn, err := s.Turn(e.Thread, e.Turn)
	require.NoError(t, err)
	return turn
}

func TestAFrontEndCallWaitsForItsResult(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Calls: []Call{{Name: "pick", Arguments: rawJSON(`{"rationale":"only they know","n":2}`)}, {Name: "safe"}}},
		{Text: "done"},
	}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		schema := rawJSON(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
		e := sendWithTools(t, c, FrontEndTool{Name: "pick", Parameters: schema})
		turn := turnOf(t, s, e)
		waiting := turn.Waiting()
		require.Len(t, waiting, 1)
		assert.True(t, waiting[0].FrontEnd)
		assert.Equal(t, "only they know", waiting[0].Rationale.Text.String())
		safe, _ := turn.Call("call_2")
		assert.Equal(t, session.Success, safe.Outcome, "the rest of the batch is recorded")

		answer := func(user, call, result string) error {
			return c.ReturnResult(user, e.Thread, e.Turn, call, rawJSON(result), "")
		}
		assert.ErrorIs(t, answer("bob", "call_1", `1`), ErrNoCall, "another user's call")
		assert.ErrorIs(t, answer("ann", "call_2", `1`), ErrNoCall, "a call of our own tool")
		require.NoError(t, answer("ann", "call_1", `{"color":"blue"}`))
		assert.ErrorIs(t, answer("ann", "call_1", `1`), ErrNoCall, "a call that was answered")
		synctest.Wait()
		assert.Equal(t, []session.Outcome{session.Success, session.Success}, outcomes(t, s, e.Ref))
		last := p.requests[1].Messages
		assert.JSONEq(t, `{"color":"blue"}`, last[len(last)-2].Text, "the model sees the result")
		assert.Equal(t, session.Completed, turnOf(t, s, e).State)
	}, echo("safe"))
}

func TestADeniedFrontEndCallWaitsForNoResult(t *testing.T) {
	inChat(t, oneStep("", Call{Name: "pick", Arguments: command("x | sh")}),
		func(t *testing.T, c *Chat, s *session.Session) {
			e := sendWithTools(t, c, FrontEndTool{Name: "pick"})
			open := openApprovals(t, s, e.Ref)
			require.Len(t, open, 1)
			_, err := c.Approve(t.Context(), "ann", open[0].Approval.Request, session.Deny)
			require.NoError(t, err)
			synctest.Wait()
			assert.Equal(t, []session.Outcome{session.Rejected}, outcomes(t, s, e.Ref))
			assert.ErrorIs(t, c.ReturnResult("ann", e.Thread, e.Turn, open[0].ID, rawJSON(`1`), ""), ErrNoCall)
			assert.Empty(t, c.frontEndCalls.open, "it is not kept for ever")
		})
}

func TestAnUnansweredFrontEndCallStillEnds(t *testing.T) {
	for _, tt := range []struct {
		name    string
		end     func(*testing.T, *Chat, session.Event)
		outcome session.Outcome
		words   string
	}{
		{"nobody comes back", func(*testing.T, *Chat, session.Event) {}, session.Errored, "did not answer in time"},
		{"it failed there", func(t *testing.T, c *Chat, e session.Event) {
			require.NoError(t, c.ReturnResult("ann", e.Thread, e.Turn, "call_1", nil, "the window was closed"))
		}, session.Errored, "the window was closed"},
		{"the turn is stopped", func(t *testing.T, c *Chat, e session.Event) {
			_, err := c.Interrupt(t.Context(), "ann", e.Thread)
			require.NoError(t, err)
		}, session.Cancelled, cancelledCall},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := oneStep("", Call{Name: "pick"})
			inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
				e := sendWithTools(t, c, FrontEndTool{Name: "pick"})
				tt.end(t, c, e)
				c.wg.Wait()
				call, _ := turnOf(t, s, e).Call("call_1")
				assert.Equal(t, tt.outcome, call.Outcome)
				assert.Contains(t, call.Error.String(), tt.words)
				assert.Empty(t, c.frontEndCalls.open, "no call is left behind")
				assert.ErrorIs(t, c.ReturnResult("ann", e.Thread, e.Turn, "call_1", rawJSON(`1`), ""), ErrNoCall)
			})
		})
	}
}

func TestFrontEndToolsBelongToOneTurn(t *testing.T) {
	p := &stepwise{responses: []Response{{Text: "one"}, {Calls: []Call{{Name: "pick"}}}, {Text: "two"}}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		first := sendWithTools(t, c, FrontEndTool{Name: "pick", Description: "Picks."})
		names := func(i int) (all []string) {
			for _, spec := range p.requests[i].Tools {
				all = append(all, spec.Name)
			}
			return all
		}
		assert.Equal(t, []string{"safe", "pick"}, names(0))
		assert.Equal(t, rationaleProperty, p.requests[0].Tools[1].Schema.PropertyOrder[0],
			"its calls get a rationale as well")
		second := send(t, c, first.Thread, "again")
		synctest.Wait()
		assert.Equal(t, []string{"safe"}, names(1))
		assert.Equal(t, []session.Outcome{session.Errored}, outcomes(t, s, second.Ref))
	}, echo("safe"))
}

func TestInvalidFrontEndToolsAreRefusedBeforeTheTurn(t *testing.T) {
	for name, own := range map[string][]FrontEndTool{
		"the name of an agent's tool": {{Name: "fine"}, {Name: "safe"}},
		"one name twice":              {{Name: "pick"}, {Name: "pick"}},
		"no schema":                   {{Name: "fine"}, {Name: "pick", Parameters: rawJSON(`{"type":7}`)}},
		"no object":                   {{Name: "fine"}, {Name: "pick", Parameters: rawJSON(`{"type":"string"}`)}},
		"a dangling $ref":             {{Name: "fine"}, {Name: "pick", Parameters: rawJSON(`{"$ref":"#/$defs/none"}`)}},
		"another document": {{Name: "fine"}, {
			Name: "pick", Parameters: rawJSON(`{"properties":{"a":{"$ref":"https://example.com/x"}}}`),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inChat(t, &stepwise{}, func(t *testing.T, c *Chat, s *session.Session) {
				_, err := c.SendWith(t.Context(), "ann", "", "hi", TurnOptions{Tools: own})
				var bad *ToolError
				require.ErrorAs(t, err, &bad)
				assert.Equal(t, 1, bad.Place)
				assert.Empty(t, s.Threads(), "nothing was started")
				assert.ErrorContains(t, c.CheckTools(t.Context(), own), "tool 1: its ")
				assert.NoError(t, c.CheckTools(t.Context(), own[:1]))
			}, echo("safe"))
		})
	}
}

func TestATurnsContextIsShownToTheModelAndNotStored(t *testing.T) {
	p := &stepwise{responses: []Response{{Text: "one"}, {Text: "two"}}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		before := []Message{{Role: RoleSystem, Text: "The page is dark."}}
		e, err := c.SendWith(t.Context(), "ann", "", "hi", TurnOptions{Context: before})
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, append(before, Message{Role: RoleUser, Text: "hi"}), p.requests[0].Messages)
		send(t, c, e.Thread, "again")
		synctest.Wait()
		for _, m := range p.requests[1].Messages {
			assert.NotContains(t, m.Text, "dark")
		}
	})
}

// A worker has no front end.
func TestWithoutAFrontEndItsCallsAreRejected(t *testing.T) {
	rec := &events{}
	d := newDispatcher(t, oneStep("", Call{Name: "pick"}))
	require.NoError(t, d.Run(t.Context(), rec, []Message{{Role: RoleUser, Text: "hi"}}, FrontEndTool{Name: "pick"}))
	ended := of[session.ToolReturned](rec)[0]
	assert.Equal(t, session.Rejected, ended.Outcome)
	assert.Contains(t, ended.Error.String(), "there is none here")
	_, err := FrontEndTool{}.Run(t.Context(), json.RawMessage(`{}`))
	assert.Error(t, err)
}

// Nobody waits for a front end about a call that is refused.
func TestARefusedCallIsNoFrontEndsCall(t *testing.T) {
	pick := strict("pick").(funcTool)
	pick.spec.FrontEnd = true
	p := oneStep("", Call{Name: "pick", Arguments: rawJSON(`{"path":"a"}`)}, Call{Name: "pick"})
	var marked []bool
	for _, c := range of[session.ToolCalled](runTurn(t, newDispatcher(t, p, pick))) {
		marked = append(marked, c.FrontEnd)
	}
	assert.Equal(t, []bool{true, false}, marked)
}
