// Package otlp sends the actions of agents, and their reasons, to an OpenTelemetry collector: a
// trace for each turn, and logs of its narratives and approvals.
//
// # How a turn becomes a trace
//
// An [Exporter] receives the ends of turns and jobs from the log, by [Exporter.Observe], and does
// the rest in a goroutine of its own: it reads the turn's events, turns them into spans with the
// times of the log, and posts them as protobuf over HTTP. [Project] is the pure part of that. Names
// are those of OpenTelemetry's conventions for generative AI, which are in development; only
// names.go contains them. Names that the conventions lack begin with candor.
//
// # Guarantees
//
//   - Only cleaned text leaves. Spans and logs are made of [safety.Text], [safety.JSON] and fixed
//     words. Messages, arguments and results are left out unless [About] requests them.
//   - A turn does not wait. Observe only puts a reference into a bounded queue, and drops it if the
//     queue is full; [Exporter.Counts] reports how many were lost.
//   - Memory is bounded: the queue holds no texts, one turn is projected at a time, and texts are cut.
//   - Ids are derived from the session, the thread and the turn, so a turn that is sent twice has the
//     same ids. A collector may receive a turn twice if its own answer was lost.
//
// The package builds requests from OpenTelemetry's generated messages, without its SDK. The SDK's
// exporter brings gRPC into the program, and batches spans that end one by one, while here a turn
// is over before it is sent.
//
// # Adding an attribute
//
// Name it in names.go, set it in spans.go or messages.go, and run make golden, which shows it for each
// case of testdata/turns.
package otlp
