// Package session stores what agents did and why they did it.
//
// A session is one user's append-only log of events. Everything else is computed
// from that log: a [Turn] is the fold of the events of one user message, a [Job] is
// the fold of the events of one worker's job, and packages above this one project
// turns and events into JSON, event streams and documents.
//
// # How an event flows
//
// [Session.Accept] turns a user's message into the next turn of a thread, and
// [Session.Append] adds each later fact about that turn. [Session.PostToJob] does
// the same for the events that a worker sends. The [Log] numbers and dates the
// event, the session folds it into its turn or job, and every reader blocked in
// [Session.Watch] wakes up and receives it.
//
// # Guarantees of the log
//
//   - Order: events are numbered 1, 2, 3, … as they are appended, and their times strictly
//     increase. A number is never given again, so a log has gaps where events were
//     dropped. All readers see what is left in the same order.
//   - Loss: [Log.Follow] yields old and new events by the same code, so a reader that
//     reconnects with the last number it saw misses no event that the log still has, and
//     sees none twice. A log drops nothing that is going on. When its session is full,
//     [Limits] say which ended turns, runs and jobs are dropped, and a [Dropped] event
//     tells every reader what is missing. Only the latest of these is kept: a reader whose
//     position is before one that is gone ([Session.Gone]) has to begin anew.
//   - Blocking: appending never waits for a reader. A reader holds no lock while its
//     loop body runs, so a slow reader falls behind without delaying anyone.
//   - Lifetime: a [Store] evicts an idle session as a whole. A session with an open
//     turn or an active reader is not idle. A closed log still delivers the events
//     it has; an evicted one ends its readers with [ErrEvicted].
//
// # Guarantees of the fold
//
// [Turn.Apply] is a pure function: it returns a new turn and leaves the old one and
// everything reachable from it unchanged. A Turn is therefore a snapshot that may be
// kept and read without a lock. Turn numbers start at 1 in each thread and are never
// reused. [Session.Watch] folds for its reader, so that each update carries its
// event and the turn right after that event, wherever the reader started.
//
// # Text of running steps
//
// While a model speaks, [Session.PublishText] gives its sentences to the readers of
// [Session.WatchLive], who get them between the events around them. They are kept
// outside the log, up to a bounded size, until the event that says the same for good. The log
// has parts of a text ([Spoken]) only in the run of a workflow that asked for them, and no fold
// shows them.
//
// # Runs of workflows
//
// A turn may be the run of a workflow ([Session.AcceptRun]); its [Workflow] says of which, and its
// nodes are in [Turn].Nodes. [Session.Repeat] replays a turn that has ended: a new turn gets a copy
// of its facts.
//
// # Ownership
//
// The [Store] owns its sessions, and a session owns its log, its threads and its
// jobs. Callers own the values they get; the slices in them are shared and must not
// be modified. The package starts no goroutine: Follow and Watch run on the
// goroutine of the caller and end with the caller's loop or context.
//
// # Safety
//
// Text that came from a model, a tool, a worker or a user is a [safety.Text] or a
// [safety.JSON]. Only package safety makes those, so raw text cannot reach the log.
//
// # Adding an event
//
// Declare its body in event.go or jobevent.go and its cost method in cost.go, fold it
// in [Turn.Apply] or [Job.Apply], and project it in the packages that show it. A new
// [Store] is a type of this package, beside [Memory], that passes the suite in package
// sessiontest.
package session
