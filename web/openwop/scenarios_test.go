package openwop_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// The scenarios by which clients of the protocol are known to check a host, each against the
// workflow that it asks for.

func TestScenarioAnAgentReasonsAndActs(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	run := startRun(t, s, m{"workflowId": "conformance-agent-reasoning"})
	all := events(t, s, run["eventsUrl"].(string))
	calls := map[any]any{}
	agents := 0
	for _, e := range all {
		p := e["payload"].(m)
		if strings.HasPrefix(e["type"].(string), "agent.") && e["type"] != "agent.handoff" {
			agents++
			assert.GreaterOrEqual(t, len(p["agentId"].(string)), 3)
		}
		switch e["type"] {
		case "agent.toolCalled":
			calls[p["callId"]] = e["eventId"]
		case "agent.toolReturned":
			require.Contains(t, calls, p["callId"])
			assert.Equal(t, calls[p["callId"]], e["causationId"])
		}
	}
	assert.Positive(t, agents)
	assert.GreaterOrEqual(t, len(calls), 2)
	assert.NotEmpty(t, ofType(all, "agent.reasoned"))
	assert.NotEmpty(t, ofType(all, "agent.handoff"))
	assert.NotEmpty(t, ofType(all, "agent.decided"))
	returned := ofType(all, "agent.toolReturned")
	assert.Contains(t, returned[0], "outcome")
	assert.NotContains(t, returned[0], "error")
	assert.Contains(t, returned[1], "error")
	assert.NotContains(t, returned[1], "outcome")
}

func TestScenarioReasoningArrivesInParts(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	run := startRun(t, s, m{"workflowId": "conformance-agent-reasoning-streaming"})
	all := events(t, s, run["eventsUrl"].(string)+"?streamMode=debug")
	deltas := ofType(all, "agent.reasoning.delta")
	require.Len(t, deltas, 3)
	text := ""
	for i, d := range deltas {
		assert.EqualValues(t, i, d["sequence"])
		assert.Equal(t, deltas[0]["agentId"], d["agentId"])
		text += d["delta"].(string)
	}
	closed := ofType(all, "agent.reasoned")
	require.Len(t, closed, 1)
	assert.Equal(t, text, closed[0]["reasoning"])
	assert.Equal(t, deltas[0]["agentId"], closed[0]["agentId"])
	types := strings.Join(typesOf(all), " ")
	assert.Contains(t, types, "agent.reasoning.delta agent.reasoning.delta agent.reasoning.delta agent.reasoned")
}

func TestScenarioAnAgentThatIsNotSureAsks(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	run := startRun(t, s, m{"workflowId": "conformance-agent-low-confidence"})
	at := run["statusUrl"].(string)
	awaitStatus(t, s, at, "waiting-approval")
	before := s.Get("ann", at+"/events", apptest.Header("Accept", "application/json"))
	require.Equal(t, http.StatusOK, before.Status)
	var held []m
	for _, e := range before.JSON()["events"].([]any) {
		held = append(held, e.(m))
	}
	assert.Equal(t, "node.suspended", held[len(held)-1]["type"])
	asked := ofType(held, "node.suspended")[0]
	assert.Equal(t, "low-confidence", asked["reason"])
	assert.InDelta(t, 0.7, asked["threshold"], 0)
	assert.InDelta(t, 0.5, asked["observed"], 0)
	assert.Equal(t, ofType(held, "agent.decided")[0]["agentId"], asked["agentId"])

	node := asked["nodeId"].(string)
	r := s.Post("ann", at+"/interrupts/"+node, `{"resumeValue":{"decision":{"action":"wait"}}}`)
	require.Equal(t, http.StatusOK, r.Status, r.Body)
	all := events(t, s, at+"/events")
	decided := ofType(all, "agent.decided")
	require.Len(t, decided, 2, "a decision follows the answer")
	assert.Equal(t, m{"action": "wait"}, decided[1]["decision"], "the person's")
	assert.Equal(t, "run.completed", all[len(all)-1]["type"])
	again := s.Post("ann", at+"/interrupts/"+node, `{"resumeValue":"approve"}`)
	assert.Equal(t, http.StatusConflict, again.Status, again.Body)
	assert.Equal(t, "interrupt_already_resolved", again.JSON()["error"])
}

