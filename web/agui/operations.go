package agui

import (
	"net/http"

	"candor/web"
	"candor/web/openapi"
)

// operations describes the routes by method and path. What they take and stream is AG-UI's, whose clients and
// schemas check it in this package's tests, so the document has no schemas of it.
var operations = map[string]openapi.Operation{
	"POST /agui": {Summary: "Run the agent for a client of AG-UI",
		Text: "Takes a RunAgentInput and streams the events of AG-UI.", Body: openapi.Anything{},
		Query:   []openapi.Parameter{web.MaxEvent},
		Answers: []openapi.Answer{{Status: http.StatusOK, Kind: "text/event-stream", Text: "Events of AG-UI"}}},
	"GET /agui/capabilities": {Summary: "What a client of AG-UI can rely on",
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, Capabilities{})}},
	"GET /agui/threads/:id/events": {Summary: "What happens in a thread, as events of AG-UI",
		Query: []openapi.Parameter{{Name: "after", Text: "The same as last_event_id."},
			{Name: "last_event_id", Text: "Where to continue."}, web.MaxEvent},
		Headers: []openapi.Parameter{{Name: "Last-Event-ID", Text: "Where to continue."}},
		Answers: []openapi.Answer{{Status: http.StatusOK, Kind: "text/event-stream", Text: "Events of AG-UI"}}},
	"POST /agui/threads/:id/interrupt": {Summary: "Stop a thread's turn",
		Answers: []openapi.Answer{openapi.JSON(http.StatusAccepted, web.TurnAnswer{})}},
}
