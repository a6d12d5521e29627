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
//     it has; an evicted one ends its readers with [ErrEvicted]. What a [Memory] evicts is
//     lost; what a [Durable] evicts is in its engine, and the next Open reads it.
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
// # Feedback
//
// [Session.Rate] records what the user thinks of a decision, as a [DecisionRated] event of the turn, at any
// time: it is the only event that may follow the end of a turn of our own agent. The latest one stands,
// in [Call].Feedback. It does not count as news of its thread, and is erased with it.
//
// # What turns cost
//
// Whoever asks models records with their answers what these cost ([Spent]), where the prices are known at
// that time. A turn sums it up as it sums up tokens, and knows its cost only if that of each answer
// is known. Costs are whole nano-dollars, so sums are exact, and the same on each path.
//
// # Sealed reasoning
//
// A provider may keep a model's reasoning for itself: it comes encrypted, or as a signature in its place. What came
// goes back to the provider and is nowhere in the log. That there was some, its form and its size are in a
// [Narrated] event and stay with the step ([Sealed]), so that a step without a narrative does not look like
// one whose model did not think. Such an event has no text, no source and nothing to clean.
//
// # Sub-agents
//
// A [Handoff] that gives a task says who gets it ([Profile]): the name for people, the model and its effort. The
// id in From, To and [Ref] stays what identifies the agent: it is unique in its turn, and a name is not. A
// hand-off back has no profile, since the one before it said who works on the task.
//
// # Ownership
//
// The [Store] owns its sessions, and a session owns its log, its threads and its
// jobs. Callers own the values they get; the slices in them are shared and must not
// be modified. The package starts no goroutine but those of [Durable.Share]: Follow and Watch run on the
// goroutine of the caller and end with the caller's loop or context.
//
// # Safety
//
// Text that came from a model, a tool, a worker or a user is a [safety.Text] or a
// [safety.JSON]. Only package safety makes those, so raw text cannot reach the log.
//
// # Journals
//
// The log of a session in a [Durable] store has a journal (package journal), which an engine
// keeps. Each append is one frame of the journal, with one event or several, and it is there
// before any reader or the fold sees the events. An append that the journal did not keep fails
// with [ErrStorage] and changes nothing. If the engine cannot say whether it kept the frame, the
// journal reads it back; if even that fails, the error says so, and the events may turn up later.
//
// Events are encoded by the names of their types and fields, in record.go and codec.go: a field can
// be added to a body, and old records stay readable. A kind or a field that this version does
// not know makes its frame unreadable instead of losing it, and the session does not open
// ([ErrDamaged]); other sessions do. Texts are read back to the byte by [safety.Restore], which
// only codec.go may call: what stands in a journal was cleaned before it was written.
//
// When another process appended to the same session, the next append here fails within the
// package (errBehind), [Session.CatchUp] folds what the other wrote, and the append is tried
// again as if it had come second. So numbers and ids are never given twice.
//
// # Cold parts
//
// With a journal, memory is a cache. When a budget is used up, a session unloads what has ended,
// oldest first, instead of dropping it: of a turn it keeps a mark, which has its numbers in the
// log and its time; of a job it keeps the [Job] without its events. Every method shows a cold part as it
// shows a warm one. [Session.Turn] and [Session.History] fold cold turns from the journal for
// their caller and do not keep them; [Session.JobEvents] and whatever changes a job read its events
// back into memory, which is charged like a write. [Log.Follow] reads from the journal what is no
// longer in memory, a few events at a time.
//
// A turn that is open and a job that has not ended are always in memory. An observed turn may get
// late events while it is cold; its mark grows, and the next reader folds them.
//
// # Snapshots
//
// A snapshot is the fold of a session up to one event, without the turns that had ended, of which
// it has the marks. It makes opening quick: only what was going on then and what came later is
// read. It is never needed and never a second truth: it names the hash of the frame it was taken
// at, one that does not fit the journal or was written by another version is ignored, and a
// session shows the same whether it was opened with it or without. A store saves one
// when it evicts a session, when it closes, after each erasure, and every 1,024 events.
//
// # What the next process does not know
//
// A log does not have everything. The secrets that texts have named ([Session.Seen]), raw prompts,
// the parts of texts that were being spoken, and the opaque reasoning of providers end with the
// process. Turns that it ran do, too: whoever opens the session next withdraws their questions,
// cancels their calls, ends their steps and interrupts them.
//
// # Erasure and retention
//
// [Session.EraseThread] and [Session.EraseJob] delete what a user no longer wants, and
// [Durable.Retain] what is older than the store keeps anything. They work in three steps: an
// [Erased] or [Dropped] event is appended, which tells every reader; the journal replaces the
// frames by empty ones, which link those around them; and a new snapshot replaces the old one,
// which may have the title. What a crash or an error cuts off is finished by the next step that
// saves a snapshot, or when the session is opened again. [Durable.Remove] erases a user.
// Only what has ended can be erased.
//
// # Places
//
// A [Durable] store has a place for each user whose session is in memory, is being read, evicted
// or removed. Whoever finds it taken waits until that is over, without holding a lock. So an
// older snapshot never replaces a newer one, nobody appends to a session that is removed, and a session is
// read once, however many requests ask for it. What a session loads does not depend on the
// request that came first: that request may end, and the others still get the session. A
// session that only [Durable.Retain] has opened is forgotten again, unless somebody
// has opened it meanwhile.
//
// # What is charged
//
// With a journal, a session is charged for what it has in memory: the events of turns and jobs that
// are there, a mark for each of the other turns, titles, and events that belong to nothing in
// memory, such as those that tell of an erasure. Whatever is unloaded, erased or read back
// changes the charge by as much as it changes what is held; a test recomputes it
// after random operations.
//
// Memory that is read back is asked for like memory that is written: where there is none left, a read
// fails with [ErrFull] or [ErrServerFull] instead of taking it from others. Turns are read back for
// their caller alone and are not charged, since a page of them is small and soon gone.
//
// Three things always have room, because they free more than they take or because nothing else
// would let a full session go on: the end of a turn or a job, an erasure, and the interruption of
// turns whose process is gone. A session that was full when its process ended opens again, and
// its user can erase what fills it.
//
// A session in memory only has to tell its readers what was erased, too, and keeps these events until
// room is needed. Then they go, and a reader at an earlier position has to begin anew
// ([Session.Gone]).
//
// # Adding an event
//
// Declare its body in event.go or jobevent.go, its cost method in cost.go, and name it among the
// bodies of record.go: the name of its type and the names of its fields are then what journals
// have, for good, so neither is ever renamed. A new field has to mean the same as before where it is
// zero, since old records do not have it. Fold the event in [Turn.Apply] or [Job.Apply], and project
// it in the packages that show it.
//
// # Adding a store
//
// To keep sessions somewhere else, write an engine, which is a package beside
// session/journal/sqlite that knows nothing of sessions and passes the suite in package journaltest; a
// [Durable] store then runs on it. A [Store] of another kind is a type of this package, beside
// [Memory] and [Durable], that passes the suite in package sessiontest.
package session
