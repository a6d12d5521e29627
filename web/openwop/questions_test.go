package openwop_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/openwop"
)

// sure is how sure of a call an agent is, where 0.7 is asked for.
func sure(stated float64) *session.Confidence {
	return &session.Confidence{Stated: stated, Threshold: 0.7}
}

// aCall is a call of a tool, and aDecision one that states a decision.
func aCall(c *session.Confidence) session.ToolCalled {
	return session.ToolCalled{
		Step: 1, Call: "call_1", Tool: words("delete"), Params: value(`{"path":"/tmp"}`),
		Rationale: session.Fallback(),
		Transport: session.Native, Confidence: c,
	}
}

func aDecision(c *session.Confidence) session.ToolCalled {
	b := aCall(c)
	b.Decides, b.Params = true, value(`{"decision":{"route":"left"}}`)
	return b
}

func asked(low bool) session.Body {
	return session.ApprovalAsked{
		Request: "ask-1", Call: "call_1", Description: words("It deletes."), Shown: value(`{"path":"/tmp"}`),
		LowConfidence: low,
	}
}

func answered(a session.Answer, said string) session.Body {
	b := session.ApprovalAnswered{Request: "ask-1", Call: "call_1", Answer: a}
	if said != "" {
		b.Value = value(said)
	}
	return b
}

func ended(o session.Outcome) session.Body {
	return session.ToolReturned{Call: "call_1", Outcome: o, Error: words("no")}
}

// tail returns the events after the start of the node.
func tail(t *testing.T, v openwop.View, facts ...session.Body) []wire {
	t.Helper()
	return sent(t, projected(v, recorded(t, session.Workflow{}, lead(facts...))))[2:]
}

var (
	inV1       = openwop.View{Version: openwop.V1, User: "ann", Verbosity: openwop.Off}
	inV2       = openwop.View{Version: openwop.V2, User: "ann", Verbosity: openwop.Off}
	orchestral = openwop.View{Version: openwop.V1, User: "ann", Verbosity: openwop.Off, Orchestrator: true}
)

// leads is what some facts become for a client with a view, after the start of the node.
type leads struct {
	view  openwop.View
	facts []session.Body
	want  []string
}

func (c leads) check(t *testing.T) {
	t.Helper()
	assert.Equal(t, c.want, types(tail(t, c.view, c.facts...)))
}

func TestWhatALowConfidenceLeadsTo(t *testing.T) {
	suppressed := sure(0.4)
	suppressed.Suppressed = true
	for name, c := range map[string]leads{
		"a decision is no call of a tool": {
			inV1, []session.Body{aDecision(nil), ended(session.Success)}, []string{"agent.decided"},
		},
		"a call with a confidence is a decision, too": {
			inV1, []session.Body{aCall(sure(0.9)), ended(session.Success)},
			[]string{"agent.toolCalled", "agent.decided", "agent.toolReturned"},
		},
		"a low one suspends its node until a person has decided": {
			inV1, []session.Body{aDecision(sure(0.4)), asked(true), answered(session.Approve, ""),
				ended(session.Success)},
			[]string{"agent.decided", "node.suspended", "node.resumed", "agent.decided"},
		},
		"or becomes an orchestrator's question": {
			orchestral, []session.Body{aDecision(sure(0.4)), asked(true), answered(session.Approve, ""),
				ended(session.Success)},
			[]string{"agent.decided", "runOrchestrator.decided", "agent.decided"},
		},
		"or is suppressed, which an event of ours says": {
			inV1, []session.Body{aCall(suppressed), ended(session.Success)},
			[]string{"agent.toolCalled", "agent.decided", "candor.confidence.escalation-suppressed",
				"agent.toolReturned"},
		},
		"where it is high there is nothing to suppress": {
			inV1, []session.Body{aCall(&session.Confidence{Stated: 0.7, Threshold: 0.7, Suppressed: true})},
			[]string{"agent.toolCalled", "agent.decided"},
		},
		"an approval suspends the node, and nobody decides again": {
			inV1, []session.Body{aCall(nil), asked(false), answered(session.Approve, ""), ended(session.Success)},
			[]string{"agent.toolCalled", "node.suspended", "node.resumed", "agent.toolReturned"},
		},
		"an orchestrator does not ask for approvals": {
			orchestral, []session.Body{aCall(nil), asked(false), answered(session.Approve, "")},
			[]string{"agent.toolCalled", "node.suspended", "node.resumed"},
		},
	} {
		t.Run(name, c.check)
	}
}

