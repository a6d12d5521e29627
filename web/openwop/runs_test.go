package openwop_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/openwop"
)

func TestWhatACallAndItsResultSay(t *testing.T) {
	call := aCall(nil)
	call.Group, call.Transport = new(0), session.HTTP
	result := session.ToolReturned{
		Call: "call_1", Outcome: session.Success, Result: value(`[1]`), Took: 1500 * time.Microsecond,
	}
	events := tail(t, inV1, call, result)
	called := events[0].Payload
	assert.NotEmpty(t, called["principal"])
	assert.NotContains(t, called["principal"], "ann", "a user's name may be an address")
	delete(called, "principal")
	assert.Equal(t, map[string]any{
		"agentId": "host:candor", "toolName": "delete", "callId": "call_1", "inputs": map[string]any{"path": "/tmp"},
		"argsHash":  "ef28a75876b54cb665beeb4cb10d72f463c59d196f5ee4a08e62ac67e7247639",
		"transport": "http", "x-candor-parallel-group": 0.0,
	}, called)
	assert.Equal(t, map[string]any{
		"agentId": "host:candor", "toolName": "delete", "callId": "call_1", "outcome": []any{1.0}, "status": "ok",
		"durationMs": 1.0, "x-candor-outcome": "success",
	}, events[1].Payload)
}

func TestHowACallEnds(t *testing.T) {
	for name, c := range map[string]struct {
		outcome  session.Outcome
		before   []session.Body
		status   string
		code     any
		duration bool
	}{
		"with a result":           {session.Success, nil, "ok", nil, true},
		"with an error":           {session.Errored, nil, "error", "candor.tool_error", true},
		"refused, it has not run": {session.Rejected, nil, "forbidden", "candor.tool_rejected", false},
		"stopped while it ran":    {session.Cancelled, nil, "error", "candor.tool_cancelled", true},
		"stopped while it waited": {
			session.Cancelled, []session.Body{asked(false)}, "error", "candor.tool_cancelled", false,
		},
		"refused by a person": {
			session.Rejected, []session.Body{asked(false), answered(session.Deny, "")}, "forbidden",
			"candor.tool_rejected", false,
		},
		"with a result, if allowed": {
			session.Success, []session.Body{asked(false), answered(session.Always, "")}, "ok", nil, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			facts := append([]session.Body{aCall(nil)}, c.before...)
			returned := of(tail(t, inV1, append(facts, ended(c.outcome))...), "agent.toolReturned")[0].Payload
			assert.Equal(t, c.status, returned["status"])
			assert.Equal(t, c.duration, returned["durationMs"] != nil)
			fault, failed := returned["error"].(map[string]any)
			assert.Equal(t, c.code != nil, failed)
			_, has := returned["outcome"]
			assert.NotEqual(t, failed, has, "either an outcome or an error")
			if failed {
				assert.Equal(t, c.code, fault["code"])
				assert.NotEmpty(t, fault["message"])
			}
		})
	}
}

func TestATaskIsHandedOnAndBack(t *testing.T) {
	events := sent(t, projected(inV1, recorded(t, session.Workflow{}, []fact{
		{"", aCall(nil)}, {"", session.Handoff{Call: "call_1", To: "helper_1", Text: words("look")}},
		{"helper_1", session.Handoff{Call: "call_1", From: "helper_1"}},
	})))
	handoffs := of(events, "agent.handoff")
	assert.Equal(t, map[string]any{
		"fromAgentId": "host:candor", "toAgentId": "host:helper_1", "reason": "look", "x-candor-call-id": "call_1",
	}, handoffs[0].Payload)
	assert.NotContains(t, handoffs[1].Payload, "reason", "there is none")
	assert.Equal(t, of(events, "agent.toolCalled")[0].EventID, handoffs[1].CausationID)
}

