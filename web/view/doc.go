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
// with the resulting turn, and returns the frames that a client gets for it. Events of
// jobs go through [JobFrames]. An [Encoder] encodes an event's frames once for all
// watching clients, and keeps the lines of recent events.
//
// A search is a [Query] over [Document] values. It extracts the significant words of a question
// (question.go), ranks the matches (rank.go: tool and object first, then reasons, then texts; equals
// in the caller's order), filters by facets (facets.go), counts the matches of each alternative
// facet, and marks the matches in short snippets. A new synonym is a word in a table of question.go;
// run the questions of testdata/story before and after.
//
// # How a search ranks
//
// The significant words of a question are terms. A field matches a term exactly if one of its words
// begins with it, and less well in the middle of a word, by another form of the word, by a synonym
// or by a typing error. Inexact matches are sought in short texts only, so that a search costs no
// more than reading its texts.
//
// The points of a term are those of its best field: how well it matches times the weight of the
// field. A call has the points of all its terms, and a few for terms in its turn's message, the
// step's narrative or the answer, if it matches one of the terms itself. Hits with more terms
// come before hits with more points, and those before later ones.
//
// A hit whose facets are rejected by one choice is counted in that facet and shown nowhere. Counts and
// hits are kept by the number of terms, since the number of the best hit is known only at the end of
// the search.
//
// An answer repeats of the query only words that occur in cleaned text: a person may type a
// secret, perhaps to check that it is nowhere.
//
// # Guarantees
//
// Every text is a [safety.Text] or [safety.JSON]: a session holds cleaned text only, and
// these types cannot be made from anything else. This package does not clean or unmask.
// The rationale of a call is never empty. A result of any size costs at most a few scans
// of 256 KiB, and a search reads at most 64 MiB of text.
//
// # Where to add things
//
// A new member of an answer goes into its struct here, with a comment, and into the
// types of package web/client. A new kind of event gets a frame struct and a case in
// Frames; clients ignore frames with unknown names.
package view
