package openwop_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// decisionURL returns where a question about a decision is answered.
func decisionURL(t *testing.T, s *apptest.Server) (run, question string) {
	t.Helper()
	run = startRun(t, s, m{"workflowId": "conformance-agent-low-confidence"})["statusUrl"].(string)
	awaitStatus(t, s, run, "waiting-approval")
	return run, run + "/interrupts/agent"
}

// A resumeValue that is half an answer must not let the agent's decision stand.
func TestAnswersToADecision(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	agents := m{"action": "deploy"}
	for value, want := range map[string]any{
		`{"decision":null}`:                   nil,
		`{"approved":null,"decision":null}`:   nil,
		`{"approved":"no"}`:                   nil,
		`{"approved":0,"decision":"x"}`:       nil,
		`{"approved":true}`:                   agents,
		`{"approved":true,"decision":null}`:   agents,
		`"approve"`:                           agents,
		`{"approved":null,"decision":"wait"}`: "wait",
		`{"approved":true,"decision":[]}`:     []any{},
		`{"decision":{"decision":"deny"}}`:    m{"decision": "deny"},
		`{"action":"wait"}`:                   m{"action": "wait"},
		`"wait"`:                              "wait",
		`false`:                               false,
	} {
		t.Run(value, func(t *testing.T) {
			run, question := decisionURL(t, s)
			r := s.Post("ann", question, `{"resumeValue":`+value+`}`)
			if want == nil {
				require.Equal(t, http.StatusBadRequest, r.Status, r.Body)
				assert.Equal(t, "waiting-approval", s.Get("ann", run).JSON()["status"], "the question stays open")
				return
			}
			require.Equal(t, http.StatusOK, r.Status, r.Body)
			decided := ofType(events(t, s, run+"/events"), "agent.decided")
			assert.Equal(t, want, decided[len(decided)-1]["decision"])
		})
	}
}

// A resumeValue is read once, however deep it is: to unwrap level by level costs the square of
// its length.
func TestADecisionWithinADecisionAnswersNoCall(t *testing.T) {
	s := apptest.Start(t, fixtures, asking())
	at := say(t, s, "Deploy.")["statusUrl"].(string)
	awaitStatus(t, s, at, "waiting-approval")
	for _, value := range []string{
		`{"decision":{"decision":"approve"}}`, `{"decision":{"approved":true}}`, `{"decision":{"approved":false}}`,
	} {
		r := s.Post("ann", at+"/interrupts/agent", `{"resumeValue":`+value+`}`)
		assert.Equal(t, http.StatusBadRequest, r.Status, value)
		assert.Equal(t, "waiting-approval", s.Get("ann", at).JSON()["status"])
	}
}

// Whoever sends an answer twice must not let a call run that they have not seen.
func TestANodeThatAsksSeveralThingsIsAnsweredByInterrupt(t *testing.T) {
	call := func(to string) m { return m{"name": "deploy", "arguments": m{"to": to}} }
	script := asking()
	script["steps"].([]m)[0]["tool_calls"] = []m{call("staging"), call("production")}
	s := apptest.Start(t, fixtures, script)
	at := say(t, s, "Deploy.")["statusUrl"].(string)
	open := func() []any { return s.Get("ann", at).JSON()["x-candor-interrupts"].([]any) }
	awaitStatus(t, s, at, "waiting-approval")
	apptest.Eventually(t, "both calls wait", func() bool { return len(open()) == 2 })
	refused := s.Post("ann", at+"/interrupts/agent", `{"resumeValue":"approve"}`)
	assert.Equal(t, http.StatusBadRequest, refused.Status, refused.Body)
	first := at + "/interrupts/" + open()[0].(m)["interruptId"].(string)
	require.Equal(t, http.StatusOK, s.Post("ann", first, `{"resumeValue":"approve"}`).Status)
	again := s.Post("ann", first, `{"resumeValue":"approve"}`)
	assert.Equal(t, "interrupt_already_resolved", again.JSON()["error"])
	assert.Len(t, open(), 1, "the other question is open")
	require.Equal(t, http.StatusOK, s.Post("ann", at+"/interrupts/agent", `{"resumeValue":"deny"}`).Status)
	returned := ofType(events(t, s, at+"/events"), "agent.toolReturned")
	require.Len(t, returned, 2)
	assert.Equal(t, []any{"ok", "forbidden"}, []any{returned[0]["status"], returned[1]["status"]})
}

// What a client has to wait for is not refused for a day.
func TestARefusalThatChangesWithTimeIsNotKept(t *testing.T) {
	s := apptest.Start(t, fixtures, asking())
	at := say(t, s, "Deploy.")["statusUrl"].(string)
	awaitStatus(t, s, at, "waiting-approval")
	key := apptest.Header("Idempotency-Key", "one")
	early := s.Post("ann", at+":fork", `{"mode":"replay"}`, key)
	require.Equal(t, "run_state_conflict", early.JSON()["error"], early.Body)
	require.Equal(t, http.StatusOK, s.Post("ann", at+"/interrupts/agent", `{"resumeValue":"deny"}`).Status)
	events(t, s, at+"/events")
	assert.Equal(t, http.StatusCreated, s.Post("ann", at+":fork", `{"mode":"replay"}`, key).Status)
}
