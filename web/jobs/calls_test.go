package jobs

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// pairings posts events one by one and returns the ids that the answers give to their
// calls, with a question mark where the log says that one was inferred.
func pairings(t *testing.T, events ...string) (ids []string) {
	t.Helper()
	j := newJobServer(t)
	for _, e := range events {
		w := j.post("", e)
		require.Equal(t, http.StatusOK, w.Code, w.Body)
	}
	own, err := j.store.Open(t.Context(), testUser)
	require.NoError(t, err)
	logged, _, err := own.JobEvents(j.id, 0, 1000)
	require.NoError(t, err)
	for _, e := range logged {
		ids = append(ids, shownIDs(e)...)
	}
	return ids
}

func use(id, tool string) string    { return callEvent("tool_use", id, tool) }
func result(id, tool string) string { return callEvent("tool_result", id, tool) }

func callEvent(kind, id, tool string) string {
	return fmt.Sprintf(`{"event":%q,"tool_name":%q,"call_id":%q}`, kind, tool, id)
}

// reasons returns a reasoning event with a decision for each pair of an id and a tool.
func reasons(outcome string, idsAndTools ...string) string {
	var list []string
	for i := 0; i < len(idsAndTools); i += 2 {
		list = append(list, fmt.Sprintf(`{"tool_name":%q,"call_id":%q,"rationale":"why","outcome":%q}`,
			idsAndTools[i+1], idsAndTools[i], outcome))
	}
	return `{"event":"reasoning","tool_decisions":[` + strings.Join(list, ",") + `]}`
}

func TestCallIDsArePairedAsTheWorkerMeantThem(t *testing.T) {
	as := func(agent, event string) string { return strings.Replace(event, `{`, `{"agent":"`+agent+`",`, 1) }
	for _, tt := range []struct {
		name   string
		events []string
		want   string
	}{
		{"results in another order", []string{use("toolu_a", "x"), use("toolu_b", "x"), result("toolu_b", "x"),
			result("toolu_a", "x")}, "1 2 2 1"},
		{"decisions in another order", []string{use("a", "x"), use("b", "x"), reasons("success", "b", "x", "a", "x")},
			"1 2 2 1"},
		{"without ids, by tool and order", []string{use("", "x"), use("", "y"), use("", "x"), result("", "y"),
			result("", "x"), result("", "x"), reasons("success", "", "x", "", "y", "", "x")},
			"1 2 3 2? 1? 3? 1? 2? 3?"},
		{"a result without an id is not taken for a call that has one", []string{use("a", "x"), use("", "x"),
			result("", "x"), result("a", "x")}, "1 2 2? 1"},
		{"a result with an id that no call has", []string{use("a", "x"), result("b", "x")}, "1 2"},
		{"a result with the id of a call of another tool", []string{use("a", "x"), result("a", "y")}, "1 2"},
		{"a second result for one call", []string{use("a", "x"), result("a", "x"), result("a", "x")}, "1 1 2"},
		{"a result before its call", []string{result("a", "x"), use("a", "x"), reasons("success", "a", "x")}, "1 1 1"},
		{"results before their calls", []string{result("b", "x"), result("a", "y"), use("a", "y"), use("b", "x")},
			"1 2 2 1"},
		{"a result before a call of another tool", []string{result("a", "x"), use("a", "y")}, "1 2"},
		{"a result that is repeated, and another call with its id", []string{use("a", "x"), result("a", "x"),
			result("a", "x"), use("a", "x"), result("a", "x")}, "1 1 2 3 3"},
		{"a decision with an id that no call has", []string{use("a", "x"), reasons("success", "b", "x")}, "1 2"},
		{"an id that is used again after its result", []string{use("a", "x"), result("a", "x"), use("a", "x"),
			reasons("success", "a", "x"), result("a", "x")}, "1 1 2 2 2"},
		{"an id that is used again while its call is open", []string{use("a", "x"), use("a", "x"), result("a", "x"),
			result("a", "x")}, "1 2 1? 2?"},
		{"an open id of two tools", []string{use("a", "x"), use("a", "y"), result("a", "y"), result("a", "x")},
			"1 2 2 1"},
		{"one id of two agents", []string{as("p", use("a", "x")), as("q", use("a", "x")), as("q", result("a", "x")),
			as("p", result("a", "x")), as("q", reasons("success", "a", "x"))}, "1 2 2 1 2"},
		{"an agent's result is not another's", []string{use("a", "x"), as("p", result("a", "x"))}, "1 2"},
		{"a decision that announces its call", []string{reasons("pending", "a", "x"), use("a", "x"), result("a", "x")},
			"1 1 1"},
		{"a decision that announces its call without an id", []string{reasons("pending", "", "x"), use("", "x"),
			result("", "x")}, "1 1? 1?"},
		{"a decision alone, then another call of its tool", []string{reasons("success", "", "x"), use("", "x")}, "1 2"},
		{"reasons that are posted again with their outcome", []string{use("a", "x"), reasons("pending", "a", "x"),
			result("a", "x"), reasons("success", "a", "x"), reasons("success", "a", "x")}, "1 1 1 1 1"},
		{"a step whose reasons were never posted", []string{use("", "x"), result("", "x"), use("", "x"),
			reasons("success", "", "x")}, "1 1? 2 2?"},
		{"our own ids, which come back as they are", []string{use("call_3", "x"), use("call_4", "x"),
			result("call_4", "x"), use("b", "x")}, "3 4 4 5"},
		{"our id for a call that had another one", []string{use("toolu_a", "x"), result("call_1", "x")}, "1 1"},
		{"an id that only looks like ours", []string{use("a", "x"), use("call_1", "x"), result("call_2", "x"),
			result("call_1", "x")}, "1 2 3 2"},
		{"an id that looks like ours, of another agent", []string{as("p", use("a", "x")), as("q", result("call_1",
			"x"))},
			"1 2"},
		{"a tool_result of IronClaw, which names no tool", []string{use("toolu_a", "x"),
			`{"event_type":"tool_result","data":{"tool_use_id":"toolu_a","output":1}}`}, "1 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, strings.Join(pairings(t, tt.events...), " "))
		})
	}
}

