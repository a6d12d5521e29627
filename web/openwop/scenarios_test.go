package openwop_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	assert.Equal(t, "host:candor", agent["agentId"])
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
