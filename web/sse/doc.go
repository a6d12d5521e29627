// Package sse serves server-sent events and defines the cursors that are their ids.
// It does not depend on the content of events.
//
// [Server.Serve] writes one stream: it takes a source of [Message] values and returns
// when the source has ended or the client has gone. The source runs in the request's goroutine
// and is cancelled with the client, so nothing outlives the request and nothing is kept for a
// client that reads slowly. A client that does not read is disconnected after the write
// timeout; it never blocks another. [Combine] makes streams use fewer system calls.
//
// A [Cursor] names a position in a session's log. It is the id of each event, so a
// browser that reconnects sends it back as Last-Event-ID, and the stream continues
// after it. An event of the log may become several messages; a cursor can point
// between them.
//
// # The format
//
// The bytes are those of the "Server-sent events" chapter of the WHATWG HTML standard:
// blocks of data:, event: and id: lines, ended by a blank line, and comments that begin
// with a colon. Data is one line, which holds because it is JSON. Each stream begins with
// a comment and a retry: interval. Heartbeats are comments.
//
// The id comes last in its block, because some clients, such as
// @microsoft/fetch-event-source, store it as soon as its line has arrived, while a browser
// waits for the blank line. If the connection breaks within a block, such clients resume
// after an event that they never received. With the id last this requires a break between
// the last two bytes of a block. No order of lines can rule that out, since a browser needs
// the id before the blank line. The same clients report every blank line as a message, so a
// block without data, such as a heartbeat, does not end with one: its lines belong to the
// next block.
//
// [Encode] makes frames with the library r3labs/sse, which only frame.go uses. A [Writer] writes frames that a
// protocol's own handler makes.
package sse