func TestCallIDsGoOnThroughTheRunsOfAJob(t *testing.T) {
	j := newJobServer(t)
	assert.Contains(t, j.post("", use("toolu_a", "x")).Body.String(), `"call_id":"call_1"`)
	require.Equal(t, http.StatusOK, j.post("", `{"event":"result","success":true}`).Code)
	worker := j.token
	j.token = testToken
	w := j.do("POST", "/api/jobs/"+j.id+"/restart", "", `{}`)
	require.Equal(t, http.StatusAccepted, w.Code, w.Body)
	j.token = tokenIn(t, w.Body.Bytes())
	require.NotEqual(t, worker, j.token)
	assert.Contains(t, j.do("GET", "/worker/"+j.id+"/job", "", "").Body.String(), `"calls":1`)
	assert.Contains(t, j.post("", result("toolu_a", "x")).Body.String(), `"call_id":"call_2"`,
		"the call of the run before is over")
	assert.Contains(t, j.post("", use("call_1", "x")).Body.String(), `"call_id":"call_3"`)
}

// A refused batch must not leave calls behind that a later post could be taken for.
func TestARefusedBatchBeginsNoCall(t *testing.T) {
	j := newJobServer(t)
	bad := `[` + use("a", "x") + `,{"event":"result"},{"event":"message","content":"too late"}]`
	require.Equal(t, http.StatusUnauthorized, j.post("", bad).Code)
	assert.Contains(t, j.post("", result("a", "x")).Body.String(), `"call_id":"call_1"`)
	assert.Contains(t, j.post("", use("b", "x")).Body.String(), `"call_id":"call_2"`)
}

// TestAResultBeforeItsCallWaitsForIt holds that what overtakes its call is one decision with it, in one post and in
// two.
func TestAResultBeforeItsCallWaitsForIt(t *testing.T) {
	ended := `{"event":"tool_result","tool_name":"shell","call_id":"c1","outcome":"success","output":"a"}`
	began := `{"event":"tool_use","tool_name":"shell","call_id":"c1","input":{"command":"ls"},"rationale":"To see."}`
	for name, posts := range map[string][]string{
		"in one post": {"[" + ended + "," + began + `,{"event":"reasoning"}]`}, "in two posts": {ended, began},
		"without the tool's name": {strings.Replace(ended, `"tool_name":"shell",`, "", 1), began},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJobServer(t)
			for _, post := range posts {
				w := j.post("", post)
				require.Equal(t, http.StatusOK, w.Code, w.Body)
			}
			own, err := j.store.Open(t.Context(), testUser)
			require.NoError(t, err)
			logged, _, err := own.JobEvents(j.id, 0, 1000)
			require.NoError(t, err)
			turn := session.JobTurns(logged)[0]
			require.Len(t, turn.Steps, 1)
			require.Len(t, turn.Steps[0].Calls, 1)
			call := turn.Steps[0].Calls[0]
			assert.Equal(t, "shell", call.Tool.String())
			assert.Equal(t, "To see.", call.Rationale.Text.String())
			assert.Equal(t, session.Success, call.Outcome)
			assert.JSONEq(t, `"a"`, string(call.Result.Raw()))
			assert.JSONEq(t, `{"command":"ls"}`, string(call.Params.Raw()))
		})
	}
}

