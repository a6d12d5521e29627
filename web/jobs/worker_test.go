package jobs

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/openapi/openapitest"
)

// jobServer is a server with one open job.
type jobServer struct {
	*Server
	store     session.Store
	http      http.Handler
	t         *testing.T
	id, token string
}

const testUser, testToken = "ann", "token-of-a-test-only"

func newJobServer(t *testing.T) *jobServer {
	j := serveJobs(t, session.NewMemory(nil), Options{})
	w := j.do("POST", "/api/jobs", "", `{"prompt":"x"}`)
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	j.adopt(w)
	return j
}

// adopt makes the job of an answer the server's, with its worker's token.
func (j *jobServer) adopt(w *httptest.ResponseRecorder) {
	j.t.Helper()
	var made struct {
		ID    string `json:"job_id"`
		Token string `json:"token"`
	}
	require.NoError(j.t, json.Unmarshal(w.Body.Bytes(), &made))
	j.id, j.token = made.ID, made.Token
}

// asUser returns the server as its user calls it.
func (j *jobServer) asUser() *jobServer {
	user := *j
	user.token = testToken
	return &user
}

// serveJobs returns a server without jobs over the sessions of a store. It calls itself as the user.
func serveJobs(t *testing.T, store session.Store, o Options) *jobServer {
	var tokens access.Tokens
	tokens.Add(testUser, testToken)
	srv := web.New(web.Options{Store: store, Tokens: tokens, Log: slog.New(slog.DiscardHandler)})
	o.Store, o.Safety, o.Log, o.Stream = store, safety.NewLayer(), slog.New(slog.DiscardHandler), srv.StreamJobs
	s := New(o)
	srv.Mount(s.Routes()...)
	return &jobServer{Server: s, store: store, http: openapitest.Watch(t, srv), t: t, token: testToken}
}

// do asks as a worker of a name; "" is one without.
func (j *jobServer) do(method, path, name, body string) *httptest.ResponseRecorder {
	req := j.request(method, path, body)
	if name != "" {
		req.Header.Set(WorkerHeader, name)
	}
	return j.serve(req)
}

// request returns a request with the server's current token.
func (j *jobServer) request(method, path, body string) *http.Request {
	req := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+j.token)
	req.Header.Set("Content-Type", "application/json")
	return req
}

// serve returns the answer to a request.
func (j *jobServer) serve(req *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	j.http.ServeHTTP(w, req)
	return w
}

func (j *jobServer) post(name, body string) *httptest.ResponseRecorder {
	return j.do("POST", "/api/jobs/"+j.id+"/events", name, body)
}

func (j *jobServer) spent() int { return j.registry.current(j.id).spent }

func TestAReplacedWorkerGets401OnEveryRoute(t *testing.T) {
	j := newJobServer(t)
	work := "/worker/" + j.id
	for _, name := range []string{"old", "new"} {
		require.Equal(t, http.StatusOK, j.do("GET", work+"/job", name, "").Code)
	}
	own, err := j.store.Open(t.Context(), testUser)
	require.NoError(t, err)
	before := own.Head()
	for _, r := range []struct{ method, path, body string }{
		{"POST", "/api/jobs/" + j.id + "/events", `{"event":"message","content":"late"}`},
		{"POST", work + "/event", `{"event":"message","content":"late"}`},
		{"POST", work + "/status", `{"state":"late"}`},
		{"POST", work + "/complete", `{"success":true}`},
		{"GET", work + "/job", ""}, {"GET", work + "/events", ""}, {"GET", work + "/prompt", ""},
	} {
		w := j.do(r.method, r.path, "old", r.body)
		assert.Equal(t, http.StatusUnauthorized, w.Code, "%s %s: %s", r.method, r.path, w.Body)
		assert.Contains(t, w.Body.String(), `"error":"replaced"`)
	}
	assert.Equal(t, before, own.Head(), "nothing was kept")
	assert.Equal(t, http.StatusOK, j.post("new", `{"event":"message","content":"I am heard"}`).Code)
	assert.Equal(t, http.StatusOK, j.post("", `{"event":"message","content":"and so is one without a name"}`).Code)
	assert.Equal(t, http.StatusNoContent, j.do("GET", work+"/prompt", "new", "").Code)
}

