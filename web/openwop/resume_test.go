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
	return run, run + "/interrupts/low-conf-decider"
}

// A resumeValue that is half an answer must not let the agent's decision stand.
func TestAnswersToADecision(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	agents := m{"kind": "stub-low-conf"}
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
		`{"decision":"wait"}`:                 "wait",
		`{"decision":false}`:                  false,
		`{"decision":{"approved":"no"}}`:      m{"approved": "no"},
		`{"action":"wait"}`:                   nil,
		`{"approve":true}`:                    nil,
		`{}`:                                  nil,
		`"wait"`:                              nil,
		`"approved"`:                          nil,
		`"Approve"`:                           nil,
		`""`:                                  nil,
		`["approve"]`:                         nil,
		`true`:                                nil,
		`false`:                               nil,
		`{"approved":"true"}`:                 nil,
		`{"approved":true,"arguments":{}}`:    nil,
		`{"approved":true,"editedArgs":null}`: nil,
	} {
		t.Run(value, func(t *testing.T) {
			run, question := decisionURL(t, s)
			r := s.Post("ann", question, `{"resumeValue":`+value+`}`)
			if want == nil {
				require.Equal(t, http.StatusBadRequest, r.Status, r.Body)
				assert.Contains(t, r.JSON()["message"], `{"decision": …} for a decision of your own`)
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

// askingTwice starts a run of ann's whose one node asks two things, and returns where it is and a
// function that returns the interruptIds of those that are open.
func askingTwice(t *testing.T) (s *apptest.Server, at string, open func() []string) {
	t.Helper()
	call := func(to string) m { return m{"name": "deploy", "arguments": m{"to": to}} }
	script := asking()
	script["steps"].([]m)[0]["tool_calls"] = []m{call("staging"), call("production")}
	s = apptest.Start(t, fixtures, script)
	at = say(t, s, "Deploy.")["statusUrl"].(string)
	open = func() (ids []string) {
		all, _ := s.Get("ann", at).JSON()["x-candor-interrupts"].([]any)
		for _, one := range all {
			ids = append(ids, one.(m)["interruptId"].(string))
		}
		return ids
	}
	apptest.Eventually(t, "both calls wait", func() bool { return len(open()) == 2 })
	return s, at, open
}

// Whoever sends an answer twice must not let a call run that they have not seen.
func TestANodeThatAsksSeveralThingsIsAnsweredByInterrupt(t *testing.T) {
	s, at, open := askingTwice(t)
	refused := s.Post("ann", at+"/interrupts/agent", `{"resumeValue":"approve"}`)
	assert.Equal(t, http.StatusConflict, refused.Status, refused.Body)
	assert.Equal(t, "run_state_conflict", refused.JSON()["error"])
	ids := []any{open()[0], open()[1]}
	assert.Equal(t, m{"interruptIds": ids}, refused.JSON()["details"])
	first := at + "/interrupts/" + open()[0]
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

// A client that names a question answers it, or none.
func TestAnInterruptIdChoosesTheQuestion(t *testing.T) {
	s, at, open := askingTwice(t)
	first, second := open()[0], open()[1]
	node := at + "/interrupts/agent"
	for name, c := range map[string]struct {
		path, id string
		status   int
		code     any
	}{
		"an id that nobody has":           {node, `"nobody's"`, 404, "interrupt_not_found"},
		"no id at all":                    {node, `""`, 404, "interrupt_not_found"},
		"a number":                        {node, `7`, 400, wrong},
		"the node's name":                 {node, `"agent"`, 404, "interrupt_not_found"},
		"an id that nobody has, as query": {node + "?interruptId=nobodys", `null`, 404, "interrupt_not_found"},
		"an empty query":                  {node + "?interruptId=", `null`, 404, "interrupt_not_found"},
		"a query of one, a body of another": {node + "?interruptId=" + first, `"` + second + `"`,
			404, "interrupt_not_found"},
		"a path of one, a body of another": {at + "/interrupts/" + first, `"` + second + `"`,
			404, "interrupt_not_found"},
		"another node": {at + "/interrupts/other", `"` + first + `"`, 404, "interrupt_not_found"},
	} {
		r := s.Post("ann", c.path, `{"resumeValue":"approve","interruptId":`+c.id+`}`)
		assert.Equal(t, c.status, r.Status, "%s: %s", name, r.Body)
		assert.Equal(t, c.code, r.JSON()["error"], name)
		require.Len(t, open(), 2, name)
	}
	r := s.Post("ann", node, `{"resumeValue":"deny","interruptId":"`+second+`","note":"hold","interrupt":"x"}`)
	require.Equal(t, http.StatusOK, r.Status, r.Body)
	assert.Equal(t, []string{first}, open(), "the one that was named is answered")
	again := s.Post("ann", node, `{"resumeValue":"approve","interruptId":"`+second+`"}`)
	assert.Equal(t, "interrupt_already_resolved", again.JSON()["error"], "and no other in its place")
	require.Equal(t, http.StatusOK, s.Post("ann", node+"?interruptId="+first, `{"resumeValue":"approve"}`).Status)
	returned := ofType(events(t, s, at+"/events"), "agent.toolReturned")
	require.Len(t, returned, 2)
	assert.ElementsMatch(t, []any{"ok", "forbidden"}, []any{returned[0]["status"], returned[1]["status"]})
}

// An id of version 2 has a slash.
func TestAnInterruptIdOfVersion2ChoosesTheQuestion(t *testing.T) {
	s := apptest.Start(t, fixtures, asking())
	run := s.Post("ann", "/runs", `{"workflowId":"conformance-agent-low-confidence"}`, version2).JSON()
	at := run["statusUrl"].(string)
	open := awaitStatus(t, s, at, "waiting-approval")["x-candor-interrupts"].([]any)[0].(m)
	id := open["interruptId"].(string)
	bare := s.Post("ann", at+"/interrupts/low-conf-decider",
		`{"resumeValue":"approve","interruptId":"interrupt.low-conf-decider.call_1"}`)
	assert.Equal(t, http.StatusNotFound, bare.Status, bare.Body)
	named := s.Post("ann", at+"/interrupts/low-conf-decider", `{"resumeValue":"approve","interruptId":"`+id+`"}`)
	assert.Equal(t, http.StatusOK, named.Status, named.Body)
}

// The query is a part of the request, so a key does not carry an answer to another question.
func TestAKeyIsOfOneQuestion(t *testing.T) {
	s := apptest.Start(t, fixtures, asking())
	run, question := decisionURL(t, s)
	id := awaitStatus(t, s, run, "waiting-approval")["x-candor-interrupts"].([]any)[0].(m)["interruptId"].(string)
	key := apptest.Header("Idempotency-Key", "one")
	early := s.Post("ann", question+"?interruptId=x", `{"resumeValue":"deny"}`, key)
	assert.Equal(t, "interrupt_not_found", early.JSON()["error"], early.Body)
	first := s.Post("ann", question+"?interruptId="+id, `{"resumeValue":"deny"}`, key)
	assert.Equal(t, http.StatusOK, first.Status, "what changes with time is not kept")
	other := s.Post("ann", question+"?interruptId=x", `{"resumeValue":"deny"}`, key)
	assert.Equal(t, "idempotency_key_mismatch", other.JSON()["error"])
}
