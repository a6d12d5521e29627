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
// # How a search ranks
//
// The words of a question that say something are terms. A field matches a term exactly if one of its
// words begins with it, and less well in the middle of a word, by another form of the word, by a
// synonym or by a typing error. What is near is looked for in short texts only, so that a search
// costs what reading its texts costs.
//
// The points of a term are those of its best field: how well it matches times the weight of the
// field. A call has the points of all its terms, and a little for terms that stand in its turn's
// message, the step's narrative or the answer, if it has one of the terms itself. Hits with more
// terms come before hits with more points, and then those that were found first.
//
// A hit whose facets are rejected by one choice is counted in that facet and shown nowhere. Counts and
// hits are kept by the number of terms, since only the end of the search tells how many the best
// hit has.
//
// An answer repeats of the query only what stands in cleaned text: what a person types may be a
// secret, and a search is how one checks that it is nowhere.
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
