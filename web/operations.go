package web

import (
	"net/http"

	"candor/web/openapi"
	"candor/web/problem"
	"candor/web/view"
)

// Parameters that several routes take.
var (
	// OfThread names a thread; without it a route takes the one used last.
	OfThread = openapi.Parameter{Name: "thread_id", Text: "The thread; without it the one used last."}
	// Rendered asks for HTML beside texts in Markdown.
	Rendered = openapi.Parameter{Name: "render", Values: []string{"html"},
		Text: "Adds the HTML of answers and narratives, made and cleaned by the server."}
	// MaxEvent bounds the events of a stream.
	MaxEvent = openapi.Parameter{Name: "max_event_bytes",
		Text: "Cut the texts of events that are longer, at least 4096. Texts that were cut end with an ellipsis."}
	// Limit bounds how many entries an answer has.
	Limit = openapi.Parameter{Name: "limit", Text: "At most this many, from 1 to 200."}
	// Before is where the page ends that a list is asked for.
	Before = openapi.Parameter{Name: "before", Text: "Only what is older than this time, of RFC 3339."}
	// Format and Omit choose what a file has.
	Format = openapi.Parameter{Name: "format", Values: []string{"md", "jsonl", "html"}, Text: "Without it, md."}
	Omit   = openapi.Parameter{Name: "omit",
		Text: "Leaves out any of reasoning, parameters and results, with commas between them."}
)

// Files are the answers of a route that exports.
func Files() []openapi.Answer {
	return []openapi.Answer{
		{Status: http.StatusOK, Kind: "text/markdown", Text: "A file; as JSON Lines it has a TurnDetail in each"},
		{Status: http.StatusOK, Kind: "text/html"}, {Status: http.StatusOK, Kind: "application/jsonl"},
	}
}

// Stream is the answer of a route that streams the events of a session. It has those of threads and of jobs, as
// far as the request wants them, and those with which a stream speaks of itself.
func Stream() openapi.Answer {
	return openapi.Answer{Status: http.StatusOK, Kind: "text/event-stream", Events: StreamEvents(),
		Text: "Server-sent events; the id of one is the cursor after it"}
}

// Deleted are the answers of a route that deletes.
func Deleted() []openapi.Answer {
	return []openapi.Answer{
		{Status: http.StatusNoContent, Text: "It is deleted"},
		{Status: http.StatusAccepted, Body: problem.Problem{},
			Text: "It is deleted, and the storage has yet to be cleared"},
	}
}

// TurnAnswer says which turn a request is about. The request has been taken; what comes of it is shown by
// the stream.
type TurnAnswer struct {
	Status     string `json:"status"` // accepted or interrupting
	ThreadID   string `json:"thread_id"`
	TurnNumber int    `json:"turn_number"`
}

// HealthInfo answers the questions about the server's health.
type HealthInfo struct {
	Channel string `json:"channel,omitempty"` // gateway
	Status  string `json:"status"`            // healthy, alive or ready
}

// interruptRequest is the body of POST /api/chat/interrupt.
type interruptRequest struct {
	ThreadID string `json:"thread_id"`
}

