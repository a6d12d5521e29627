package worker

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/session"
)

func use(call, tool string) Event { return ToolUse(call, tool, json.RawMessage(`{}`)) }

func returned(call, tool string) Event {
	return ToolResult(call, tool, session.Success, json.RawMessage(`"ok"`), "", 0)
}

func reason(tools ...string) Event {
	var d []Decision
	for i, tool := range tools {
		d = append(d, Decision{ToolName: tool, Reason: Reason{Group: new(i)}})
	}
	return Reasoning("n", d...)
}

func folded(events ...Event) *past {
	p := &past{prompts: []string{"first", "second"}}
	for _, e := range events {
		p.add(e)
	}
	return p
}

func rolesOf(messages []agent.Message) (roles []agent.Role) {
	for _, m := range messages {
		roles = append(roles, m.Role)
	}
	return roles
}

func TestTheConversationIsRebuiltFromCompleteSteps(t *testing.T) {
	p := folded(Status("running", ""),
		use("call_1", "a"), Message("user", "second"), use("call_2", "b"), returned("call_1", "a"), returned("call_2", "b"), reason("a", "b"),
		Message("assistant", "the answer"),
		use("call_3", "a"), returned("call_3", "a"), reason("a"),
		use("call_4", "half done"))
	p.begin()
	const u, a, tool = agent.RoleUser, agent.RoleAssistant, agent.RoleTool
	assert.Equal(t, []agent.Role{u, a, tool, tool, a, u, a, tool}, rolesOf(p.messages), "the open step is no part of it")
	assert.Equal(t, "first", p.messages[0].Text)
	assert.Equal(t, "second", p.messages[5].Text)
	assert.Equal(t, "earlier_call_2", p.messages[3].CallID)
	assert.Equal(t, []any{1, "the answer", 4, 1}, []any{p.turns, p.answer, p.calls, p.groups})
}

// A worker can die after any event. Whatever it left open is closed, the closing may
// itself be cut off, and the fold of log and closing is always a log without open steps.
func TestClosingMendsALogThatIsCutAnywhere(t *testing.T) {
	whole := []Event{
		use("call_1", "delegate"), use("call_2", "b"),
		Status("handoff", "→ helper"), use("call_3", "x"), use("call_4", "y"), returned("call_3", "x"), returned("call_4", "y"), reason("x", "y"),
		use("call_5", "x"), returned("call_5", "x"), reason("x"), Status("handoff", "→"),
		returned("call_1", "delegate"), returned("call_2", "b"), reason("delegate", "b"),
		use("call_6", "b"), returned("call_6", "b"), reason("b"), Message("assistant", "done"),
	}
	for cut := range len(whole) + 1 {
		closing := folded(whole[:cut]...).closing()
		for again := range len(closing) + 1 {
			first := append(append([]Event(nil), whole[:cut]...), closing[:again]...)
			rest := folded(first...).closing()
			p := folded(append(first, rest...)...)
			require.Empty(t, p.closing(), "cut at %d, and again at %d", cut, again)
			require.Empty(t, p.step)
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
	assert.Empty(t, folded(whole...).closing())
	assert.Len(t, folded(whole...).messages, 7, "a sub-agent's steps are not the agent's")
}

// What the log has of a step that was cut off is what its closing says of it.
func TestClosingRepeatsTheReasonsThatCameWithTheCalls(t *testing.T) {
	why := func(e Event, r Reason) Event {
		e.Reason = r
		return e
	}
	told := Reason{Rationale: "to see", Source: session.FromModel, Group: new(2)}
	withheld := Reason{Rationale: "ours", Source: session.FromFallback, Blocked: true, Group: new(2)}
	first := why(use("call_1", "a"), told)
	first.Narrative = "I look first."
	inner := why(use("call_3", "x"), Reason{Rationale: "a sub-agent's"})
	inner.Narrative = "Somebody else's."
	p := folded(first, why(use("call_2", "b"), withheld), returned("call_1", "a"), inner)
	closing := p.closing()
	last := closing[len(closing)-1]
	assert.Equal(t, "I look first.", last.Narrative)
	assert.Equal(t, []Decision{
		{ToolName: "a", Outcome: session.Success, Reason: told}, {ToolName: "b", Outcome: session.Cancelled, Reason: withheld},
	}, last.ToolDecisions)
	for _, e := range closing {
		p.add(e)
	}
	assert.Equal(t, 3, p.groups, "the next group is none that the log has")
	p = folded(Event{Kind: KindToolUse, CallID: "call_1", ToolName: "a", NarrativeBlocked: true})
	closing = p.closing()
	assert.True(t, closing[len(closing)-1].NarrativeBlocked)
}