func TestAChatsRunIsOneNode(t *testing.T) {
	for name, c := range map[string]struct {
		end  session.Body
		want []string
	}{
		"that answers": {
			answer("Sunny."), []string{"run.started", "node.started", "node.completed", "run.completed"},
		},
		"that fails": {
			session.TurnFailed{Error: words("gone")}, []string{"run.started", "node.started", "node.failed",
				"run.failed"},
		},
		"that is stopped": {
			session.TurnInterrupted{}, []string{"run.started", "node.started", "node.cancelled", "run.cancelled"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			events := sent(t, projected(inV1, recorded(t, session.Workflow{}, lead(c.end))))
			assert.Equal(t, c.want, types(events))
			assert.Equal(t, map[string]any{"message": "What is the weather?"}, events[0].Payload["inputs"])
			assert.Equal(t, "host:candor", events[1].Payload["agent"].(map[string]any)["agentId"])
			assert.Equal(t, "host:candor", events[2].Payload["agent"].(map[string]any)["agentId"])
		})
	}
}

func TestAWorkflowsNodesAreThoseOfItsLog(t *testing.T) {
	log := recorded(t, session.Workflow{ID: "conformance-identity", Inputs: value(`{"payload":[1]}`)}, lead(
		session.NodeStarted{Node: "a", Type: "core.identity"}, session.NodeEnded{Node: "a",
			Outputs: value(`{"payload":[2]}`)},
		session.NodeStarted{Node: "b", Type: "core.conformance.mock-agent"}, aCall(nil), ended(session.Success),
		session.NodeEnded{Node: "b", Outputs: value(`17`)}, session.NodeStarted{Node: "c", Type: "core.noop"},
		session.NodeEnded{Node: "c", Error: words("broken")}, session.NodeEnded{Node: "d"}, answer(""),
	))
	events := sent(t, projected(inV1, log))
	assert.Equal(t, []string{
		"run.started", "node.started", "node.completed", "node.started", "agent.toolCalled", "agent.toolReturned",
		"node.completed", "node.started", "node.failed", "run.completed",
	}, types(events))
	assert.Equal(t, map[string]any{"payload": []any{1.0}}, events[0].Payload["inputs"])
	assert.NotContains(t, events[1].Payload, "agent", "no agent works on it")
	assert.Contains(t, events[3].Payload, "agent")
	assert.Equal(t, "b", events[4].NodeID)
	assert.Equal(t, map[string]any{"value": 17.0}, events[6].Payload["outputs"], "outputs are an object")
	assert.Equal(t, map[string]any{"payload": []any{2.0}, "value": 17.0}, events[9].Payload["outputs"])

	turn := log[len(log)-1].Turn
	s := openwop.Snapshot(inV1, turn)
	assert.JSONEq(t, `[2]`, string(s.Variables["payload"]), "what a node puts out replaces what the run was given")
	assert.JSONEq(t, `[1]`, string(s.Inputs["payload"]))
	assert.Equal(t, openwop.Failed, s.NodeStates["c"].Status)
	assert.Equal(t, openwop.Completed, s.NodeStates["b"].Status)
	assert.NotNil(t, s.Agent)
	assert.Nil(t, openwop.Snapshot(inV1, log[2].Turn).Agent, "no agent has worked on it yet")
}

func TestARunThatWaitsForItsTurnHasNoEvents(t *testing.T) {
	s, thread := newSession(t)
	begin(t, s, thread, session.Workflow{}, nil)
	e, err := s.AcceptRun(thread, words("And then?"), nil, session.Workflow{ID: "chat",
		Inputs: value(`{"message":"And then?"}`)})
	require.NoError(t, err)
	log := updates(t, s, e.Ref)
	assert.Empty(t, projected(inV1, log))
	queued := openwop.Snapshot(inV1, log[0].Turn)
	assert.Equal(t, openwop.Pending, queued.Status)
	assert.Empty(t, queued.StartedAt)
	assert.Empty(t, queued.NodeStates)

	_, err = s.Append(e.Ref, session.TurnInterrupted{})
	require.NoError(t, err)
	assert.Equal(t, []string{"run.cancelled"}, types(sent(t, projected(inV1, updates(t, s, e.Ref)))))
}

