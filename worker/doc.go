// Package worker is the side of a job that does the work, in a process of its own.
// It has two parts: [Client], which posts events to a server and is all that a
// worker written elsewhere in Go needs, and [Runtime], which works on a job with
// the loop of chat and records it by posting.
//
// # Guarantees of the Runtime
//
//   - Order: the server sees the events of a run in the order in which they
//     happened, whatever fails between.
//   - Once: events are numbered within the run and posted under ids made of these
//     numbers, so that a repeated post changes nothing.
//   - Nothing lost while the process lives: a post that fails for now is repeated
//     until it is taken. What waits is held in memory up to a bound and in a file
//     past it. What cannot be kept at all is counted and logged.
//   - A process that was killed is gone with what it had not posted. The next one
//     reads the run's events, ends the calls that were left open as cancelled, and
//     goes on behind the last step that the log shows as complete. A call whose
//     beginning was not posted may so be made twice.
//   - What came late is nobody's: a Run speaks under a name of its own, and once it
//     has asked where the log stands the server takes no request of one before it. A
//     Run that finds itself replaced stops.
//   - A reason is posted with its call, before the call runs, and again with its
//     step's end; a worker that was killed leaves the reasons of what it was at.
//   - The loop never waits for the server.
//
// # Goroutines
//
// A Runtime starts two, one that posts and one that looks whether the job is still
// open; Run awaits both. A Client starts none.
//
// No error and no log line of this package holds the job's token or the words of a
// model, tool or user.
package worker