// What a worker is told of the log when it asks is the last word: no post of the one
// before it is on its way in.
func TestNoPostOfAReplacedWorkerFollowsTheClaimOfTheNext(t *testing.T) {
	j := newJobServer(t)
	own, err := j.store.Open(t.Context(), testUser)
	require.NoError(t, err)
	many := "[" + strings.Repeat(`{"event":"status"},`, 19) + `{"event":"status"}]`
	for round := range 100 {
		old, next := fmt.Sprint("old", round), fmt.Sprint("next", round)
		require.Equal(t, http.StatusOK, j.do("GET", "/worker/"+j.id+"/job", old, "").Code)
		var posting sync.WaitGroup
		begun := make(chan struct{}, 32)
		for range 32 {
			posting.Go(func() {
				begun <- struct{}{}
				j.post(old, many)
			})
		}
		for range 16 {
			<-begun
		}
		var told WorkerJob
		require.NoError(t, json.Unmarshal(j.do("GET", "/worker/"+j.id+"/job", next, "").Body.Bytes(), &told))
		posting.Wait()
		now, err := own.Job(j.id)
		require.NoError(t, err)
		require.Equal(t, told.Posted, now.Posted, "round %d", round)
	}
}

func TestARepeatedPostCostsNothing(t *testing.T) {
	j := newJobServer(t)
	one, two := `{"id":"a","event":"message","content":"one"}`, `{"id":"b","event":"message","content":"two"}`
	batch := "[" + one + "," + two + "," + one + "]"
	first := j.post("", batch)
	require.Equal(t, http.StatusOK, first.Code)
	cost := j.spent()
	assert.Equal(t, 2*(postCost+len(`{"id":"a","event":"message","content":"one"}`)), cost)
	assert.Equal(t, first.Body.String(), j.post("", batch).Body.String())
	assert.Equal(t, cost, j.spent())
	assert.Equal(t, http.StatusBadRequest,
		j.post("", `[{"event":"message","content":"x"},{"event":"message","role":"root"}]`).Code)
	assert.Equal(t, cost, j.spent(), "nor does a post that is refused")
}

func TestARunHasABudgetOfPostedBytes(t *testing.T) {
	j := newJobServer(t)
	said := `{"id":"a","event":"message","content":"one"}`
	first := j.post("", said)
	j.registry.current(j.id).spent = maxRunCost - postCost
	for path, body := range map[string]string{
		"/api/jobs/" + j.id + "/events": `{"id":"b","event":"message","content":"two"}`,
		"/worker/" + j.id + "/status":   `{"state":"running"}`,
	} {
		w := j.do("POST", path, "", body)
		assert.Equal(t, http.StatusRequestEntityTooLarge, w.Code, path)
		assert.Contains(t, w.Body.String(), `"error":"job_full"`)
	}
	assert.Equal(t, maxRunCost-postCost, j.spent())
	assert.Equal(t, first.Body.String(), j.post("", said).Body.String(), "what it has, it says that it has")
	w := j.do("POST", "/worker/"+j.id+"/complete", "", `{"success":false,"message":"full"}`)
	assert.Equal(t, http.StatusOK, w.Code, "its end has room")
	assert.Equal(t, http.StatusUnauthorized, j.post("", `{"event":"message","content":"late"}`).Code)
	assert.Equal(t, first.Body.String(), j.post("", said).Body.String(), "also behind its end")
}

