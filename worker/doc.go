// Package worker does the work of a job in a process of its own and posts the reasons
// for its actions to a Candor server.
//
// It has two parts. [Client] posts events about one job and is all that another
// worker written in Go needs. [Runtime] is Candor's own worker: it runs the agent
// loop of package agent on the job's prompts and records each step by posting it.
//
// # How a job runs
//
// [Runtime.Run] asks the server for the job and reads the events that the job's current
// run already has (resume.go). It folds them into a history: the conversation so far,
// the calls left open and the prompts not yet answered (history.go). Open calls are
// closed as cancelled, and then the dispatcher answers one prompt after the other
// (promptloop.go). Its recorder turns what the dispatcher reports into events
// (recorder.go), adds them to the same history and hands them to the uploader
// (uploader.go), which posts them while the loop goes on. After the last prompt the
// result is posted and the job is done.
//
// # How posts are numbered and repeated
//
// Events are numbered 1, 2, 3, … within the job's run, and the id of an event is made
// of run and number ("r1-7"). The server accepts each id once, so the uploader can
// repeat a post until it has an answer. It posts in order, up to MaxPost events at a
// time, and pauses longer after each failure. Events that wait are held in memory up
// to a bound and beyond that in a file (queue.go). An event that the server refuses is
// replaced, under its number, by one that says so.
//
// # What happens at a kill
//
// A killed worker loses what it had not posted. The next one continues with the number
// after the last one in the log and behind the last complete step; a call whose start
// was not posted may therefore be made twice. A reason is posted with its call, before
// the call runs, so it survives a kill. Requests of the killed worker that are still
// on their way do no harm: every Run has a random name, and from the moment a new one
// asks for the job the server refuses the names before it with [ErrReplaced].
//
// # Guarantees
//
//   - Order: the server receives the events of a run in the order they happened.
//   - Once: no event is recorded twice, whatever fails in between.
//   - Loss: while Run runs, an event is dropped only if neither memory nor disk can hold
//     it, the server refuses it, or the job is over. A Run whose context has ended drops
//     what it cannot post within its grace. The loss is logged or returned by Run.
//   - Blocking: the agent loop never waits for the server.
//   - Goroutines: a Runtime starts two, the uploader and a poller that notices when the
//     job is cancelled, and Run waits for both. A Client starts none.
//   - Secrecy: errors and logs never contain the job's token or anything a model, tool
//     or user wrote.
package worker
