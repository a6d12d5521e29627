// Package view projects sessions onto the JSON of the API: turns, threads, jobs,
// search results, and the frames of event streams. It is pure: no I/O, no clock, no
// HTTP. The same events therefore always give the same bytes, which the goldens in
// testdata/turns pin.
//
// # How a value flows
//
// History and details are projections of state: [Turn], [Detail], [Thread] and [Job]
// take the fold of a log and return a struct that encodes as the answer.
//
// Streams are projections of events: [Frames] takes one event of the log, together
// with the turn it led to, and returns the frames that a client gets for it. Events of
// jobs go through [JobFrames]. An [Encoder] encodes an event's frames once for all
// clients that watch, and keeps the lines of recent events.
//
// A search is a [Query] over [Document] values. It splits a question into the words that count
// (question.go), ranks what it finds (rank.go: tool and object first, then reasons, then what was
// said; of equals what came first in the caller's order), filters by facets (facets.go), counts what
// each facet could show instead, and marks the matches in short snippets. A new synonym is a word
// in a table of question.go; ask the questions of testdata/story before and after.
//
// # Guarantees
//
// Every text is a [safety.Text] or [safety.JSON]: a session holds cleaned text only,
// and these types cannot be made from anything else. Nothing here cleans or unmasks.
// The rationale of a call is never empty. A result of any size costs at most a few scans
// of 256 KiB, and a search reads at most 64 MiB of text.
//
// # Where to add things
//
// A new member of an answer goes into its struct here, documented, and into the types
// of package web/client. A new kind of event gets a frame struct and a case in Frames;
// clients ignore frames whose name they do not know.
package view
