// Package web is the HTTP API of sessions: it takes messages, answers with history,
// and streams what happens as server-sent events.
//
// # How a request flows
//
// [Server] passes each request through the middleware in middleware.go: panics, the
// request log, deadlines, the host's name, security headers, CORS, the body limit. The
// route's own middleware authenticates it, and limits how many messages a user sends.
// The handler then reads parameters, makes one call to the session or to [Chat], and
// encodes the answer with a projection of package view. An error becomes the answer in
// one place, handleError; every answer that is not a success is a [problem.Problem].
// One that tells a user to wait is held back there if the user never waits.
//
// A stream is a feed: it watches the session's log from a cursor, encodes each event,
// and hands the messages to package sse. Because the log itself is the source, a stream
// can resume after any message without repeating or losing one.
//
// # Rooms
//
//	web/view     projections onto JSON, pure
//	web/access   tokens, logins, login codes, limits on attempts
//	web/problem  the shape of errors; reading and writing JSON bodies
//	web/sse      server-sent events and cursors
//	web/openapi  the OpenAPI document, made of the routes and the types of their bodies
//	web/jobs     the job API, mounted as [Route] values
//	web/agui     the AG-UI protocol, mounted as [Route] values
//	web/openwop  the OpenWOP protocol, likewise
//	web/client   the Go client of this API
//	web/ui       the page
//
// # Guarantees
//
// A user reaches only their own session. Another user's thread gets the same answer as
// one that does not exist. A token in a URL is accepted for streams only, because URLs
// end up in logs. Problems and logs never repeat input, which may hold a secret. Nothing
// here cleans text: a session holds cleaned text only, as its types say. No goroutine
// outlives the request that started it.
//
// The package does not know the agent loop; [Chat] names the three methods it needs.
//
// # Where to add things
//
// A route of the chat API is a handler in the file of its subject, a line in
// Server.routes, and its description in operations.go; make api then writes docs/api.md.
// Another protocol is a package of its own, whose Routes [Server.Mount] adds; AG-UI and
// jobs are the examples. An error of package session that needs words of its own goes
// into sessionProblems.
package web