func TestWhatBecomesOfAQuestion(t *testing.T) {
	for name, c := range map[string]leads{
		"a person's no is the decision": {
			inV1, []session.Body{aDecision(sure(0.4)), asked(true), answered(session.Deny, ""),
				ended(session.Rejected)},
			[]string{"agent.decided", "node.suspended", "node.resumed", "agent.decided"},
		},
		"a question that is withdrawn is answered by nobody": {
			inV1, []session.Body{aDecision(sure(0.4)), asked(true), answered(session.Withdrawn, ""),
				ended(session.Cancelled)},
			[]string{"agent.decided", "node.suspended"},
		},
		"a decision that could not be taken says so": {
			inV1, []session.Body{aDecision(nil), ended(session.Errored)}, []string{"agent.decided", "agent.decided"},
		},
		"nonsense is no confidence": {
			inV1, []session.Body{aCall(&session.Confidence{Stated: math.NaN()}), aCall2(math.Inf(1)), asked(true)},
			[]string{"agent.toolCalled", "agent.toolCalled", "node.suspended"},
		},
	} {
		t.Run(name, c.check)
	}
}

func aCall2(stated float64) session.ToolCalled {
	b := aCall(&session.Confidence{Stated: stated})
	b.Call = "call_2"
	return b
}

func TestWhatASuspensionSaysInEachVersion(t *testing.T) {
	facts := []session.Body{aCall(sure(0.4)), asked(true)}
	question := map[string]any{
		"callId": "call_1", "tool": "delete", "description": "It deletes.", "hidden": 0.0,
		"arguments": map[string]any{"path": "/tmp"},
	}
	assert.Equal(t, map[string]any{
		"nodeId": "agent", "interruptId": "interrupt.agent.call_1", "kind": "low-confidence",
		"reason":  "low-confidence",
		"agentId": "host:candor", "threshold": 0.7, "observed": 0.4, "x-candor-question": question,
	}, of(tail(t, inV1, facts...), "node.suspended")[0].Payload)
	v2 := of(tail(t, inV2, facts...), "node.suspended")[0].Payload
	assert.Equal(t, 0.7, v2["x-candor-threshold"])
	assert.Equal(t, 0.4, v2["x-candor-observed"])
	assert.Equal(t, "host:candor", v2["x-candor-agent-id"])
	for _, closed := range []string{"threshold", "observed", "agentId"} {
		assert.NotContains(t, v2, closed, "version 2 has no such member")
	}
	approval := of(tail(t, inV1, aCall(nil), asked(false)), "node.suspended")[0].Payload
	assert.Equal(t, "approval", approval["kind"])
	assert.NotContains(t, approval, "threshold")
}

func TestWhatWasDecidedInTheEnd(t *testing.T) {
	left := map[string]any{"route": "left"}
	for name, c := range map[string]struct {
		call session.ToolCalled
		said session.Body
		want any
		by   any
	}{
		"the agent's decision, if a person agrees": {
			aDecision(sure(0.4)), answered(session.Approve, ""), left, "person",
		},
		"a person's own decision": {
			aDecision(sure(0.4)), answered(session.Approve, `"right"`), "right", "person",
		},
		"a person's own decision, even if it is no": {
			aDecision(sure(0.4)), answered(session.Approve, `false`), false, "person",
		},
		"that a decision is refused": {
			aDecision(sure(0.4)), answered(session.Deny, `"right"`),
			map[string]any{"denied": left}, "person",
		},
		"that a call is refused": {
			aCall(sure(0.4)), answered(session.Deny, ""),
			map[string]any{"tool": "delete", "callId": "call_1", "answer": "deny"}, "person",
		},
		"that a call may run": {
			aCall(sure(0.4)), answered(session.Approve, ""),
			map[string]any{"tool": "delete", "callId": "call_1", "answer": "approve"}, "person",
		},
		"that nobody answered about a decision in time": {
			aDecision(sure(0.4)), answered(session.Expired, ""),
			map[string]any{"tool": "delete", "callId": "call_1", "answer": "expired"}, nil,
		},
		"that nobody answered in time": {
			aCall(sure(0.4)), answered(session.Expired, ""),
			map[string]any{"tool": "delete", "callId": "call_1", "answer": "expired"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			decisions := of(tail(t, inV1, c.call, asked(true), c.said), "agent.decided")
			require.Len(t, decisions, 2)
			assert.Equal(t, 0.4, decisions[0].Payload["confidence"])
			assert.Equal(t, c.want, decisions[1].Payload["decision"])
			assert.Equal(t, c.by, decisions[1].Payload["x-candor-by"])
			assert.NotContains(t, decisions[1].Payload, "confidence", "it would have to be asked about again")
		})
	}
}

