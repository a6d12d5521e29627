package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// deployment returns servers of one deployment, with one job: the second knows of it what the log has.
func deployment(t *testing.T) (first, second *jobServer) {
	t.Helper()
	store, o := session.NewMemory(nil), Options{Key: []byte("a key of a deployment for tests!")}
	o.Knows = func(user string) bool { return user == testUser }
	first, second = serveJobs(t, store, o), serveJobs(t, store, o)
	w := first.do("POST", "/api/jobs", "", `{"prompt":"tidy up"}`)
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	first.adopt(w)
	second.adopt(w)
	return first, second
}

func TestAWorkerGoesOnAfterARestart(t *testing.T) {
	first, second := deployment(t)
	said := `{"id":"a","event":"message","content":"one"}`
	before := first.post("worker", said)
	require.Equal(t, http.StatusOK, before.Code, before.Body)

	job := second.do("GET", "/worker/"+second.id+"/job", "worker", "")
	require.Equal(t, http.StatusOK, job.Code, job.Body)
	assert.Contains(t, job.Body.String(), `"prompt":"tidy up"`)
	assert.Contains(t, job.Body.String(), `"posted":1`)
	assert.Equal(t, before.Body.String(), second.post("worker", said).Body.String(), "a repeat is one here, too")
	assert.Equal(t, http.StatusOK, second.post("worker", `{"id":"b","event":"message","content":"two"}`).Code)
	assert.Equal(t, 2*postCost+len(said), second.spent(), "the bytes of before begin anew, the events do not")
	assert.Equal(t, http.StatusOK, second.do("GET", "/worker/"+second.id+"/events", "worker", "").Code)

	end := `{"id":"c","event":"result","success":true}`
	require.Equal(t, http.StatusOK, second.post("worker", end).Code)
	for _, j := range []*jobServer{first, second, serveJobs(t, first.store, Options{Key: first.tokens.key})} {
		j.id, j.token = first.id, first.token
		assert.Equal(t, http.StatusOK, j.post("worker", end).Code, "its answer may have been lost")
		assert.Equal(t, http.StatusUnauthorized, j.post("worker", `{"event":"message","content":"late"}`).Code)
		assert.Equal(t, http.StatusUnauthorized, j.do("GET", "/worker/"+j.id+"/job", "worker", "").Code)
	}
}

func TestATokenEndsWithItsRunOnEveryServer(t *testing.T) {
	first, second := deployment(t)
	late := `{"event":"message","content":"late"}`
	for _, name := range []string{"old", "new"} {
		require.Equal(t, http.StatusOK, second.do("GET", "/worker/"+second.id+"/job", name, "").Code)
	}
	require.Equal(t, http.StatusAccepted, first.asUser().do("POST", "/api/jobs/"+first.id+"/cancel", "", "{}").Code)
	assert.Equal(t, http.StatusUnauthorized, second.post("", late).Code, "cancelled on the other")

	again := first.asUser().do("POST", "/api/jobs/"+first.id+"/restart", "", "{}")
	require.Equal(t, http.StatusAccepted, again.Code, again.Body)
	assert.Equal(t, http.StatusUnauthorized, first.post("", late).Code, "the token of the run before")
	assert.Equal(t, http.StatusUnauthorized, second.post("", late).Code)
	for _, j := range []*jobServer{first, second} {
		j.adopt(again)
		assert.Equal(t, http.StatusOK, j.post("old", `{"event":"message","content":"of the new run"}`).Code)
	}
	own, err := first.store.Open(t.Context(), testUser)
	require.NoError(t, err)
	j, err := own.Job(first.id)
	require.NoError(t, err)
	assert.Equal(t, 2, j.Posted)
}

// unreadable is a store whose storage does not answer for now.
type unreadable struct{ session.Store }

func (unreadable) Open(context.Context, string) (*session.Session, error) {
	return nil, fmt.Errorf("%w: no leader", session.ErrStorage)
}

func TestAWorkerIsNotToldThatItsTokenIsWrongWhenTheLogCannotBeRead(t *testing.T) {
	first, second := deployment(t)
	second.Server.store = unreadable{first.store}
	said := `{"event":"message","content":"one"}`
	assert.Equal(t, http.StatusServiceUnavailable, second.post("worker", said).Code)
	second.Server.store = first.store
	assert.Equal(t, http.StatusOK, second.post("worker", said).Code)
	second.Server.store, second.token = unreadable{first.store}, "wrong"
	assert.Equal(t, http.StatusUnauthorized, second.post("worker", said).Code, "which is known without the log")
}

