package worker

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/session"
)

func called(call, tool string) Event { return ToolUse(call, tool, json.RawMessage(`{}`)) }

func succeeded(call, tool string) Event {
	return ToolResult(call, tool, session.Success, json.RawMessage(`"ok"`), "", 0)
}

func explained(tools ...string) Event {
	var d []Decision
	for i, tool := range tools {
		d = append(d, Decision{ToolName: tool, Reason: Reason{Group: new(i)}})
	}
	return Reasoning("n", d...)
}

func folded(events ...Event) *history {
	h := &history{prompts: []string{"first", "second"}}
	for _, e := range events {
		h.add(e)
	}
	return h
}

func rolesOf(messages []agent.Message) (roles []agent.Role) {
	for _, m := range messages {
		roles = append(roles, m.Role)
	}
	return roles
}

func TestTheConversationIsRebuiltFromCompleteSteps(t *testing.T) {
	h := folded(Status("running", ""),
		called("call_1", "a"), Message("user", "second"), called("call_2", "b"),
		succeeded("call_1", "a"), succeeded("call_2", "b"), explained("a", "b"),
		Message("assistant", "the answer"),
		called("call_3", "a"), succeeded("call_3", "a"), explained("a"),
		called("call_4", "half done"))
	h.addPrompt()
	const u, a, tool = agent.RoleUser, agent.RoleAssistant, agent.RoleTool
	want := []agent.Role{u, a, tool, tool, a, u, a, tool}
	assert.Equal(t, want, rolesOf(h.messages), "an open step is not part of the conversation")
	assert.Equal(t, "first", h.messages[0].Text)
	assert.Equal(t, "second", h.messages[5].Text)
	assert.Equal(t, "earlier_call_2", h.messages[3].CallID)
	assert.Equal(t, []any{1, "the answer", 4, 1}, []any{h.turns, h.answer, h.calls, h.groups})
}

// A worker can be killed after any event, and so can the next one while it closes what
// was left open. However often that happens, the log ends up without open calls.
func TestClosingEventsCompleteALogThatIsCutAnywhere(t *testing.T) {
	whole := []Event{
		called("call_1", "delegate"), called("call_2", "b"),
		Status("handoff", "→ helper"), called("call_3", "x"), called("call_4", "y"),
		succeeded("call_3", "x"), succeeded("call_4", "y"), explained("x", "y"),
		called("call_5", "x"), succeeded("call_5", "x"), explained("x"), Status("handoff", "→"),
		succeeded("call_1", "delegate"), succeeded("call_2", "b"), explained("delegate", "b"),
		called("call_6", "b"), succeeded("call_6", "b"), explained("b"), Message("assistant", "done"),
	}
	for cut := range len(whole) + 1 {
		closing := folded(whole[:cut]...).closingEvents()
		for again := range len(closing) + 1 {
			first := append(append([]Event(nil), whole[:cut]...), closing[:again]...)
			rest := folded(first...).closingEvents()
			h := folded(append(first, rest...)...)
			require.Empty(t, h.closingEvents(), "cut at %d, and again at %d", cut, again)
			require.Empty(t, h.step)
			open := map[string]bool{}
			for _, e := range append(first, rest...) {
				switch e.Kind {
				case KindToolUse:
					open[e.CallID] = true
				case KindToolResult:
					require.True(t, open[e.CallID], "one result for each call")
					delete(open, e.CallID)
				}
			}
			require.Empty(t, open, "cut at %d", cut)
		}
	}
	assert.Empty(t, folded(whole...).closingEvents())
	assert.Len(t, folded(whole...).messages, 7, "steps of sub-agents are not part of the conversation")
}

func TestClosingEventsKeepTheReasonsPostedWithTheCalls(t *testing.T) {
	why := func(e Event, r Reason) Event {
		e.Reason = r
		return e
	}
	given := Reason{Rationale: "to see", Source: session.FromModel, Group: new(2)}
	withheld := Reason{Rationale: "ours", Source: session.FromFallback, Blocked: true, Group: new(2)}
	first := why(called("call_1", "a"), given)
	first.Narrative = "I look first."
	inner := why(called("call_3", "x"), Reason{Rationale: "a sub-agent's"})
	inner.Narrative = "Somebody else's."
	h := folded(first, why(called("call_2", "b"), withheld), succeeded("call_1", "a"), inner)
	closing := h.closingEvents()
	last := closing[len(closing)-1]
	assert.Equal(t, "I look first.", last.Narrative)
	assert.Nil(t, closing[0].DurationMS, "nobody knows how long the killed call took")
	assert.Equal(t, []Decision{
		{ToolName: "a", CallID: "call_1", Outcome: session.Success, Reason: given},
		{ToolName: "b", CallID: "call_2", Outcome: session.Cancelled, Reason: withheld},
	}, last.ToolDecisions)
	for _, e := range closing {
		h.add(e)
	}
	assert.Equal(t, 3, h.groups, "the next parallel group gets a new number")
	h = folded(Event{Kind: KindToolUse, CallID: "call_1", ToolName: "a", NarrativeBlocked: true})
	closing = h.closingEvents()
	assert.True(t, closing[len(closing)-1].NarrativeBlocked)
}
