package jobs_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// auditCase is a random job that was posted, with our ids of its calls.
type auditCase struct {
	apptest.RandomJob
	t      *testing.T
	number int
	id     string
	calls  map[string]int // the number of the call that an id is of
}

// marker matches the number of a call in its input, reason, result or error.
var marker = regexp.MustCompile(`\([qrae](\d+)\)`)

// assertNumber asserts that the text has the number of the call with an id, and no other.
func (c *auditCase) assertNumber(where, id, text string) {
	c.t.Helper()
	found := marker.FindAllStringSubmatch(text, -1)
	if !assert.NotEmpty(c.t, found, "job %d (%s), %s, %s: %s", c.number, c.Name, where, id, text) {
		return
	}
	for _, m := range found {
		assert.Equal(c.t, fmt.Sprint(c.calls[id]), m[1], "job %d (%s), %s, %s: %s", c.number, c.Name, where, id, text)
	}
}

func TestEachReasonAndResultOfARandomJobIsShownUnderItsOwnCall(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 100_000}, apptest.Answering("x"))
	_, origin := s.Begin("ann")
	var cases []*auditCase
	for n := range 200 {
		c := &auditCase{RandomJob: apptest.NewRandomJob(n), t: t, number: n, calls: map[string]int{}}
		c.post(s)
		c.checkEvents(s.JobEvents(c.id), "list")
		c.checkHistory(s)
		c.checkExports(s)
		cases = append(cases, c)
		if t.Failed() {
			t.FailNow()
		}
	}
	streamed := map[string][]apptest.JobEvent{}
	for _, f := range s.Everything("ann", origin) {
		var head struct {
			Job string `json:"job_id"`
		}
		require.NoError(t, json.Unmarshal([]byte(f.Data), &head))
		streamed[head.Job] = append(streamed[head.Job], apptest.JobEvent{Kind: f.Event, Raw: json.RawMessage(f.Data)})
	}
	for _, c := range cases {
		c.checkEvents(streamed[c.id], "stream")
	}
}

// post posts the job. Some posts are repeated at once, as after a lost answer, and some
// are sent twice at the same time.
func (c *auditCase) post(s *apptest.Server) {
	var token string
	c.id, token = s.NewJob("audit")
	r := rand.New(rand.NewPCG(uint64(c.number), 1))
	for _, batch := range c.Batches {
		body := string(apptest.JSON(c.t, apptest.M{"events": batch}))
		var answers [2]apptest.Reply
		if r.IntN(4) == 0 {
			var both sync.WaitGroup
			for i := range answers {
				both.Go(func() { answers[i] = s.PostEvents(c.id, token, body) })
			}
			both.Wait()
		} else {
			answers[0] = s.PostEvents(c.id, token, body)
			answers[1] = answers[0]
			if r.IntN(3) == 0 {
				answers[1] = s.PostEvents(c.id, token, body)
			}
		}
		require.Equal(c.t, http.StatusOK, answers[0].Status, answers[0].Body)
		assert.Equal(c.t, answers[0].Body, answers[1].Body, "a repeat gets the same ids")
		c.learn(batch, answers[0].Body)
	}
}

// learn notes the ids that an answer gives to the calls that begin in a batch.
func (c *auditCase) learn(batch []apptest.M, answer string) {
	var out struct {
		Events []struct {
			CallID  string   `json:"call_id"`
			CallIDs []string `json:"call_ids"`
		} `json:"events"`
	}
	require.NoError(c.t, json.Unmarshal([]byte(answer), &out))
	for i, e := range batch {
		text := string(apptest.JSON(c.t, e))
		switch e["event"] {
		case "tool_use":
			id := out.Events[i].CallID
			require.NotContains(c.t, c.calls, id, "another call has this id")
			n, err := strconv.Atoi(marker.FindStringSubmatch(text)[1])
			require.NoError(c.t, err)
			c.calls[id] = n
		case "tool_result":
			c.assertNumber("answer", out.Events[i].CallID, text)
		case "reasoning":
			for k, d := range e["tool_decisions"].([]apptest.M) {
				c.assertNumber("answer", out.Events[i].CallIDs[k], string(apptest.JSON(c.t, d)))
			}
		}
	}
}

