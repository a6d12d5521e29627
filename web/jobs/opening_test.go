package jobs

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// finishedStep is what a worker has to say of a step, and that the job is done.
const finishedStep = `[
	{"event":"reasoning","narrative":"I look.","tool_decisions":[{"tool_name":"grep","rationale":"it finds text",
		"outcome":"success"}]},
	{"event":"result","success":true,"message":"Found."}]`

// openedJob is as much of the answer as these tests read.
type openedJob struct {
	JobID  string `json:"job_id"`
	Token  string
	State  session.JobState
	Posted []PostedEvent
}

func TestAJobIsOpenedWithAllThatIsToldOfIt(t *testing.T) {
	j := serveJobs(t, session.NewMemory(nil), Options{})
	w := j.do("POST", "/api/jobs", "", `{"title":"Search","prompt":"find it","events":`+finishedStep+`}`)
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	var made openedJob
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &made))
	assert.Equal(t, session.JobCompleted, made.State)
	assert.NotEmpty(t, made.Token)
	assert.Equal(t, []PostedEvent{{Seq: 2, CallIDs: []string{"call_1"}}, {Seq: 3}}, made.Posted)
	assert.Contains(t, j.do("GET", "/api/jobs/"+made.JobID, "", "").Body.String(), "it finds text")
}

// Whatever is wrong with one event, no job is left behind.
func TestAJobWithAWrongEventIsNotOpened(t *testing.T) {
	j := serveJobs(t, session.NewMemory(nil), Options{})
	many := strings.Repeat(`{"event":"message","content":"a"},`, 100)
	for name, tt := range map[string]struct{ events, says string }{
		"unknown member": {`[{"event":"message","content":"a"},{"event":"message","contents":"b"}]`, `"index":1`},
		"another job":    {`[{"event":"message","content":"a","job_id":"b"}]`, `other_job`},
		"too many":       {"[" + many + `{"event":"message"}]`, "bad_batch"},
		"not an array":   {`{"event":"message"}`, `"expected":"array"`},
		"too large":      {`[{"event":"message","content":"` + strings.Repeat("a", 2<<20) + `"}]`, "body_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			w := j.do("POST", "/api/jobs", "", `{"prompt":"x","events":`+tt.events+`}`)
			assert.GreaterOrEqual(t, w.Code, 400)
			assert.Less(t, w.Code, 500)
			assert.Contains(t, w.Body.String(), tt.says)
			assert.Contains(t, j.do("GET", "/api/jobs", "", "").Body.String(), `"jobs":[]`)
		})
	}
}

// The job fits into what is left of the session, and its events do not.
func TestAJobWhoseEventsHaveNoRoomIsNotOpened(t *testing.T) {
	j := serveJobs(t, session.NewMemory(nil).Within(session.Limits{Session: 1 << 19}), Options{})
	long := strings.Repeat(`{"event":"message","content":"`+strings.Repeat("word ", 1_800)+`"},`, 100)
	w := j.do("POST", "/api/jobs", "", `{"prompt":"x","events":[`+strings.TrimSuffix(long, ",")+`]}`)
	assert.Equal(t, http.StatusInsufficientStorage, w.Code)
	assert.Contains(t, j.do("GET", "/api/jobs", "", "").Body.String(), `"jobs":[]`)
	w = j.do("POST", "/api/jobs", "", `{"prompt":"x","events":`+finishedStep+`}`)
	assert.Equal(t, http.StatusCreated, w.Code, "nothing of the other is held: %s", w.Body)
}

// A title may use a secret that only an event names, and an event one that only the prompt names.
func TestTheTextsOfAJobAndItsEventsAreCleanedTogether(t *testing.T) {
	j := serveJobs(t, session.NewMemory(nil), Options{})
	one, two := "kV9"+"xQ2mPz7LwT4", "Hd3"+"sR8nYb6JfG1"
	w := j.do("POST", "/api/jobs", "", `{"title":"try `+one+`","prompt":"the password is `+two+`","events":[
		{"event":"message","content":"It says password=`+one+`, and I typed `+two+`."}]}`)
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	var made openedJob
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &made))
	all := w.Body.String() + j.do("GET", "/api/jobs/"+made.JobID+"/events", "", "").Body.String()
	assert.NotContains(t, all, one)
	assert.NotContains(t, all, two)
}
