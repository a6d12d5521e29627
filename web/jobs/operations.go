package jobs

import (
	"net/http"

	"candor/session"
	"candor/web"
	"candor/web/openapi"
	"candor/web/view"
)

// EventPage is a page of a job's log. A stream that resumes from EventID continues the list.
type EventPage struct {
	EventID string              `json:"event_id,omitempty"` // of the page's last event
	Events  []view.JobEventInfo `json:"events"`             // never null
	HasMore bool                `json:"has_more"`
	JobID   string              `json:"job_id"`
}

// done answers that a job has ended, however it ended.
type done struct {
	Status string `json:"status"` // ok
}

// stateRequest is what workers send to tell a job's state or its end. Each route takes some of the members:
// state, message and iteration tell the state; success, message and iterations the end.
type stateRequest struct {
	State      session.JobState `json:"state"`
	Success    bool             `json:"success"`
	Message    string           `json:"message"`
	Iteration  int              `json:"iteration"`
	Iterations int              `json:"iterations"`
}

// Parameters that several routes take.
var (
	afterEvent = openapi.Parameter{Name: "after", Text: "Only what comes after the event with this id."}
	strictness = openapi.Parameter{Name: "strict", Values: []string{"true", "false"},
		Text: "With false, members that nobody knows are counted and left out instead of refused."}
	namedWorker = openapi.Parameter{Name: WorkerHeader,
		Text: "The worker's name; a later worker of another name replaces it."}
	idempotent = openapi.Parameter{Name: "Idempotency-Key",
		Text: "A post that is repeated with the same key is taken once."}
)

// jobBy is the answer with a job. It has the job's token only where the job was opened or restarted.
func jobBy(status int) []openapi.Answer {
	return []openapi.Answer{openapi.JSON(status, view.JobInfo{})}
}

// posting describes both routes that take events. The forms of an event are many, by its kind and in two
// dialects, and post.go reads them member by member; so the document names the page that explains them
// instead of a schema that would admit nearly everything.
var posting = openapi.Operation{
	Summary: "Tell what an agent does, and why", Access: openapi.JobOnly,
	Text: "Takes an event, an array of events, or an object with events. Which members an event has depends on its " +
		"kind: docs/posting-reasoning.md. All events of a request are taken, or none.",
	Query: []openapi.Parameter{strictness}, Headers: []openapi.Parameter{idempotent, namedWorker},
	Body: openapi.Anything{}, Answers: []openapi.Answer{openapi.JSON(http.StatusOK, PostResponse{})},
}

// operations describes the routes by method and path: first those of users, then those of workers, in the
// order of Routes. What a route is called with and answers is said here once. Its handler's comment says
// why, and lists the codes of its own errors, which the document has as problems alone.
var operations = map[string]openapi.Operation{
	"POST /api/jobs": {Summary: "Open a job",
		Text: "The answer has the job's token, which no other answer shows. With events the job is opened and has " +
			"them, or nothing happens; docs/posting-reasoning.md says what they may be.",
		Query: []openapi.Parameter{strictness}, Body: JobRequest{}, Required: []string{"prompt"},
		Answers: []openapi.Answer{openapi.JSON(http.StatusCreated, OpenedJob{})}},
	"GET /api/jobs": {Summary: "The jobs, the newest first", Query: []openapi.Parameter{web.Limit, web.Before},
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, view.JobList{})}},
	"GET /api/jobs/summary": {Summary: "How many jobs there are, by state",
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, map[string]int{})}},
	"GET /api/jobs/:id": {Summary: "A job and its turns, the latest last",
		Query: []openapi.Parameter{web.Limit,
			{Name: "before", Text: "The before of another page; without it the page has the latest turns."},
			web.Rendered},
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, view.JobDetail{})}},
	"DELETE /api/jobs/:id": {Summary: "Delete a job that has ended, for good", Answers: web.Deleted()},
	"GET /api/jobs/:id/export": {Summary: "A job's turns as a file",
		Query: []openapi.Parameter{web.Format, web.Omit}, Answers: web.Files()},
	"POST /api/jobs/:id/cancel": {Summary: "Cancel a job", Answers: jobBy(http.StatusAccepted)},
	"POST /api/jobs/:id/restart": {Summary: "Begin a job anew", Text: "The answer has a new token.",
		Answers: jobBy(http.StatusAccepted)},
	"POST /api/jobs/:id/prompt": {Summary: "Give a job's worker a further prompt",
		Text: "done says that no prompt comes after it, and then content may be blank.",
		Body: followUp{}, Answers: jobBy(http.StatusAccepted)},
	"GET /api/jobs/:id/events": {Summary: "A job's log, or its stream for a client that accepts text/event-stream",
		Query: []openapi.Parameter{afterEvent, {Name: "last_event_id", Text: "Where a stream continues."},
			web.MaxEvent},
		Headers: []openapi.Parameter{{Name: "Last-Event-ID", Text: "Where a stream continues."}},
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, EventPage{}), web.Stream()}},

	// From here on the token is that of the job.
	"POST /api/jobs/:id/events": posting,
	"POST /worker/:id/event":    posting,
	"POST /worker/:id/status": {Summary: "Tell a job's state", Access: openapi.JobOnly,
		Query: []openapi.Parameter{strictness}, Headers: []openapi.Parameter{namedWorker},
		Body: stateRequest{}, Answers: []openapi.Answer{openapi.JSON(http.StatusOK, PostResponse{})}},
	"POST /worker/:id/complete": {Summary: "End a job", Access: openapi.JobOnly,
		Query: []openapi.Parameter{strictness}, Headers: []openapi.Parameter{namedWorker},
		Body: stateRequest{}, Answers: []openapi.Answer{openapi.JSON(http.StatusOK, done{})}},
	"GET /worker/:id/job": {Summary: "The job for its worker", Access: openapi.JobOnly,
		Text:    "The prompt is the user's own text. The worker becomes the current one.",
		Headers: []openapi.Parameter{namedWorker},
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, WorkerJob{})}},
	"GET /worker/:id/events": {Summary: "The log of the current run", Access: openapi.JobOnly,
		Query: []openapi.Parameter{afterEvent}, Headers: []openapi.Parameter{namedWorker},
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, EventPage{})}},
	"GET /worker/:id/prompt": {Summary: "The next further prompt", Access: openapi.JobOnly,
		Query:   []openapi.Parameter{{Name: "after", Text: "The number of the last one that the worker has, or 0."}},
		Headers: []openapi.Parameter{namedWorker},
		Answers: []openapi.Answer{
			{Status: http.StatusOK, Body: followUp{}, Text: "A prompt"},
			{Status: http.StatusNoContent, Text: "None waits"},
		}},
}