// checkEvents checks the events of a job as a list or a stream has them.
func (c *auditCase) checkEvents(events []apptest.JobEvent, where string) {
	uses, results := 0, 0
	for _, e := range events {
		var f struct {
			CallID    string `json:"call_id"`
			Inferred  bool   `json:"inferred"`
			Decisions []struct {
				CallID   string `json:"call_id"`
				Inferred bool   `json:"inferred"`
				Reason   string `json:"rationale"`
			} `json:"tool_decisions"`
		}
		require.NoError(c.t, json.Unmarshal(e.Raw, &f))
		switch e.Kind {
		case "job_tool_use":
			uses++
			c.assertNumber(where, f.CallID, string(e.Raw))
		case "job_tool_result":
			results++
			c.assertNumber(where, f.CallID, string(e.Raw))
			assert.Equal(c.t, !c.HasIDs, f.Inferred, "%s: %s", where, e.Raw)
		case "job_reasoning":
			for _, d := range f.Decisions {
				c.assertNumber(where, d.CallID, d.Reason)
				assert.Equal(c.t, !c.HasIDs, d.Inferred, "%s: %s", where, e.Raw)
			}
		}
	}
	assert.Equal(c.t, len(c.Calls), uses, "%s of job %d", where, c.number)
	assert.Equal(c.t, len(c.Calls), results, "%s of job %d", where, c.number)
}

// auditTurn is a turn of history or of an export in JSON Lines.
type auditTurn struct {
	Calls []struct {
		ID       string          `json:"call_id"`
		Name     string          `json:"name"`
		Preview  string          `json:"result_preview"`
		Result   json.RawMessage `json:"result"`
		Error    string          `json:"error"`
		Duration *int            `json:"duration_ms"`
		Inferred bool            `json:"inferred"`
	} `json:"tool_calls"`
	Reasoning struct {
		Decisions []struct {
			ID         string          `json:"call_id"`
			Reason     string          `json:"rationale"`
			Source     string          `json:"rationale_source"`
			Outcome    string          `json:"outcome"`
			Agent      string          `json:"agent"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"tool_decisions"`
	} `json:"reasoning"`
}

// checkTurn compares a turn with all the calls that were posted.
func (c *auditCase) checkTurn(turn auditTurn, where string) {
	require.Len(c.t, turn.Calls, len(c.Calls), "%s of job %d (%s)", where, c.number, c.Name)
	for _, got := range turn.Calls {
		posted := c.Calls[c.calls[got.ID]-1]
		c.assertNumber(where, got.ID, got.Preview+string(got.Result)+got.Error)
		assert.Equal(c.t, posted.Tool, got.Name)
		assert.Equal(c.t, !c.HasIDs, got.Inferred)
		if posted.Duration < 0 {
			assert.Nil(c.t, got.Duration, "no duration is invented")
		} else {
			assert.Equal(c.t, new(posted.Duration), got.Duration)
		}
	}
	for _, got := range turn.Reasoning.Decisions {
		posted := c.Calls[c.calls[got.ID]-1]
		c.assertNumber(where, got.ID, got.Reason+string(got.Parameters))
		assert.Len(c.t, marker.FindAllString(got.Reason+string(got.Parameters), -1), 2, "a reason and parameters")
		assert.Equal(c.t, "model", got.Source)
		assert.Equal(c.t, posted.Outcome, got.Outcome)
		assert.Equal(c.t, posted.Agent, got.Agent)
	}
}

func (c *auditCase) checkHistory(s *apptest.Server) {
	var job struct {
		Turns []auditTurn `json:"turns"`
	}
	require.NoError(c.t, json.Unmarshal([]byte(s.Get("ann", "/api/jobs/"+c.id).Body), &job))
	require.Len(c.t, job.Turns, 1)
	c.checkTurn(job.Turns[0], "history")
}

func (c *auditCase) checkExports(s *apptest.Server) {
	var line auditTurn
	raw := s.Get("ann", "/api/jobs/"+c.id+"/export?format=jsonl").Body
	require.NoError(c.t, json.Unmarshal([]byte(raw), &line))
	c.checkTurn(line, "JSON Lines")
	for format, heading := range map[string]string{"md": "\n#### ", "html": "\n<li class=\"row "} {
		document := s.Get("ann", "/api/jobs/"+c.id+"/export?format="+format).Body
		sections := 0
		for _, section := range strings.Split(document, heading)[1:] {
			found := marker.FindAllStringSubmatch(section, -1)
			sections++
			require.GreaterOrEqual(c.t, len(found), 3, "a reason, parameters and a result or an error: %s", section)
			for _, one := range found {
				assert.Equal(c.t, found[0][1], one[1], section)
			}
		}
		assert.Equal(c.t, len(c.Calls), sections, "%s of job %d", format, c.number)
	}
}
