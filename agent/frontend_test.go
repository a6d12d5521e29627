package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// post begins a turn that has these tools of its own.
func post(t *testing.T, c *Chat, own ...FrontEndTool) session.Event {
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

func TestACallOfTheFrontEndsToolWaitsForItsResult(t *testing.T) {
	p := &steps{responses: []Response{
		{Calls: []Call{{Name: "pick", Arguments: args(`{"rationale":"only they know","n":2}`)}, {Name: "safe"}}}, {Text: "done"},
	}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		e := post(t, c, FrontEndTool{Name: "pick", Parameters: args(`{"type":"object","properties":{"n":{"type":"integer"}}}`)})
		turn := turnOf(t, s, e)
		waiting := turn.Waiting()
		require.Len(t, waiting, 1)
		assert.True(t, waiting[0].FrontEnd)
		assert.Equal(t, "only they know", waiting[0].Rationale.Text.String())
		safe, _ := turn.Call("call_2")
		assert.Equal(t, session.Success, safe.Outcome, "the rest of the batch is recorded")

		assert.ErrorIs(t, c.ReturnResult("bob", e.Thread, e.Turn, "call_1", args(`1`), ""), ErrNoCall, "another user's")
		assert.ErrorIs(t, c.ReturnResult("ann", e.Thread, e.Turn, "call_2", args(`1`), ""), ErrNoCall, "one of ours")
		require.NoError(t, c.ReturnResult("ann", e.Thread, e.Turn, "call_1", args(`{"color":"blue"}`), ""))
		assert.ErrorIs(t, c.ReturnResult("ann", e.Thread, e.Turn, "call_1", args(`1`), ""), ErrNoCall, "answered already")
		synctest.Wait()
		assert.Equal(t, []session.Outcome{session.Success, session.Success}, outcomes(t, s, e.Ref))
		last := p.requests[1].Messages
		assert.JSONEq(t, `{"color":"blue"}`, last[len(last)-2].Text, "the model sees it")
		assert.Equal(t, session.Completed, turnOf(t, s, e).State)
	}, echo("safe"))
}

func TestWhatAFrontEndDoesNotAnswerEndsAllTheSame(t *testing.T) {
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
				e := post(t, c, FrontEndTool{Name: "pick"})
				tt.end(t, c, e)
				c.wg.Wait()
				call, _ := turnOf(t, s, e).Call("call_1")
				assert.Equal(t, tt.outcome, call.Outcome)
				assert.Contains(t, call.Error.String(), tt.words)
				assert.Empty(t, c.errands.open, "nothing is left behind")
				assert.ErrorIs(t, c.ReturnResult("ann", e.Thread, e.Turn, "call_1", args(`1`), ""), ErrNoCall)
			})
		})
	}
}

func TestAFrontEndsToolIsItsTurnsOnly(t *testing.T) {
	p := &steps{responses: []Response{{Text: "one"}, {Calls: []Call{{Name: "pick"}}}, {Text: "two"}}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		first := post(t, c, FrontEndTool{Name: "pick", Description: "Picks."})
		names := func(i int) (all []string) {
			for _, spec := range p.requests[i].Tools {
				all = append(all, spec.Name)
			}
			return all
		}
		assert.Equal(t, []string{"safe", "pick"}, names(0))
		assert.Equal(t, rationaleProperty, p.requests[0].Tools[1].Schema.PropertyOrder[0], "it is asked why, too")
		second := send(t, c, first.Thread, "again")
		synctest.Wait()
		assert.Equal(t, []string{"safe"}, names(1))
		assert.Equal(t, []session.Outcome{session.Errored}, outcomes(t, s, second.Ref))
	}, echo("safe"))
}

