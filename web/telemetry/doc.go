// Package telemetry receives OpenTelemetry's spans and log records from agents in other programs, at POST /v1/traces
// and POST /v1/logs. It accepts the bodies of every OTLP exporter over HTTP: protobuf or JSON, with or without gzip.
// Package web/attached records the resulting sightings like those of every other channel.
//
// Package attach/otlp decodes a body and attach/dialect interprets it. This package has the routes (server.go), the
// bodies (server.go), and the waiting spans of each user (userspans.go).
//
// The answer has the format of the request. It counts the spans and records of agents that could not be read, as OTLP's
// partial_success, and [Server.Unread] returns them by user, for the status. Spans and records that are no agent's are
// accepted and dropped silently, since exporters send all spans of a process. [Server.Counts] returns all counts, under
// fixed labels.
//
// A body is bounded in bytes, also when unpacked, and in elements. Package dialect bounds the spans that wait, and the
// memory of recorded spans, for each user; this package bounds them for all users together. One goroutine records spans
// that have waited long enough. [Server.Close] ends it and records all waiting spans. Waiting spans are not cleaned
// yet; they stay in memory, and are dropped with their user's session.
//
// # What an exporter sees
//
//   - It authenticates with the token of the agent's user, or one that can only send telemetry, as Authorization:
//     Bearer, which OTEL_EXPORTER_OTLP_HEADERS sets in every SDK.
//   - A 200 means that the request was decoded and that its complete spans are recorded; spans that wait for their
//     parents are recorded later. A request may be repeated whole, since known facts change nothing.
//   - A damaged body gets a 400, which exporters do not repeat.
//   - A full session, or a user who writes too fast, gets the same answers as on every other route; exporters repeat
//     the requests whose answers say so. A server that stops answers in this way, too.
//
// If recording fails, the complete spans of this request are lost unless the exporter repeats it. A span that had
// waited since an earlier request is then lost, since its exporter had its answer. The log reports the loss without any
// content.
//
// # Locks
//
// Each user's spans have a lock of their own, held while they are recorded. So requests of one user are recorded one
// after the other, and do not delay those of others. The server's lock guards the list of users and the counts, and is
// never held during recording. Forget takes only the server's lock, because its caller holds the lock of the session,
// for which a request that holds the user's lock may be waiting.
//
// To read another dialect, see package attach/dialect.
package telemetry
