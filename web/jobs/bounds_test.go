package jobs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func TestATitleIsCut(t *testing.T) {
	j := newJobServer(t)
	j.token = testToken
	w := j.do("POST", "/api/jobs", "", `{"prompt":"x","title":"`+strings.Repeat("long ", 400)+`"}`)
	require.Equal(t, http.StatusCreated, w.Code)
	assert.LessOrEqual(t, strings.Count(w.Body.String(), "long "), maxTitle/5)
}

func TestATokenIsWorthlessOnceItsJobHasEnded(t *testing.T) {
	j := newJobServer(t)
	require.Equal(t, http.StatusOK, j.post("", `{"event":"result","success":true}`).Code)
	for _, r := range []struct{ method, path string }{
		{"GET", "/job"}, {"GET", "/events"}, {"GET", "/prompt"}, {"POST", "/status"}, {"POST", "/complete"},
	} {
		assert.Equal(t, http.StatusUnauthorized, j.do(r.method, "/worker/"+j.id+r.path, "", `{}`).Code, r.path)
	}
}

func TestTheRawPromptsAreDroppedOnceTheirJobHasEnded(t *testing.T) {
	j := newJobServer(t)
	r := j.registry.current(j.id)
	require.Equal(t, "x", r.prompt)
	own, err := j.store.Open(t.Context(), testUser)
	require.NoError(t, err)
	more := followUp{Content: "more"}
	require.NoError(t, r.addFollowUp(own, j.id, more, func() error {
		_, err := own.ChangeJob(j.id, session.JobPrompted{})
		return err
	}))
	require.Equal(t, http.StatusOK, j.post("", `{"event":"result","success":true}`).Code)
	assert.Empty(t, r.prompt)
	assert.Empty(t, r.followUps)
}

func TestOnlyADigestOfAnIdempotencyKeyIsKept(t *testing.T) {
	j := newJobServer(t)
	require.Equal(t, http.StatusOK, j.post("", `{"id":"the worker's own words","event":"message","content":"x"}`).Code)
	own, err := j.store.Open(t.Context(), testUser)
	require.NoError(t, err)
	events, _, err := own.JobEvents(j.id, 0, 10)
	require.NoError(t, err)
	assert.Regexp(t, `^[0-9a-f]{32}$`, events[1].Key)
}

func TestAnIdempotencyKeyCoversEachEventOfABatchByItself(t *testing.T) {
	j := newJobServer(t)
	send := func() string {
		req := j.request("POST", "/api/jobs/"+j.id+"/events",
			`[{"event":"message","content":"one"},{"event":"message","content":"two"}]`)
		req.Header.Set("Idempotency-Key", "k")
		return j.serve(req).Body.String()
	}
	first := send()
	assert.Contains(t, first, `"seqs":[2,3]`)
	assert.Equal(t, first, send())
}

func TestARepeatIsAnsweredEvenIfItsBodyIsInvalidNow(t *testing.T) {
	j := newJobServer(t)
	first := j.post("", `{"id":"a","event":"message","content":"x"}`)
	again := j.post("", `{"id":"a","event":"message","role":"root","content":"x"}`)
	assert.Equal(t, http.StatusOK, again.Code)
	assert.Equal(t, first.Body.String(), again.Body.String())
}

func TestAFallbackOfTheWorkerStaysOne(t *testing.T) {
	j := newJobServer(t)
	const ours = `"rationale":"Tool selected.","rationale_source":"fallback"`
	require.Equal(t, http.StatusOK, j.post("", `{"event":"tool_use","tool_name":"x",`+ours+`}`).Code)
	require.Equal(t, http.StatusOK, j.post("",
		`{"event":"reasoning","tool_decisions":[{"tool_name":"y",`+ours+`}]}`).Code)
	j.token = testToken
	events := j.do("GET", "/api/jobs/"+j.id+"/events", "", "").Body.String()
	assert.Equal(t, 2, strings.Count(events, ours), events)
}

func TestOpeningJobsIsLimitedByRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where the minute does not pass
		j := newJobServer(t)
		j.token = testToken
		opened := 0
		answer := httptest.NewRecorder()
		for answer.Code < http.StatusBadRequest && opened < 1000 {
			answer = j.do("POST", "/api/jobs", "", `{"prompt":"x"}`)
			opened++
		}
		assert.Equal(t, http.StatusTooManyRequests, answer.Code)
		assert.Contains(t, answer.Body.String(), "rate_limited", "after %d jobs", opened)
	})
}

func TestARunOfARestartedJobHasPostedNothing(t *testing.T) {
	j := newJobServer(t)
	require.Equal(t, http.StatusOK, j.post("", `[{"event":"message","content":"x"},{"event":"result"}]`).Code)
	own, err := j.store.Open(t.Context(), testUser)
	require.NoError(t, err)
	again, err := own.ChangeJob(j.id, session.JobRestarted{})
	require.NoError(t, err)
	assert.Zero(t, again.Posted)
}

func TestALongJobIsListedInPages(t *testing.T) {
	j := newJobServer(t)
	one := `{"event":"message","content":"x"}`
	for range maxPage/maxPosts + 1 {
		batch := "[" + strings.Repeat(one+",", maxPosts-1) + one + "]"
		require.Equal(t, http.StatusOK, j.post("", batch).Code)
	}
	worker := j.token
	var sizes []int
	for _, list := range []struct{ path, token string }{
		{"/api/jobs/" + j.id + "/events", testToken}, {"/worker/" + j.id + "/events", worker},
	} {
		j.token = list.token
		for after, more := uint64(0), true; more; {
			var page struct {
				Events []struct{ ID uint64 }
				More   bool `json:"has_more"`
			}
			w := j.do("GET", fmt.Sprintf("%s?after=%d", list.path, after), "", "")
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &page), w.Body)
			require.NotEmpty(t, page.Events)
			sizes = append(sizes, len(page.Events))
			after, more = page.Events[len(page.Events)-1].ID, page.More
		}
	}
	// The first event says that the job was opened.
	assert.Equal(t, []int{maxPage, maxPosts + 1, maxPage, maxPosts + 1}, sizes)
}