func TestToolsThatATurnCannotHaveAreRefusedBeforeItBegins(t *testing.T) {
	for name, own := range map[string][]FrontEndTool{
		"the name of ours": {{Name: "fine"}, {Name: "safe"}},
		"one name twice":   {{Name: "pick"}, {Name: "pick"}},
		"no schema":        {{Name: "fine"}, {Name: "pick", Parameters: args(`{"type":7}`)}},
		"no object":        {{Name: "fine"}, {Name: "pick", Parameters: args(`{"type":"string"}`)}},
		"a dangling $ref":  {{Name: "fine"}, {Name: "pick", Parameters: args(`{"$ref":"#/$defs/none"}`)}},
		"another document": {{Name: "fine"}, {Name: "pick", Parameters: args(`{"properties":{"a":{"$ref":"https://example.com/x"}}}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			inChat(t, &steps{}, func(t *testing.T, c *Chat, s *session.Session) {
				_, err := c.SendWith(t.Context(), "ann", "", "hi", TurnOptions{Tools: own})
				var bad *ToolError
				require.ErrorAs(t, err, &bad)
				assert.Equal(t, 1, bad.Place)
				assert.Empty(t, s.Threads(), "nothing was begun")
			}, echo("safe"))
		})
	}
}

func TestWhatAFrontEndSaysOfItselfIsShownAndNotKept(t *testing.T) {
	p := &steps{responses: []Response{{Text: "one"}, {Text: "two"}}}
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

func TestSealedReasoningSaysNothingAndGoesNowhereElse(t *testing.T) {
	p := &steps{responses: []Response{{Calls: []Call{{Name: "a"}}, Opaque: sealed("p", "raw thoughts of the model")}, {Text: "one"}, {Text: "two"}}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		e := send(t, c, "", "hi")
		synctest.Wait()
		text := c.EncryptedReasoning("ann", e.Thread, 1, "call_1")
		require.NotEmpty(t, text)
		assert.NotContains(t, text, "thoughts")
		assert.Equal(t, text, c.EncryptedReasoning("ann", e.Thread, 1, "call_1"), "a replay gives the same")
		assert.Empty(t, c.EncryptedReasoning("ann", e.Thread, 2, "call_1"))

		for name, err := range map[string]error{
			"another user":   c.RestoreReasoning("bob", e.Thread, 1, "call_1", text),
			"another thread": c.RestoreReasoning("ann", "other", 1, "call_1", text),
			"another turn":   c.RestoreReasoning("ann", e.Thread, 2, "call_1", text),
			"another call":   c.RestoreReasoning("ann", e.Thread, 1, "call_2", text),
			"a changed text": c.RestoreReasoning("ann", e.Thread, 1, "call_1", "A"+text[1:len(text)-1]+"_"),
			"no text":        c.RestoreReasoning("ann", e.Thread, 1, "call_1", "not base64!"),
			"a short text":   c.RestoreReasoning("ann", e.Thread, 1, "call_1", "AAAA"),
			"a long text":    c.RestoreReasoning("ann", e.Thread, 1, "call_1", strings.Repeat("A", MaxEncryptedReasoning+1)),
		} {
			assert.ErrorIs(t, err, ErrEncryptedReasoning, name)
		}

		c.opaque = opaqueStore{} // it held too much for others
		require.NoError(t, c.RestoreReasoning("ann", e.Thread, 1, "call_1", text))
		send(t, c, e.Thread, "again")
		synctest.Wait()
		assert.Equal(t, sealed("p", "raw thoughts of the model"), p.requests[2].Messages[1].Opaque, "the model has them back")
	}, echo("a"))
}

func TestSealedReasoningDoesNotReplaceWhatIsHeld(t *testing.T) {
	c := NewChat(session.NewMemory(nil), dispatcher(t, &steps{}), 0)
	defer c.Close(context.Background())
	c.opaque.put("t", 1, "call_1", sealed("old", "one"))
	text := c.EncryptedReasoning("ann", "t", 1, "call_1")
	c.opaque.put("t", 2, "call_1", sealed("new", "two"))
	require.NoError(t, c.RestoreReasoning("ann", "t", 1, "call_1", text))
	assert.Nil(t, c.opaque.get("t", 1, "call_1"), "no provider is given what a different one wrote")
	assert.Equal(t, sealed("new", "two"), c.opaque.get("t", 2, "call_1"))

	c.opaque.put("u", 1, "call_1", []Opaque{{Provider: "p", Data: make([]byte, MaxEncryptedReasoning)}})
	assert.Empty(t, c.EncryptedReasoning("ann", "u", 1, "call_1"), "what is too large stays with us")
}

func TestUsageIsRecordedWithWhatItPaidFor(t *testing.T) {
	p := &steps{responses: []Response{
		{Calls: []Call{{Name: "a"}}, Usage: Usage{Input: 10, Output: 5, Reasoning: 2}}, {Text: "done", Usage: Usage{Input: 20, Output: 3}},
	}}
	rec := runTurn(t, dispatcher(t, p, echo("a")))
	assert.Equal(t, session.Usage{Input: 10, Output: 5, Reasoning: 2}, of[session.StepEnded](rec)[0].Usage)
	assert.Equal(t, session.Usage{Input: 20, Output: 3}, of[session.TurnCompleted](rec)[0].Usage)
	assert.Equal(t, session.Usage{Input: 30, Output: 8, Reasoning: 2}, rec.turn.Usage, "the turn has the sum")
}

// Without a front end, as in a worker, the call of such a tool is refused.
func TestWithoutAFrontEndItsToolsAreRefused(t *testing.T) {
	rec := &events{}
	d := dispatcher(t, oneStep("", Call{Name: "pick"}))
	require.NoError(t, d.Run(t.Context(), rec, []Message{{Role: RoleUser, Text: "hi"}}, FrontEndTool{Name: "pick"}))
	ended := of[session.ToolReturned](rec)[0]
	assert.Equal(t, session.Rejected, ended.Outcome)
	assert.Contains(t, ended.Error.String(), "there is none here")
	_, err := FrontEndTool{}.Run(t.Context(), json.RawMessage(`{}`))
	assert.Error(t, err)
}