func TestADecisionIsTheParameterOfThatName(t *testing.T) {
	decided := func(params safety.JSON) any {
		b := aDecision(nil)
		b.Params = params
		return of(tail(t, inV1, b), "agent.decided")[0].Payload["decision"]
	}
	assert.Equal(t, "left", decided(value(`{"decision":"left","why":1}`)))
	assert.Equal(t, map[string]any{"route": "left"}, decided(value(`{"route":"left"}`)), "otherwise all of them")
	assert.Equal(t, "left", decided(value(`"left"`)))
}

func TestCausesLeadFromAQuestionBackToItsCall(t *testing.T) {
	events := tail(t, inV1, aCall(sure(0.4)), asked(true), answered(session.Approve, ""), ended(session.Success))
	call, decided, suspended, resumed, again, returned := events[0], events[1], events[2], events[3], events[4],
		events[5]
	assert.Equal(t, call.EventID, decided.CausationID)
	assert.Equal(t, decided.EventID, suspended.CausationID)
	assert.Equal(t, suspended.EventID, resumed.CausationID)
	assert.Equal(t, resumed.EventID, again.CausationID)
	assert.Equal(t, call.EventID, returned.CausationID)
}

func TestARunWaitsForWhatItAsks(t *testing.T) {
	for name, c := range map[string]struct {
		view  openwop.View
		facts []session.Body
		want  openwop.Status
	}{
		"a run that works": {inV1, []session.Body{aCall(nil)}, openwop.Running},
		"an approval":      {inV1, []session.Body{aCall(nil), asked(false)}, openwop.WaitingApproval},
		"a low confidence": {inV1, []session.Body{aCall(sure(0.4)), asked(true)}, openwop.WaitingApproval},
		"an orchestrator's question": {
			orchestral, []session.Body{aCall(sure(0.4)), asked(true)}, openwop.WaitingInput,
		},
		"an approval, besides it": {
			orchestral, []session.Body{aCall(nil), asked(false)}, openwop.WaitingApproval,
		},
		"nothing, after an answer": {
			inV1, []session.Body{aCall(nil), asked(false), answered(session.Deny, "")}, openwop.Running,
		},
		"nothing, once it has ended": {
			inV1, []session.Body{aCall(nil), asked(false), session.TurnInterrupted{}}, openwop.Cancelled,
		},
		"nothing, once it is done":    {inV1, []session.Body{answer("Done.")}, openwop.Completed},
		"nothing, once it has failed": {inV1, []session.Body{session.TurnFailed{}}, openwop.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			log := recorded(t, session.Workflow{}, lead(c.facts...))
			turn := log[len(log)-1].Turn
			assert.Equal(t, c.want, openwop.StatusOf(c.view, turn))
			snapshot := openwop.Snapshot(c.view, turn)
			assert.Equal(t, c.want, snapshot.Status)
			waits := c.want == openwop.WaitingApproval || c.want == openwop.WaitingInput
			assert.Equal(t, waits, snapshot.CurrentNodeID == "agent")
			assert.Equal(t, waits, len(openwop.Interrupts(c.view, turn)) == 1)
		})
	}
}

func TestAnInterruptLeadsToTheSessionsRequest(t *testing.T) {
	log := recorded(t, session.Workflow{}, lead(aDecision(sure(0.4)), asked(true)))
	open := openwop.Interrupts(inV2, log[len(log)-1].Turn)
	require.Len(t, open, 1)
	assert.Equal(t, "ask-1", open[0].Request)
	assert.True(t, open[0].Decides)
	suspended := of(sent(t, projected(inV2, log)), "node.suspended")[0]
	assert.EqualValues(t, suspended.Payload["interruptId"], open[0].InterruptID)
	assert.EqualValues(t, suspended.Payload["kind"], open[0].Kind)
}
