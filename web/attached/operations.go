package attached

import (
	"net/http"

	"candor/web/openapi"
)

// operations describes the routes. The body of a hook is that of the agent's program and has no schema here.
var operations = map[string]openapi.Operation{
	"POST /api/attached": {Summary: "Tell what another program's agent did, a sighting a line",
		Text: "What is known already changes nothing, so a request may be repeated. A sighting is a JSON object; its " +
			"form is in docs/attach.md.",
		Body: openapi.Anything{}, Answers: []openapi.Answer{openapi.JSON(http.StatusOK, Taken{})}},
	"POST /api/hooks/:agent": {Summary: "Tell what another program's agent does, as its hooks post it",
		Body: openapi.Anything{}, Answers: []openapi.Answer{openapi.JSON(http.StatusOK, hookReply{})}},
	"POST /api/hooks/:agent/reasons": {
		Summary: "Tell of a prompt, as a hook posts it, and ask the model for its reasons",
		Text: "The reply is one that the agent's program understands. It asks the model for a line before each call, " +
			"\"Reason for Bash: …\", which is then shown as the call's reason.",
		Body: openapi.Anything{}, Answers: []openapi.Answer{openapi.JSON(http.StatusOK, openapi.Anything{})}},
	"POST /api/hooks/:agent/ask": {Summary: "Tell of a call, as a hook posts it, and wait for a person's answer",
		Text: "The call waits in the conversation of the agent like one of Candor's own, to be answered by POST " +
			"/api/chat/approval. The answer is the reply that the agent's program understands. It is empty where " +
			"nobody can be asked.",
		Body: openapi.Anything{}, Answers: []openapi.Answer{openapi.JSON(http.StatusOK, openapi.Anything{})}},
}
