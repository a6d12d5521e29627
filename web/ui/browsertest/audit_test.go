package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// auditedJob is a random job that was posted, with the server's ids of its calls.
type auditedJob struct {
	apptest.RandomJob
	s         *server
	title     string
	id, token string
	numbers   map[string]string // of the call that an id is of
}

// marker matches the number of a call in its input, reason, result or error.
var marker = regexp.MustCompile(`\(([qrae])(\d+)\)`)

// openAudited opens the job with a number and posts nothing to it yet.
func (s *server) openAudited(number int) *auditedJob {
	s.t.Helper()
	j := &auditedJob{
		RandomJob: apptest.NewRandomJob(number), s: s, title: fmt.Sprint("audit ", number),
		numbers: map[string]string{},
	}
	job := s.do("ann", http.MethodPost, "/api/jobs", fields{"title": j.title, "prompt": "audit"})
	j.id, j.token = job["job_id"].(string), job["token"].(string)
	return j
}

// post posts the job, some of it twice, and notes the ids of its calls.
func (j *auditedJob) post() {
	j.s.t.Helper()
	r := rand.New(rand.NewPCG(uint64(len(j.Calls)), 3))
	for _, batch := range j.Batches {
		body, err := json.Marshal(fields{"events": batch})
		require.NoError(j.s.t, err)
		answer := j.send(body)
		if r.IntN(4) == 0 {
			answer = j.send(body)
		}
		for i, e := range batch {
			if e["event"] == "tool_use" {
				question := e["input"].(apptest.M)["question"].(string)
				j.numbers[answer[i]] = marker.FindStringSubmatch(question)[2]
			}
		}
	}
	require.Len(j.s.t, j.numbers, len(j.Calls))
}

// send posts a batch of events and returns the call's id of each, "" for one without.
func (j *auditedJob) send(body []byte) (calls []string) {
	j.s.t.Helper()
	target := j.s.url + "/api/jobs/" + j.id + "/events"
	req, err := http.NewRequestWithContext(j.s.t.Context(), http.MethodPost, target, bytes.NewReader(body))
	require.NoError(j.s.t, err)
	req.Header.Set("Authorization", "Bearer "+j.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(j.s.t, err)
	defer resp.Body.Close()
	require.Equal(j.s.t, http.StatusOK, resp.StatusCode)
	var out struct {
		Events []struct {
			CallID string `json:"call_id"`
		} `json:"events"`
	}
	require.NoError(j.s.t, json.NewDecoder(resp.Body).Decode(&out))
	for _, e := range out.Events {
		calls = append(calls, e.CallID)
	}
	return calls
}

// shownCall is a decision as the page shows it, with its parameters and result open.
type shownCall struct{ Call, Tool, Agent, Why, Source, Outcome, Failure, Took, Chips, Object, Details string }

// readJob goes to a job by its address, opens all of its decisions, and returns what each
// of them shows once there are as many as expected and the job has ended.
const readJob = `(async (id, title, count) => {
	const all = () => [...document.querySelectorAll('candor-turn candor-decision')];
	const text = (d, css) => d.querySelector(css)?.innerText.trim() ?? '';
	if (location.hash !== '#job=' + id) location.hash = '#job=' + id;
	const limit = Date.now() + 20000;
	const there = () => document.querySelector('#title').innerText.includes(title) && all().length === count
		&& !!document.querySelector('candor-job[data-state=completed]');
	while (!there() && Date.now() < limit) await new Promise((done) => setTimeout(done, 5));
	for (const d of all()) if (!d.open) d.querySelector('.more').click();
	const shown = () => all().every((d) => d.querySelector('.details').firstChild);
	while (!shown() && Date.now() < limit) await new Promise((done) => setTimeout(done, 5));
	return all().map((d) => ({
		call: d.dataset.call, tool: text(d, '.tool'), why: text(d, '.why'), source: text(d, '.source'),
		agent: d.closest('[data-agent]')?.dataset.agent ?? '', outcome: d.dataset.outcome,
		failure: text(d, '.failure'), took: text(d, '.took'), chips: text(d, '.chips'), details: text(d, '.details'),
		object: text(d, '.object'),
	}));
})(%s, %s, %s)`

// check reads the job off the page and compares it with what was posted.
func (j *auditedJob) check(w *tab) {
	j.s.t.Helper()
	shown := eval[[]shownCall](w, readJob, j.id, j.title, len(j.Calls))
	require.Len(j.s.t, shown, len(j.Calls), "%s (%s)", j.title, j.Name)
	seen := map[string]bool{}
	for _, got := range shown {
		j.checkCall(got)
		seen[got.Call] = true
	}
	assert.Len(j.s.t, seen, len(j.Calls), "each call once")
}

// checkCall compares one decision with the call that was posted under its id.
func (j *auditedJob) checkCall(got shownCall) {
	j.s.t.Helper()
	where := fmt.Sprintf("%s (%s), %s", j.title, j.Name, got.Call)
	number := j.numbers[got.Call]
	require.NotEmpty(j.s.t, number, "%s: the server gave no call this id", where)
	var posted apptest.RandomCall
	for _, c := range j.Calls {
		if fmt.Sprint(c.Number) == number {
			posted = c
		}
	}
	result := "a"
	if posted.Outcome == "error" {
		result = "e"
	}
	var marks []string
	for _, m := range marker.FindAllStringSubmatch(got.Why+got.Failure+got.Object+got.Details, -1) {
		marks = append(marks, m[1]+m[2])
	}
	want := []string{"r" + number, "q" + number, result + number}
	assert.ElementsMatch(j.s.t, want, marks, "%s: its reason, parameters and result: %+v", where, got)
	assert.Contains(j.s.t, got.Why, "because of (r"+number+")", where)
	assert.Equal(j.s.t, posted.Tool, got.Tool, where)
	assert.Equal(j.s.t, posted.Agent, got.Agent, where)
	assert.Equal(j.s.t, posted.Outcome, got.Outcome, where)
	measured := got.Took != "" && !strings.HasPrefix(got.Took, "~")
	assert.Equal(j.s.t, posted.Duration >= 0, measured, "%s took %q: no duration is invented", where, got.Took)
	assert.Equal(j.s.t, !j.HasIDs, strings.Contains(got.Chips, "matched by name"), where)
}

// TestEachReasonAndResultOfARandomJobIsShownUnderItsOwnCallOnThePage visits 200 jobs in one
// page. The first are open while they are posted, so the page folds their events; the rest
// it fetches.
func TestEachReasonAndResultOfARandomJobIsShownUnderItsOwnCallOnThePage(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	for number := range 200 {
		j := s.openAudited(number)
		if number < 20 {
			w.run(chromedp.Navigate(s.url + "/#job=" + j.id))
			w.shows("#title", j.title)
			w.shows("candor-job", "Waiting for a worker")
		}
		j.post()
		j.check(w)
		if t.Failed() {
			t.FailNow()
		}
	}
	w.clean()
}
