package client

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pages answers with one page for each cursor, which is the value of the parameter before.
func pages(t *testing.T, of map[string]string) *Client {
	t.Helper()
	return serving(t, func(w http.ResponseWriter, r *http.Request) {
		page, ok := of[r.URL.Query().Get("before")]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			page = `{"error":"no_job","message":"You have no such job."}`
		}
		_, _ = w.Write([]byte(page))
	})
}

func TestATurnThatIsCutBetweenPagesIsWholeAgain(t *testing.T) {
	c := pages(t, map[string]string{
		"": `{"has_more":true,"before":"p2","turns":[
			{"turn_number":2,"response":"Done.","tool_calls":[{"call_id":"call_3"}],
				"reasoning":{"narratives":[{"step":1},{"step":2}],"tool_decisions":[{"call_id":"call_3"}]}},
			{"turn_number":3,"tool_calls":[]}]}`,
		"p2": `{"has_more":true,"before":"p1","turns":[
			{"turn_number":2,"tool_calls":[{"call_id":"call_2"}],
				"reasoning":{"narrative":"I look.","narratives":[{"step":1}],
					"tool_decisions":[{"call_id":"call_2"}]}}]}`,
		"p1": `{"has_more":false,"turns":[{"turn_number":1,"tool_calls":[{"call_id":"call_1"}]}]}`,
	})
	turns, err := c.JobTurns(t.Context(), "j")
	require.NoError(t, err)
	var got [][]string
	for i, turn := range turns {
		assert.Equal(t, i+1, turn.Number)
		ids := []string{}
		for _, call := range turn.Calls {
			ids = append(ids, call.ID)
		}
		got = append(got, ids)
	}
	assert.Equal(t, [][]string{{"call_1"}, {"call_2", "call_3"}, {}}, got)
	why := turns[1].Reasoning
	require.Len(t, why.Decisions, 2)
	assert.Equal(t, "call_2", why.Decisions[0].CallID)
	assert.Len(t, why.Narratives, 2, "a narrative that both parts have is taken once")
	assert.Equal(t, "I look.", why.Narrative, "only the earlier part has it")
	assert.Equal(t, "Done.", turns[1].Response)
	assert.True(t, json.Valid(turns[1].Raw))
}

func TestTheTurnsOfAJobEndWithAnErrorOrAnEmptyPage(t *testing.T) {
	_, err := pages(t, map[string]string{"": `{"has_more":true,"before":"gone","turns":[{"turn_number":9}]}`}).
		JobTurns(t.Context(), "j")
	assert.True(t, Is(err, "no_job"), "%v", err)
	turns, err := pages(t, map[string]string{"": `{"has_more":true,"before":"","turns":[]}`}).JobTurns(t.Context(), "j")
	require.NoError(t, err)
	assert.Empty(t, turns, "a server that never ends is not asked again")
}

func TestPartsOfTurnsAreJoinedWhateverTheyLack(t *testing.T) {
	for _, tt := range []struct{ earlier, later, want string }{
		{`{"tool_calls":[1]}`, `{"tool_calls":[2]}`, `{"tool_calls":[1,2]}`},
		{`{}`, `{"tool_calls":[2]}`, `{"tool_calls":[2]}`},
		{`{"tool_calls":[1],"reasoning":{"narrative":"x"}}`, `{"reasoning":null}`,
			`{"tool_calls":[1],"reasoning":{"narrative":"x"}}`},
		{`7`, `{"tool_calls":[2],"reasoning":{"narrative":"y"}}`, `{"tool_calls":[2],"reasoning":{"narrative":"y"}}`},
	} {
		assert.JSONEq(t, tt.want, string(joinParts(json.RawMessage(tt.earlier), json.RawMessage(tt.later))), tt.earlier)
	}
}

func TestTheLastTurnsOfAThreadAreJoinedFromItsPages(t *testing.T) {
	asked := []string{}
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		asked = append(asked, q.Get("limit"))
		number := 9 - len(asked)
		_, _ = w.Write([]byte(`{"thread_id":"t","has_more":true,"oldest_timestamp":"o","event_id":"e` +
			strconv.Itoa(number) + `","turns":[{"turn_number":` + strconv.Itoa(number) + `}]}`))
	})
	page, err := c.Recent(t.Context(), "t", 3)
	require.NoError(t, err)
	require.Len(t, page.Turns, 3)
	assert.Equal(t, 6, page.Turns[0].Number)
	assert.Equal(t, 8, page.Turns[2].Number)
	assert.Equal(t, "e8", page.EventID, "the moment of the first answer, so that nothing after it is missed")
	assert.Equal(t, []string{"3", "2", "1"}, asked, "no more is fetched than is missing")
}

func TestAJobWaitsUntilAWorkerAsksForIt(t *testing.T) {
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/api/jobs/a%2Fb", r.URL.EscapedPath())
		_, _ = w.Write([]byte(`{"job_id":"a/b","state":"pending","worker_seen_at":null}`))
	})
	job, err := c.Job(t.Context(), "a/b")
	require.NoError(t, err)
	assert.True(t, job.Waits())
	job.State = "running"
	assert.False(t, job.Waits())
	assert.Contains(t, c.Base(), "http://127.0.0.1:")
}

// A server that says that there are more turns, and has none, is not asked for ever.
func TestAPageWithoutTurnsEndsTheSearchForOlderOnes(t *testing.T) {
	asked := 0
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		turns := ""
		if asked++; asked == 1 {
			turns = `{"turn_number":8}`
		}
		if asked > 9 {
			t.Error("it is asked again and again")
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(`{"thread_id":"t","has_more":true,"oldest_timestamp":"o","turns":[` + turns + `]}`))
	})
	page, err := c.Recent(t.Context(), "t", 3)
	require.NoError(t, err)
	assert.Len(t, page.Turns, 1)
	assert.Equal(t, 2, asked)
}