// operations describes the routes of this package, by method and path: those that need no token, those about
// logins and the server, and then those of conversations.
//
// What a route is called with and answers is said here once, by Go types, and the OpenAPI document, docs/api.md
// and the checks of all tests follow. What the document cannot say, such as the codes of a route's own errors,
// is in the comment of its handler.
var operations = map[string]openapi.Operation{
	"GET /api": {Summary: "What the API has, and where it is described", Access: openapi.Nobody,
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, APIIndex{})}},
	"GET /api/openapi.json": {Summary: "This document", Access: openapi.Nobody,
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, openapi.Anything{})}},
	"GET /api/health": {Summary: "Whether the server takes requests", Access: openapi.Nobody,
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, HealthInfo{})}},
	"GET /api/health/live": {Summary: "Whether the process serves", Access: openapi.Nobody,
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, HealthInfo{})}},
	"GET /api/health/ready": {Summary: "Whether requests should come to this server", Access: openapi.Nobody,
		Text:    "Status 503 and the reasons if they should go elsewhere for now.",
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, HealthInfo{})}},
	"GET /metrics": {Summary: "The server's metrics, in the format of Prometheus",
		Answers: []openapi.Answer{{Status: http.StatusOK, Kind: "text/plain"}}},
	"GET /":      pageOperation,
	"HEAD /":     pageOperation,
	"GET /ui/*":  pageOperation,
	"HEAD /ui/*": pageOperation,

	"POST /api/envelope": {Summary: "Make a request that nobody else can read or answer", Access: openapi.Nobody,
		Text: "Programs that post by themselves do not send the token. The body is a request to POST /api/attached " +
			"or to POST /api/hooks/{agent} and the routes below it, encrypted with a key that is derived from the " +
			"token; the answer is encrypted as well. The comment of package web/envelope has the form.",
		Body: openapi.Anything{}, Answers: []openapi.Answer{{Status: http.StatusOK, Kind: "application/octet-stream",
			Text: "The answer to the request, encrypted"}}},

	// A login stands for the token of a user who does not want to show it to each page.
	"POST /api/login": {Summary: "Log a browser in", Access: openapi.Nobody,
		Text: "Takes a token or a code, and sets a cookie. Each request with the cookie needs page_key in the header " +
			"Candor-Page-Key.",
		Body: LoginRequest{}, Answers: []openapi.Answer{openapi.JSON(http.StatusOK, LoginResponse{})}},
	"GET /api/login": {Summary: "Who is logged in",
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, LoginInfo{})}},
	"POST /api/login/code": {Summary: "Make a code that logs one browser in, once",
		Answers: []openapi.Answer{openapi.JSON(http.StatusCreated, LoginCode{})}},
	"POST /api/logout": {Summary: "Log a browser out", Access: openapi.Nobody,
		Answers: []openapi.Answer{{Status: http.StatusNoContent, Text: "Nobody is logged in"}}},
	"POST /api/session/throwaway": {Summary: "Open an empty session for a check",
		Text:    "It replaces the one that the caller had before, and ends after ten minutes.",
		Answers: []openapi.Answer{openapi.JSON(http.StatusCreated, ThrowawaySession{})}},
	"DELETE /api/session/throwaway": {Summary: "Remove a session that was opened for a check",
		Text:    "The token is that of the session.",
		Answers: []openapi.Answer{{Status: http.StatusNoContent, Text: "It is removed"}}},
	"GET /api/gateway/status": {Summary: "The server and the caller",
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, StatusInfo{})}},

	// Everything below is about the caller's own session: no parameter names a user.
	"POST /api/chat/send": {Summary: "Say something to the agent",
		Text: "The answer comes at once; the stream shows what the agent does. A message that is a command, such as " +
			"/reasoning, is answered itself.",
		Body: SendRequest{}, Required: []string{"content"},
		Answers: []openapi.Answer{
			{Status: http.StatusAccepted, Body: SendResponse{}, Text: "The message became a turn"},
			{Status: http.StatusOK, Body: CommandResponse{}, Text: "The message was a command"},
		}},
	"POST /api/chat/thread/new": {Summary: "Open a thread",
		Answers: []openapi.Answer{openapi.JSON(http.StatusCreated, view.ThreadInfo{})}},
	"POST /api/chat/interrupt": {Summary: "Stop a thread's turn, and those that wait behind it",
		Body:    interruptRequest{},
		Answers: []openapi.Answer{openapi.JSON(http.StatusAccepted, TurnAnswer{})}},
	"POST /api/chat/approval": {Summary: "Answer a call that waits for a person",
		Text: "value may say why a call is denied, as a text, or what is decided instead, for a call that decides.",
		Body: ApprovalRequest{}, Required: []string{"request_id", "action"},
		Answers: []openapi.Answer{openapi.JSON(http.StatusAccepted, TurnAnswer{})}},
	"POST /api/chat/approval/edit": {Summary: "Approve a call with other arguments",
		Text: "They are checked as the agent's were; what is refused changes nothing. A mask stands for its secret " +
			"only where it was.",
		Body: ApprovalEdit{}, Required: []string{"request_id", "action", "arguments"},
		Answers: []openapi.Answer{openapi.JSON(http.StatusAccepted, TurnAnswer{})}},
	"POST /api/chat/feedback": {Summary: "Say what the caller thinks of a decision",
		Text: "The latest rating of a decision stands; none withdraws it.",
		Body: FeedbackRequest{}, Required: []string{"thread_id", "turn_number", "call_id", "rating"},
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, FeedbackResponse{})}},
	"GET /api/chat/threads": {Summary: "The threads, the most recently used first",
		Query:   []openapi.Parameter{Before},
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, ThreadList{})}},
	"DELETE /api/chat/threads/:id": {Summary: "Delete a thread for good", Answers: Deleted()},
	"GET /api/chat/history": {Summary: "A thread's turns, the oldest first",
		Query:   []openapi.Parameter{OfThread, Limit, Before, Rendered},
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, HistoryResponse{})}},
	"GET /api/chat/turn": {Summary: "One turn with the complete results of its calls",
		Query:   []openapi.Parameter{OfThread, {Name: "turn", Text: "The turn's number."}, Rendered},
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, view.TurnDetail{})}},
	"GET /api/chat/export": {Summary: "A thread, or one turn of it, as a file",
		Query: []openapi.Parameter{OfThread, Format, Omit,
			{Name: "turn", Text: "The turn's number; without it, all."}},
		Answers: Files()},
	"GET /api/chat/search": {Summary: "Search all conversations and jobs", Query: searchParameters(),
		Text: "A hit has all words, or if none has, as many as any. The facets count all hits. Without q, " +
			"all that the facets want.",
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, view.SearchResponse{})}},
	"GET /api/chat/events": {Summary: "What happens, as it happens",
		Text: "Begins with what comes next, or behind the event that Last-Event-ID or last_event_id names. This " +
			"route takes a token in the query, too.",
		Query: []openapi.Parameter{
			{Name: "thread_id", Text: "Only this thread and what else is named.", Many: true},
			{Name: "job_id", Text: "Only this job and what else is named.", Many: true},
			{Name: "last_event_id", Text: "Where to continue, for clients that cannot send the header."}, MaxEvent,
			{Name: "token"},
		},
		Headers: []openapi.Parameter{{Name: "Last-Event-ID", Text: "Where to continue."}},
		Answers: []openapi.Answer{Stream()}},
}

// pageOperation describes the routes of the page.
var pageOperation = openapi.Operation{Summary: "The page and its files", Access: openapi.Nobody,
	Answers: []openapi.Answer{{Status: http.StatusOK, Kind: "text/html"}}}

// searchParameters returns the parameters of a search: the words, the facets, and the page.
func searchParameters() []openapi.Parameter {
	all := []openapi.Parameter{{Name: "q", Text: "Words; in quotes, words that stand together."}}
	for _, facet := range view.Facets {
		all = append(all, openapi.Parameter{Name: facet, Many: true, Text: "Only hits with one of these values."})
	}
	offset := openapi.Parameter{Name: "offset", Text: "Leaves out this many of the best hits, to 1000."}
	return append(all, Limit, offset)
}