func TestIDsAreNotKept(t *testing.T) {
	long := strings.Repeat("9", 300)
	j := newJobServer(t)
	require.Equal(t, http.StatusOK, j.post("", `[`+use(long, "x")+`,`+result(long, "x")+`]`).Code)
	j.token = testToken
	for _, path := range []string{"", "/events", "/export?format=jsonl"} {
		body := j.do("GET", "/api/jobs/"+j.id+path, "", "").Body.String()
		assert.NotContains(t, body, long[:12])
		assert.NotEmpty(t, body)
	}
}

func TestCandidatesAreBounded(t *testing.T) {
	var table callTable
	for range 3 * maxCandidates {
		table.use(referTo("", "x", "", noText))
		table.use(referTo("", "x", "same", noText))
	}
	for _, lists := range []map[digest][]*call{table.byID, table.byTool} {
		for _, list := range lists {
			assert.LessOrEqual(t, len(list), maxCandidates)
		}
	}
	assert.Equal(t, 6*maxCandidates, table.last)
}

func TestDecisionsCountAgainstTheBudgetOfARun(t *testing.T) {
	j := newJobServer(t)
	one := reasons("success", "a", "x")
	require.Equal(t, http.StatusOK, j.post("", one).Code)
	assert.Equal(t, len(one)+postCost+callCost, j.spent())
}

// Two requests with one event that arrive together are both read before either is recorded.
func TestARepeatThatArrivesTogetherWithTheOriginalBeginsNoFurtherCall(t *testing.T) {
	j := newJobServer(t)
	own, err := j.store.Open(t.Context(), testUser)
	require.NoError(t, err)
	c := &workerCall{Server: j.Server, own: own, run: j.registry.current(j.id), id: j.id}
	drafts := func(event string) []draft {
		posts, _, err := readPosts(c.layer(), []byte(event), true)
		require.NoError(t, err)
		read, err := draftAll(c.layer(), posts, []session.Post{{Key: posts[0].key("", false, 0)}}, []bool{false})
		require.NoError(t, err)
		return read
	}
	event := `{"id":%q,"event":"tool_use","tool_name":"echo","call_id":"a"}`
	first, second := fmt.Sprintf(event, "e1"), fmt.Sprintf(event, "e2")
	var shown []string
	for _, d := range [][]draft{drafts(first), drafts(first), drafts(second)} {
		events, err := c.appendPosts(d)
		require.NoError(t, err)
		shown = append(shown, shownIDs(events[0])...)
	}
	assert.Equal(t, []string{"1", "1", "2"}, shown)
}

// TestTheCallerOfAnAgentIsFoundByItsAgentsID posts ids as workers give them, and the place of an agent in the name.
func TestTheCallerOfAnAgentIsFoundByItsAgentsID(t *testing.T) {
	for _, tt := range []struct{ name, agent, caller, want string }{
		{"a call of the lead agent", "ask", "a", "call_1"},
		{"of two calls with the id the latest", "ask", "twice", "call_3"},
		{"a call of the agent above", "ask/dig", "b", "call_4"},
		{"a call of an agent further above", "ask/dig", "a", "call_1"},
		{"our own id", "ask", "call_1", "call_1"},
		{"a name that is no place", "team/scout", "a", "call_1"},
		{"a call of nobody", "ask", "nonsense", ""},
		{"a call of another agent", "other", "b", ""},
		{"the lead agent itself", "", "a", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := newJobServer(t)
			for _, e := range []string{use("a", "x"), use("twice", "x"), use("twice", "x"),
				`{"event":"tool_use","tool_name":"x","call_id":"b","agent":"ask","caller":"a"}`,
				fmt.Sprintf(`{"event":"tool_use","tool_name":"x","agent":%q,"caller":%q}`, tt.agent, tt.caller),
				fmt.Sprintf(`{"event":"reasoning","answer":true,"agent":%q,"caller":%q}`, tt.agent, tt.caller)} {
				w := j.post("", e)
				require.Equal(t, http.StatusOK, w.Code, w.Body)
			}
			own, err := j.store.Open(t.Context(), testUser)
			require.NoError(t, err)
			logged, _, err := own.JobEvents(j.id, 0, 1000)
			require.NoError(t, err)
			n := len(logged)
			assert.Equal(t, tt.want, logged[n-2].Body.(session.JobToolUse).Caller)
			assert.Equal(t, tt.want, logged[n-1].Body.(session.JobReasoned).Caller)
		})
	}
}
