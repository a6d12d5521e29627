// Package otlp sends what agents did, and why, to a collector of OpenTelemetry: a trace for each
// turn, and logs of its narratives and approvals.
//
// # How a turn becomes a trace
//
// An [Exporter] learns of the ends of turns and jobs from the log, by [Exporter.Observe], and does
// the rest in a goroutine of its own: it reads the turn's events, makes spans of them with the times
// of the log, and posts them as protobuf over HTTP. [Project] is the pure part of that. Names are
// those of OpenTelemetry's conventions for generative AI, which are in development; names.go is the
// only file that knows them. What the conventions have no name for begins with candor.
//
// # Guarantees
//
//   - Nothing raw gets out. Spans and logs are made of [safety.Text], [safety.JSON] and words of the
//     program. Messages, arguments and results are left out unless [About] asks for them.
//   - A turn does not wait. Observe only puts a reference into a bounded queue, and drops it if the
//     queue is full; [Exporter.Counts] tells how many were lost.
//   - Memory is bounded: the queue holds no texts, one turn is projected at a time, and texts are cut.
//   - Ids are derived from the session, the thread and the turn, so a turn that is sent twice has the
//     same ids. A collector may see a turn twice if an answer of its own was lost.
//
// The requests are made of OpenTelemetry's generated messages without its SDK: the SDK's exporter
// brings gRPC into the program, and batches spans that end one by one, while a turn is over when it
// is sent.
//
// # Adding an attribute
//
// Name it in names.go, set it in spans.go or logs.go, and run make golden, which shows it for each
// case of testdata/turns.
package otlp
