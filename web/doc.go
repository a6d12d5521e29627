// Package web is the HTTP API of sessions: it takes messages, answers with history,
// and streams events as server-sent events.
//
// # How a request flows
//
// [Server] passes each request through the middleware in middleware.go: panics, the
// request log, deadlines, the host's name, security headers, CORS, the body limit. The
// route's own middleware authenticates it, and limits how many messages a user sends.
// The handler then reads parameters, makes one call to the session or to [Chat], and
// encodes the answer with a projection of package view. handleError alone turns errors
// into answers; every answer that is not a success is a [problem.Problem]. If a user
// who was told to wait does not, handleError delays the answer.
//
// A stream is a feed: it watches the session's log from a cursor, encodes each event,
// and passes the messages to package sse. Because the log itself is the source, a
// stream can resume after any message without repeating or losing one.
//
// # Rooms
//
//	web/view       projections onto JSON, pure
//	web/access     tokens, logins, login codes, limits on attempts
//	web/problem    the form of errors; reading and writing JSON bodies
//	web/sse        server-sent events and cursors
//	web/openapi    the OpenAPI document, made from the routes and the types of their bodies
//	web/jobs       the job API, mounted as [Route] values
//	web/agui       the AG-UI protocol, likewise
//	web/openwop    the OpenWOP protocol, likewise
//	web/mew        the gateway of MEW spaces, likewise
//	web/attached   hooks and session files of other programs' agents, likewise
//	web/telemetry  OpenTelemetry of other programs' agents, likewise
//	web/ask        an MCP server that explains decisions, over web/client
//	web/client     the Go client of this API
//	web/ui         the page
//
// # Guarantees
//
// A user reaches only their own session. Another user's thread gets the same answer as
// one that does not exist. A token in a URL is accepted for streams only, because URLs
// end up in logs. Problems and logs never repeat input, which may hold a secret. This
// package does not clean texts: a session holds only cleaned text, as its types say. No
// goroutine outlives the request that started it.
//
// The package does not depend on the agent loop; [Chat] names the three methods that
// it needs.
//
// # Where to add things
//
// A route of the chat API is a handler in the file of its subject, a line in
// Server.routes, and its description in operations.go; make api then writes docs/api.md.
// Another protocol is a package of its own, whose Routes [Server.Mount] adds; AG-UI and
// jobs are the examples. An error of package session that needs words of its own goes
// into sessionProblems.
package web