func TestARationaleSentWithACallIsShownWithIt(t *testing.T) {
	const ours = `"rationale":"Tool selected to satisfy the current subtask.","rationale_source":"fallback"`
	j := newJobServer(t)
	for _, tt := range []struct{ name, posted, shown string }{
		{"a reason", `"rationale":"to see","parallel_group":3`,
			`"rationale":"to see","rationale_source":"model","parallel_group":3}`},
		{"a reason that is the worker's fallback", `"rationale":"because","rationale_source":"fallback"`,
			`"rationale":"because","rationale_source":"fallback"}`},
		{"a reason that the worker withheld", `"rationale":"still here","rationale_blocked":true`,
			ours + `,"rationale_blocked":true}`},
		{"a reason of no words", `"rationale":" ","rationale_source":"model"`, ours + `}`},
		{"a reason to come later", `"input":null`, `"input":null}`},
		{"a narrative", `"narrative":"I look first."`, `"narrative":"I look first.","narrative_source":"model"}`},
		{"a narrative that the worker withheld", `"narrative":"still here","narrative_blocked":true`,
			`"input":null,"narrative_blocked":true}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := j.post("", `{"event":"tool_use","tool_name":"look",`+tt.posted+`}`)
			require.Equal(t, http.StatusOK, w.Code, w.Body)
			own, err := j.store.Open(t.Context(), testUser)
			require.NoError(t, err)
			log := j.do("GET", "/worker/"+j.id+"/events?after="+fmt.Sprint(own.Head()-1), "", "").Body.String()
			assert.Contains(t, log, tt.shown)
			assert.NotContains(t, log, "still here")
		})
	}
}

func TestReasonsThatTheWorkerWithheldAreMarkedAsBlocked(t *testing.T) {
	j := newJobServer(t)
	w := j.post("", `{"event":"reasoning","narrative":"still here","narrative_blocked":true,
		"tool_decisions":[{"tool_name":"look","rationale":"still here","rationale_source":"model",
		"rationale_blocked":true,"outcome":"success"}]}`)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	log := j.do("GET", "/worker/"+j.id+"/events", "", "").Body.String()
	assert.Contains(t, log, `"narrative_blocked":true,"tool_decisions":[{"tool_name":"look",`+
		`"rationale":"Tool selected to satisfy the current subtask.",`+
		`"rationale_source":"fallback","rationale_blocked":true,"outcome":"success"`)
	assert.NotContains(t, log, "still here")
}

// A prompt is in the log before a worker can have it, and not at all if the desk has
// no room for it.
func TestAPromptIsLoggedBeforeAWorkerCanFetchIt(t *testing.T) {
	j := newJobServer(t)
	j.token = testToken
	for i := range maxFollowUps + 5 {
		w := j.do("POST", "/api/jobs/"+j.id+"/prompt", "", fmt.Sprintf(`{"content":"more","done":%t}`,
			i == maxFollowUps-1))
		want := http.StatusAccepted
		if i >= maxFollowUps {
			want = http.StatusTooManyRequests
		}
		require.Equal(t, want, w.Code, w.Body)
	}
	log := j.do("GET", "/api/jobs/"+j.id+"/events", "", "").Body.String()
	assert.Equal(t, maxFollowUps, strings.Count(log, `"content":"more"`))
	assert.Equal(t, 1, strings.Count(log, `"content":"more","done":true`), "also that it is the last one")
	require.Equal(t, http.StatusAccepted, j.do("POST", "/api/jobs/"+j.id+"/cancel", "", "{}").Code)
	assert.Equal(t, http.StatusConflict, j.do("POST", "/api/jobs/"+j.id+"/prompt", "", `{"content":"late"}`).Code)
}

func TestAPromptIsKeptUntilTheWorkerAcknowledgesIt(t *testing.T) {
	j := newJobServer(t)
	worker := j.token
	j.token = testToken
	for _, content := range []string{"one", "two", "three"} {
		require.Equal(t, http.StatusAccepted, j.do("POST", "/api/jobs/"+j.id+"/prompt", "",
			`{"content":"`+content+`","number":9}`).Code)
	}
	j.token = worker
	ask := func(query string) string {
		w := j.do("GET", "/worker/"+j.id+"/prompt"+query, "", "")
		return fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String()))
	}
	assert.Equal(t, `200 {"content":"one","done":false,"number":1}`, ask("?after=0"))
	assert.Equal(t, `200 {"content":"one","done":false,"number":1}`, ask("?after=0"), "the answer may be lost")
	assert.Equal(t, `200 {"content":"two","done":false,"number":2}`, ask("?after=1"))
	assert.Equal(t, `200 {"content":"two","done":false}`, ask(""), "who does not acknowledge gets each once")
	assert.Equal(t, `200 {"content":"three","done":false,"number":3}`, ask("?after=0"))
	assert.Equal(t, `204 `, ask("?after=3"))
	assert.Equal(t, `204 `, ask("?after=0"))
	for _, wrong := range []string{"?after=x", "?after=-1"} {
		assert.Contains(t, ask(wrong), "bad_cursor")
	}
}