func TestATokenOfAnotherDeploymentOrOfNobodyIsRefused(t *testing.T) {
	first, _ := deployment(t)
	for name, o := range map[string]Options{
		"another key":                    {Key: []byte("another key")},
		"a key that the server made":     {},
		"a user who is there no more":    {Key: first.tokens.key, Knows: func(string) bool { return false }},
		"a session that is gone by then": {Key: first.tokens.key},
	} {
		store := session.NewMemory(nil)
		j := serveJobs(t, store, o)
		j.id, j.token = first.id, first.token
		assert.Equal(t, http.StatusUnauthorized, j.post("", `{"event":"status"}`).Code, name)
		assert.Empty(t, j.registry.runs, name)
		opened, err := store.Evict(t.Context(), time.Now().Add(time.Hour))
		require.NoError(t, err)
		if name != "a session that is gone by then" {
			assert.Zero(t, opened, "nobody's session is opened: %s", name)
		}
	}
}

func TestPromptsThatAWorkerHasNotFetchedOutlastARestart(t *testing.T) {
	first, second := deployment(t)
	prompt := func(j *jobServer, content string) {
		w := j.asUser().do("POST", "/api/jobs/"+j.id+"/prompt", "", `{"content":"`+content+`"}`)
		require.Equal(t, http.StatusAccepted, w.Code, w.Body)
	}
	ask := func(j *jobServer, query string) string {
		w := j.do("GET", "/worker/"+j.id+"/prompt"+query, "", "")
		return fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String()))
	}
	prompt(first, "one")
	prompt(first, "two")
	assert.Equal(t, `200 {"content":"one","done":false,"number":1}`, ask(first, "?after=0"))

	assert.Equal(t, `200 {"content":"one","done":false,"number":1}`, ask(second, "?after=0"))
	assert.Equal(t, `200 {"content":"two","done":false,"number":2}`, ask(second, "?after=1"))
	prompt(second, "three")
	assert.Equal(t, `200 {"content":"three","done":false,"number":3}`, ask(second, "?after=2"))
	assert.Equal(t, `200 {"content":"three","done":false,"number":3}`, ask(first, "?after=2"), "from the log")
	assert.Equal(t, `204 `, ask(first, "?after=3"))

	third := serveJobs(t, first.store, Options{Key: first.tokens.key})
	third.id, third.token = first.id, first.token
	prompt(third, "four")
	assert.Equal(t, `200 {"content":"four","done":false}`, ask(third, ""), "who does not acknowledge gets none twice")
	assert.Equal(t, `204 `, ask(third, ""))
}

func TestWhatAWorkerPostsAfterARestartIsAboutTheCallsOfBefore(t *testing.T) {
	first, second := deployment(t)
	calls := func(j *jobServer, body string) string {
		w := j.post("", body)
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		var out PostResponse
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out))
		var ids []string
		for _, e := range out.Events {
			ids = append(append(ids, e.CallID), e.CallIDs...)
		}
		return strings.Join(strings.Fields(strings.Join(ids, " ")), " ")
	}
	require.Equal(t, "call_1 call_2 call_3", calls(first, `[{"event":"tool_use","tool_name":"read","call_id":"toolu_a"},
		{"event":"tool_use","tool_name":"write","call_id":"toolu_b"},
		{"event":"reasoning","tool_decisions":[{"tool_name":"list","call_id":"toolu_c"}]}]`))

	assert.Equal(t, "call_2", calls(second, `{"event":"tool_result","tool_name":"write","call_id":"toolu_b"}`))
	assert.Equal(t, "call_1", calls(second, `{"event":"tool_result","call_id":"toolu_a"}`), "without its tool's name")
	assert.Equal(t, "call_3", calls(second, `{"event":"tool_use","tool_name":"list","call_id":"toolu_c"}`))
	assert.Equal(t, "call_2 call_1", calls(second, `{"event":"reasoning","tool_decisions":[
		{"tool_name":"write","call_id":"toolu_b","outcome":"success"},
		{"tool_name":"read","call_id":"toolu_a","outcome":"success"}]}`))
	assert.Equal(t, "call_4", calls(second, `{"event":"tool_use","tool_name":"read","call_id":"toolu_d"}`), "a new one")

	own, err := first.store.Open(t.Context(), testUser)
	require.NoError(t, err)
	events, _, err := own.JobEvents(first.id, 0, 100)
	require.NoError(t, err)
	var guessed []string
	for _, e := range events {
		if b, ok := e.Body.(session.JobToolResult); ok && b.Inferred {
			guessed = append(guessed, b.Call)
		}
	}
	assert.Equal(t, []string{"call_2", "call_1"}, guessed, "which were found by tool and order is said")
}

