// Package telemetry takes OpenTelemetry's spans and log records of agents that other programs run: POST /v1/traces and
// POST /v1/logs, as every exporter of OTLP over HTTP posts them, protobuf or JSON, gzip or not. What they tell becomes
// sightings, which package web/attached records like those of every other channel.
//
// Package attach/otlp decodes a body and attach/dialect reads what is in it. This package has the routes (server.go),
// the bodies (body.go), and what a user's spans wait for (userspans.go).
//
// The answer is of the kind of the request. What was of an agent and could not be read is counted in it, in the words
// of OTLP: partial_success. What is no agent's is taken and dropped without a word, since exporters send all
// spans of a process. [Server.Counts] has all counts, by words of ours.
//
// A body is bounded in bytes, also when it is unpacked, and in elements. What waits, and what is remembered of spans
// that are told, is bounded for each user, by package dialect, and for all together, here. One goroutine tells what has
// waited long enough; [Server.Close] ends it, and tells all that waits. What waits is not cleaned yet; it stays in
// memory and goes with its user's session.
//
// # What an exporter sees
//
// It posts with the token of the person whose agent it is, as Authorization: Bearer, which OTEL_EXPORTER_OTLP_HEADERS
// adds in every SDK. An answer of 200 means that the request was decoded and that what was ready is recorded; what
// still waits for its parents is promised. A request may be repeated whole, for what is known already changes nothing.
// What is damaged has an answer of 400, which exporters do not repeat. A full session, or a user who writes too fast,
// has the answers of every other route, of which exporters repeat those that tell them to. A server that stops
// refuses in this way.
//
// If recording fails, what was ready in this request is lost unless the exporter repeats it. A span that waited since
// an earlier request is then lost: its exporter had its answer. The log says so, without a word of what it was.
//
// # Locks
//
// A user's spans have a lock of their own, which is held while they are recorded, so that requests of one user are
// recorded one after the other, and those of others are not held up. The server's lock guards the list of users and the
// counts, and is never held while anything is recorded. Forget takes only the server's lock, because it is called
// under the lock of the session that a request which holds the other one may be waiting for.
//
// To read another dialect, see package attach/dialect.
package telemetry