func TestASnapshotShowsWhatTheClientSet(t *testing.T) {
	w := session.Workflow{
		ID: "chat", Options: value(`{"tags":["a"],"metadata":{"b":1},"configurable":{"escalationThreshold":0.5}}`),
		ReplayOf: session.Ref{Thread: "550e8400-e29b-41d4-a716-446655440001", Turn: 3},
	}
	log := recorded(t, w, lead(session.TurnFailed{}))
	turn := log[len(log)-1].Turn
	for _, v := range []openwop.View{inV1, inV2} {
		raw := newSchemas(t).valid(t, v.Version, "run-snapshot", openwop.Snapshot(v, turn))
		assert.Contains(t, string(raw), `"tags":["a"],"metadata":{"b":1},"configurable":{"escalationThreshold":0.5}`)
		parent := openwop.RunID(v.Version, "ann", w.ReplayOf)
		name := map[openwop.Version]string{openwop.V1: "parentRunId", openwop.V2: "x-candor-parent-run-id"}[v.Version]
		assert.Contains(t, string(raw), `"`+name+`":"`+parent+`"`)
		assert.Contains(t, string(raw), `"error":{"code":"candor.run_failed","message":"The run failed."}`)
		assert.Equal(t, v.Version == openwop.V2, openwop.Snapshot(v, turn).Owner != nil)
	}
}

func TestWhatEachModeShows(t *testing.T) {
	suppressed := sure(0.4)
	suppressed.Suppressed = true
	v := streaming
	log := recorded(t, session.Workflow{}, lead(append(spoken(1, "I look."), narrated(1, "I look."),
		aCall(suppressed), ended(session.Success), answer("Sunny."))...))
	for mode, want := range map[openwop.Mode][]string{
		openwop.Debug: {
			"run.started", "node.started", "agent.reasoning.delta", "agent.reasoned", "agent.toolCalled",
			"agent.decided",
			"candor.confidence.escalation-suppressed", "agent.toolReturned", "node.completed", "run.completed",
		},
		openwop.Updates: {
			"run.started", "node.started", "agent.reasoning.delta", "agent.reasoned", "agent.toolCalled",
			"agent.decided",
			"agent.toolReturned", "node.completed", "run.completed",
		},
		openwop.Values:   {"state.snapshot", "state.snapshot", "state.snapshot", "state.snapshot"},
		openwop.Messages: {"ai.message.chunk"},
		"loud":           nil,
	} {
		t.Run(string(mode), func(t *testing.T) {
			p := openwop.NewProjector(v)
			var events []openwop.Event
			for _, up := range log {
				for _, e := range p.Project(up.Turn, up.Event) {
					if shown, ok := mode.Show(v, up.Turn, e); ok {
						events = append(events, shown)
					}
				}
			}
			assert.Equal(t, want, types(sent(t, events)))
			if mode == openwop.Messages {
				chunk := sent(t, events)[0]
				assert.Equal(t, "Sunny.", chunk.Payload["chunk"])
				assert.Equal(t, "agent", chunk.NodeID)
				assert.Equal(t, chunk.RunID, chunk.Payload["runId"])
			}
			if mode == openwop.Values {
				assert.Equal(t, "completed", sent(t, events)[3].Payload["status"])
			}
		})
	}
}

func TestAQuestionOfAnOrchestratorIsAStateOfTheRun(t *testing.T) {
	log := recorded(t, session.Workflow{}, lead(aCall(sure(0.4)), asked(true)))
	turn := log[len(log)-1].Turn
	events := projected(orchestral, log)
	last := events[len(events)-1]
	require.Equal(t, openwop.OrchestratorDecided, last.Kind)
	shown, ok := openwop.Values.Show(orchestral, turn, last)
	require.True(t, ok)
	payload := sent(t, []openwop.Event{shown})[0].Payload
	assert.Equal(t, "waiting-input", payload["status"])
	assert.Equal(t, payload["agent"], payload["runOrchestrator"])
	ask := sent(t, []openwop.Event{last})[0].Payload["decision"]
	assert.Equal(t, map[string]any{"kind": "ask-user", "prompt": "It deletes."}, ask)
}

func TestWhatIsNotOfARunIsLeftOut(t *testing.T) {
	p := openwop.NewProjector(inV1)
	assert.Empty(t, p.Project(session.Turn{}, session.Event{Body: session.ThreadOpened{}}))
	log := recorded(t, session.Workflow{}, lead(
		ended(session.Success), answered(session.Approve, ""), asked(true), session.StepEnded{Step: 1},
		answer("Sunny."),
	))
	assert.Equal(t, []string{"run.started", "node.started", "node.completed", "run.completed"},
		types(sent(t, projected(inV1, log))), "results and questions of calls that nobody saw")
}
