package mew

import (
	"net/http"

	"candor/web/openapi"
)

// Answers that routes give, besides those of the protocol. A token is shown once, in the invitation.
type (
	spaceList struct {
		Spaces []spaceInfo `json:"spaces"` // never null
	}
	participantList struct {
		Participants []person `json:"participants"` // never null
	}
	stated struct {
		Status string `json:"status"` // deleted or removed
	}
	invitation struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}
	gatewayHealth struct {
		Features []string `json:"features"`
		Protocol string   `json:"protocol"`
		Status   string   `json:"status"` // ok
	}
)

// Parameters that several routes take.
var (
	ofSpace = openapi.Parameter{Name: "space", Text: "The space; a participant may leave it out."}
	chosen  = []openapi.Parameter{ofSpace, {Name: "context", Many: true, Text: "Only this context."},
		{Name: "type", Many: true, Text: "Only contexts of this type."},
		{Name: "view", Values: []string{"main", "conclusions"}}}
)

// operations describes the routes by method and path: first those of the protocol, whose messages are MEW's
// and have no schema here, then those with which owners manage their spaces.
var operations = map[string]openapi.Operation{
	"GET /mew/health": {Summary: "Whether there is a gateway of MEW, and what it can do", Access: openapi.Nobody,
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, gatewayHealth{})}},
	"GET /mew/ws": {Summary: "Take part in a space by a WebSocket", Access: openapi.SpaceOf,
		Query:   []openapi.Parameter{ofSpace},
		Answers: []openapi.Answer{{Status: http.StatusSwitchingProtocols, Text: "The socket"}}},
	"GET /mew/events": {Summary: "A space's messages as they come", Access: openapi.SpaceOf,
		Query: append([]openapi.Parameter{{Name: "last_event_id", Text: "Where to continue."},
			{Name: "max_event_bytes", Text: "Cut the texts of longer events."}}, chosen...),
		Headers: []openapi.Parameter{{Name: "Last-Event-ID", Text: "Where to continue."}},
		Answers: []openapi.Answer{{Status: http.StatusOK, Kind: "text/event-stream", Text: "Messages of MEW"}}},
	"GET /mew/participants": {Summary: "Who takes part in a space", Access: openapi.SpaceOf,
		Query:   []openapi.Parameter{ofSpace},
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, participantList{})}},
	"POST /mew/participants/:id/messages": {Summary: "Say something in a space", Access: openapi.SpaceOf,
		Query: []openapi.Parameter{ofSpace}, Body: openapi.Anything{},
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, sent{})}},
	"GET /mew/participants/:id/messages": {Summary: "What was said in a space", Access: openapi.SpaceOf,
		Query:   append([]openapi.Parameter{{Name: "since", Text: "The id of a message, or a time."}}, chosen...),
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, messagePage{})}},

	"GET /api/mew/spaces": {Summary: "The caller's spaces",
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, spaceList{})}},
	"POST /api/mew/spaces": {Summary: "Make a space", Body: newSpaceRequest{}, Required: []string{"name"},
		Answers: []openapi.Answer{openapi.JSON(http.StatusCreated, spaceInfo{})}},
	"DELETE /api/mew/spaces/:space": {Summary: "Delete a space",
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, stated{})}},
	"POST /api/mew/spaces/:space/participants": {Summary: "Let somebody take part in a space",
		Text: "The answer has the participant's token, which no other answer shows.",
		Body: newParticipantRequest{}, Required: []string{"id", "capabilities"},
		Answers: []openapi.Answer{openapi.JSON(http.StatusCreated, invitation{})}},
	"DELETE /api/mew/spaces/:space/participants/:id": {Summary: "Remove somebody from a space",
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, stated{})}},
	"POST /api/mew/spaces/:space/join": {Summary: "Take part in a space of one's own",
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, spaceInfo{})}},
	"POST /api/mew/spaces/:space/leave": {Summary: "Leave a space of one's own",
		Answers: []openapi.Answer{openapi.JSON(http.StatusOK, spaceInfo{})}},
}
