package apptest

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/stretchr/testify/require"
)

// ReasoningPost is a worker's post with one reason that the model gave and one missing.
const ReasoningPost = `{"event":"reasoning","narrative":"Checked git log, now writing a summary file.",
 "tool_decisions":[
  {"tool_name":"shell","rationale":"ran git log to capture recent commits","outcome":"success"},
  {"tool_name":"write"}]}`

// NewJob opens a job for the user ann and returns its id and its worker's token. The
// job stays open until a worker ends it, and disappears with the server.
func (s *Server) NewJob(prompt string) (id, token string) {
	s.T.Helper()
	body := JSON(s.T, M{"title": "tidy", "prompt": prompt, "metadata": M{"n": 1}})
	r := s.Post("ann", "/api/jobs", string(body))
	require.Equal(s.T, http.StatusCreated, r.Status, r.Body)
	job := r.JSON()
	return job["job_id"].(string), job["token"].(string)
}

// PostEvents posts to a job as its worker does: body is an event or a list of events, and
// edit changes the request first. The reply may have any status.
func (c *Client) PostEvents(id, token, body string, edit ...func(*http.Request)) Reply {
	c.T.Helper()
	return c.Post("", "/api/jobs/"+id+"/events", body, append([]func(*http.Request){WithToken(token)}, edit...)...)
}

// JobEvent is one event of a job's log, as the API lists it.
type JobEvent struct {
	ID   int             `json:"id"`
	Kind string          `json:"event_type"`
	Raw  json.RawMessage `json:"data"`
}

// JobEvents returns the whole log of one of ann's jobs, in order. It fails the test if
// the log does not fit on one page, so that no test checks half a log by mistake.
func (s *Server) JobEvents(id string) []JobEvent {
	s.T.Helper()
	r := s.Get("ann", "/api/jobs/"+id+"/events")
	require.Equal(s.T, http.StatusOK, r.Status, r.Body)
	var page struct {
		Events []JobEvent `json:"events"`
		More   bool       `json:"has_more"`
	}
	require.NoError(s.T, json.Unmarshal([]byte(r.Body), &page))
	require.False(s.T, page.More)
	return page.Events
}

// KindsOf returns the kinds of events without their prefix job_.
func KindsOf(events []JobEvent) []string {
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, strings.TrimPrefix(e.Kind, "job_"))
	}
	return kinds
}