// Strictly less than the threshold asks, and the run's own threshold is what counts.
func TestScenarioARunSetsItsThreshold(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	for threshold, status := range map[float64]string{
		0: "completed", 0.5: "completed", 0.51: "waiting-approval", 1: "waiting-approval",
	} {
		run := startRun(t, s, m{"workflowId": "conformance-agent-low-confidence",
			"configurable": m{"escalationThreshold": threshold}})
		awaitStatus(t, s, run["statusUrl"].(string), status)
	}
	r := s.Post("ann", "/runs", `{"workflowId":"conformance-agent-low-confidence",`+
		`"configurable":{"version":1,"run":{"escalationThreshold":0.5},"ai":{"reasoningVerbosity":"none"}}}`, version2)
	require.Equal(t, http.StatusCreated, r.Status, r.Body)
	awaitStatus(t, s, r.JSON()["statusUrl"].(string), "completed")
	assert.NotContains(t, s.Get("ann", r.JSON()["eventsUrl"].(string)).Body, "agent.reasoned")
}

func TestScenarioARunSaysWhoseItIs(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	run := startRun(t, s, m{"workflowId": "conformance-agent-identity"})
	events(t, s, run["eventsUrl"].(string))
	agent := s.Get("ann", run["statusUrl"].(string)).JSON()["agent"].(m)
	assert.Equal(t, "core.conformance.identity-agent", agent["agentId"])
}

// Nodes and agents have the names that the suite's own fixtures give them.
func TestScenarioFixturesHaveTheNamesOfTheSuite(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	for workflow, want := range map[string][2]string{
		"conformance-agent-reasoning":           {"reasoner", "core.conformance.reasoning-agent"},
		"conformance-agent-reasoning-streaming": {"streaming-reasoner", "core.conformance.streaming-reasoner"},
		"conformance-agent-identity":            {"echo", "core.conformance.identity-agent"},
	} {
		all := events(t, s, startRun(t, s, m{"workflowId": workflow})["eventsUrl"].(string)+"?streamMode=debug")
		started := ofType(all, "node.started")[0]
		assert.Equal(t, want[0], started["nodeId"], workflow)
		assert.Equal(t, want[1], started["agent"].(m)["agentId"], workflow)
		assert.Equal(t, want[1], ofType(all, "node.completed")[0]["agent"].(m)["agentId"], workflow)
		for _, e := range all {
			if who, is := e["payload"].(m)["agentId"]; is && strings.HasPrefix(e["type"].(string), "agent.") {
				assert.Contains(t, []string{want[1], "core.conformance.handoff-target_1"}, who, e["type"])
			}
		}
		for _, closed := range ofType(all, "agent.reasoned") {
			if workflow == "conformance-agent-reasoning-streaming" {
				assert.Equal(t, "Let me think about this. First, the user is asking a question. "+
					"Therefore, I should respond clearly.", closed["reasoning"])
			}
		}
	}
	run := startRun(t, s, m{"workflowId": "conformance-agent-low-confidence"})
	awaitStatus(t, s, run["statusUrl"].(string), "waiting-approval")
	waits := s.Get("ann", run["statusUrl"].(string)).JSON()
	assert.Equal(t, "low-conf-decider", waits["currentNodeId"])
	assert.Equal(t, "core.conformance.low-conf-decider", waits["agent"].(m)["agentId"])
}

func TestScenarioAThresholdThatIsNullIsNone(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	run := startRun(t, s, m{"workflowId": "conformance-agent-low-confidence",
		"configurable": m{"escalationThreshold": nil}})
	awaitStatus(t, s, run["statusUrl"].(string), "completed")
	r := s.Post("ann", "/runs", `{"workflowId":"conformance-agent-low-confidence",`+
		`"configurable":{"run":{"escalationThreshold":null}}}`, version2)
	awaitStatus(t, s, r.JSON()["statusUrl"].(string), "completed")
	run = startRun(t, s, m{"workflowId": "conformance-agent-low-confidence", "configurable": m{}})
	awaitStatus(t, s, run["statusUrl"].(string), "waiting-approval")
}

func TestScenarioARunWaitsAndIsCancelled(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	run := startRun(t, s, m{"workflowId": "conformance-delay", "inputs": m{"delayMs": 1}})
	awaitStatus(t, s, run["statusUrl"].(string), "completed")
	for _, wrong := range []any{-1, 60001, "soon"} {
		run = startRun(t, s, m{"workflowId": "conformance-delay", "inputs": m{"delayMs": wrong}})
		awaitStatus(t, s, run["statusUrl"].(string), "failed")
	}
	run = startRun(t, s, m{"workflowId": "conformance-cancellable"})
	awaitStatus(t, s, run["statusUrl"].(string), "running")
	require.Equal(t, http.StatusOK, s.Post("ann", run["statusUrl"].(string)+"/cancel", `{}`).Status)
	awaitStatus(t, s, run["statusUrl"].(string), "cancelled")
}