func TestADecisionAfterARestartIsAboutAnEndedCallOfBefore(t *testing.T) {
	first, second := deployment(t)
	require.Equal(t, http.StatusOK, first.post("", `[{"event":"tool_use","tool_name":"read","call_id":"x"},
		{"event":"tool_result","tool_name":"read","call_id":"x"}]`).Code)
	w := second.post("", `{"event":"reasoning",
		"tool_decisions":[{"tool_name":"read","call_id":"x","outcome":"success"}]}`)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	assert.Contains(t, w.Body.String(), `"call_ids":["call_1"]`)
}

// Two agents call one tool. After a restart each one's posts are about its own call, and an id of ours is the call that
// has it.
func TestAfterARestartACallIsItsAgentsAndKeepsOurID(t *testing.T) {
	first, second := deployment(t)
	require.Equal(t, http.StatusOK, first.post("", `[{"event":"tool_use","tool_name":"read","call_id":"a","agent":"x"},
		{"event":"tool_use","tool_name":"read","call_id":"b","agent":"y"},
		{"event":"tool_use","tool_name":"read","call_id":"c","agent":"y"}]`).Code)
	w := second.post("", `{"event":"tool_result","tool_name":"read","call_id":"b","agent":"y"}`)
	assert.Contains(t, w.Body.String(), `"call_id":"call_2"`)

	first, second = deployment(t)
	require.Equal(t, http.StatusOK, first.post("", `[{"event":"tool_use","tool_name":"read","call_id":"a"},
		{"event":"tool_use","tool_name":"read","call_id":"b"}]`).Code)
	w = second.post("", `{"event":"reasoning",
		"tool_decisions":[{"tool_name":"read","call_id":"call_2","outcome":"success"}]}`)
	assert.Contains(t, w.Body.String(), `"call_ids":["call_2"]`)
}

// Of two requests that restore a run at the same time, both go on with the run of the first.
func TestARunIsRestoredOnce(t *testing.T) {
	g := &registry{}
	first := g.keep("a", &run{number: 1})
	assert.Same(t, first, g.keep("a", &run{number: 1}))
	assert.NotSame(t, first, g.keep("a", &run{number: 2}))
}

func TestAPromptOfBlanksIsRefused(t *testing.T) {
	first := serveJobs(t, session.NewMemory(nil), Options{})
	for _, blank := range []string{"", " ", `\n`, `\t \n`} {
		w := first.do("POST", "/api/jobs", "", `{"prompt":"`+blank+`"}`)
		assert.Equal(t, http.StatusBadRequest, w.Code)
		assert.Contains(t, w.Body.String(), "empty_prompt")
	}
}

// That the worker of the run before was heard says nothing about the one of this run, which another server began.
func TestAWorkerOfTheRunBeforeIsNotThatOfThisOne(t *testing.T) {
	first, second := deployment(t)
	require.Equal(t, http.StatusOK, first.do("GET", "/worker/"+first.id+"/job", "", "").Code)
	first.token, second.token = testToken, testToken
	assert.NotContains(t, first.do("GET", "/api/jobs/"+first.id, "", "").Body.String(), `"worker_seen_at":null`)
	for _, path := range []string{"/cancel", "/restart"} {
		w := second.do("POST", "/api/jobs/"+second.id+path, "", "{}")
		require.Less(t, w.Code, 300, w.Body)
	}
	assert.Contains(t, first.do("GET", "/api/jobs/"+first.id, "", "").Body.String(), `"worker_seen_at":null`)
}

// Without a key each server has one of its own, which nobody can guess.
func TestATokenOfAServerWithoutAKeyIsWorthNothingElsewhere(t *testing.T) {
	store := session.NewMemory(nil)
	first, second := serveJobs(t, store, Options{}), serveJobs(t, store, Options{})
	w := first.do("POST", "/api/jobs", "", `{"prompt":"tidy up"}`)
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	first.adopt(w)
	second.adopt(w)
	assert.Equal(t, http.StatusOK, first.do("GET", "/worker/"+first.id+"/job", "", "").Code)
	assert.Equal(t, http.StatusUnauthorized, second.do("GET", "/worker/"+second.id+"/job", "", "").Code)
}