func TestScenarioAPersonOpensAGate(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	for value, status := range map[string]string{
		`{"action":"accept"}`: "completed", `{"approved":true}`: "completed", `{"action":"reject"}`: "failed",
	} {
		run := startRun(t, s, m{"workflowId": "conformance-approval"})
		at := run["statusUrl"].(string)
		awaitStatus(t, s, at, "waiting-approval")
		for _, wrong := range []string{`{"action":"maybe"}`, `{"action":"accept","approved":false}`} {
			r := s.Post("ann", at+"/interrupts/gate", `{"resumeValue":`+wrong+`}`)
			assert.Equal(t, http.StatusBadRequest, r.Status, wrong)
		}
		r := s.Post("ann", at+"/interrupts/gate", `{"resumeValue":`+value+`}`)
		require.Equal(t, http.StatusOK, r.Status, r.Body)
		awaitStatus(t, s, at, status)
		suspended := ofType(events(t, s, run["eventsUrl"].(string)), "node.suspended")
		require.Len(t, suspended, 1)
		assert.Equal(t, "approval", suspended[0]["kind"])
	}
}

// A suite makes more runs in a minute than a person sends messages.
func TestScenarioASuiteIsNotStoppedByTheRateOfMessages(t *testing.T) {
	once := func(s *app.Settings) { s.SendsPerMinute = 1 }
	with := fixtures
	once(&with)
	s := apptest.Start(t, with, apptest.Answering("Hello."))
	for range 3 {
		startRun(t, s, m{"workflowId": "conformance-idempotent", "inputs": m{"nonce": "x"}})
	}
	bare := quick
	once(&bare)
	s = apptest.Start(t, bare, apptest.Answering("Hello."))
	run := startRun(t, s, m{"workflowId": "chat", "inputs": m{"message": "Hi."}})
	assert.Equal(t, http.StatusTooManyRequests,
		s.Post("ann", "/v1/runs", `{"workflowId":"chat","inputs":{"message":"Hi."}}`).Status)
	assert.Equal(t, http.StatusNotImplemented, s.Post("ann", run["statusUrl"].(string)+":resume", `{}`).Status)
}

func TestScenarioAMessageThatComesTwiceIsFoldedOnce(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	run := startRun(t, s, m{"workflowId": "conformance-message-reducer"})
	all := events(t, s, run["eventsUrl"].(string))
	outputs := ofType(all, "run.completed")[0]["outputs"].(m)
	assert.Len(t, outputs["messages"], 3)
}

func TestScenarioInputsBecomeVariables(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	payload := m{"n": 1.5, "list": []any{"a", nil, true}, "text": "plain"}
	run := startRun(t, s, m{"workflowId": "conformance-identity", "inputs": m{"payload": payload}})
	events(t, s, run["eventsUrl"].(string))
	now := s.Get("ann", run["statusUrl"].(string)).JSON()
	assert.Equal(t, payload, now["variables"].(m)["payload"])
}

func TestScenarioNodesRunInOrder(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	run := startRun(t, s, m{"workflowId": "conformance-multi-node"})
	var ended []any
	for _, p := range ofType(events(t, s, run["eventsUrl"].(string)), "node.completed") {
		ended = append(ended, p["nodeId"])
	}
	assert.Equal(t, []any{"a", "b", "c"}, ended)
}

func TestScenarioARunFails(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	run := startRun(t, s, m{"workflowId": "conformance-failure"})
	all := events(t, s, run["eventsUrl"].(string))
	assert.Equal(t, "run.failed", all[len(all)-1]["type"])
	assert.Equal(t, "failed", s.Get("ann", run["statusUrl"].(string)).JSON()["status"])
}

// Without the flag there are no such workflows, and so no mock agent.
func TestFixturesHaveToBeAskedFor(t *testing.T) {
	s := apptest.Start(t, quick, apptest.Answering("Hello."))
	for _, id := range []string{"conformance-noop", "conformance-agent-reasoning"} {
		assert.Equal(t, http.StatusBadRequest, s.Post("ann", "/v1/runs", `{"workflowId":"`+id+`"}`).Status)
		assert.Equal(t, http.StatusNotFound, s.Get("ann", "/v1/workflows/"+id).Status)
	}
}
