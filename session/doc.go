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
//     increase. A number is never reused, so a log has gaps where events were dropped. All
//     readers see the remaining events in the same order.
//   - Loss: [Log.Follow] yields old and new events by the same code, so a reader that
//     reconnects with the last number it saw misses no event that the log still has, and
//     sees none twice. A log never drops an open turn, run or job. When its session is
//     full, [Limits] say which ended ones are dropped, and a [Dropped] event tells every
//     reader which. Only the latest of these events is kept: a reader whose position is
//     before an earlier one ([Session.Gone]) must start over.
//   - Blocking: appending never waits for a reader. A reader holds no lock while its
//     loop body runs, so a slow reader falls behind without delaying anyone.
//   - Lifetime: a [Store] evicts an idle session as a whole. A session with an open turn
//     or an active reader is not idle. A closed log still delivers the events it has; an
//     evicted one ends its readers with [ErrEvicted]. An evicted session of a [Memory] is
//     lost; one of a [Durable] stays in its engine, and the next Open reads it.
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
// [Session.WatchLive], who receive them between the events around them. The sentences are kept
// outside the log, up to a bounded size, until the event with the final text. The log has parts
// of a text ([Spoken]) only in the run of a workflow that asked for them, and no fold shows
// them.
//
// # Runs of workflows
//
// A turn may be the run of a workflow ([Session.AcceptRun]). Its [Workflow] says of which one, and
// [Turn].Nodes has its nodes. [Session.Repeat] replays a turn that has ended: a new turn gets a
// copy of its facts.
//
// # Feedback
//
// [Session.Rate] records the user's rating of a decision, as a [DecisionRated] event of the turn. It may do
// so at any time: this is the only event that may follow the end of a turn of Candor's own agent. The
// latest rating counts and is in [Call].Feedback. It does not count as news of its thread, and is erased
// with it.
//
// # What turns cost
//
// The caller of a model records the cost of its answers ([Spent]) if the prices are known at that time. A
// turn sums up costs like tokens, and knows its cost only if that of each answer is known. Costs are
// whole nano-dollars, so sums are exact, and the same on each path.
//
// # Sealed reasoning
//
// A provider may withhold a model's reasoning: it sends encrypted text, or a signature in its place. This goes back
// to the provider and never into the log. A [Narrated] event has its form and size, which stay with the step
// ([Sealed]), so that a step without a narrative does not look as if the model had not reasoned. Such an event has
// no text, no source and nothing to clean.
//
// # Sub-agents
//
// A [Handoff] that assigns a task describes the agent that gets it ([Profile]): its name for people, its model
// and its effort. The id in From, To and [Ref] identifies the agent: it is unique in its turn, and a name is
// not. A hand-off back has no profile, since the first one has it.
//
// # Ownership
//
// The [Store] owns its sessions, and a session owns its log, its threads and its jobs. Callers own the
// values they get; the slices in them are shared and must not be modified. The package starts no
// goroutines but those of [Durable.Share]: Follow and Watch run on the caller's goroutine and end with
// the caller's loop or context.
//
// # Safety
//
// Text that came from a model, a tool, a worker or a user is a [safety.Text] or a
// [safety.JSON]. Only package safety makes those, so raw text cannot reach the log.
//
// # Journals
//
// The log of a session in a [Durable] store has a journal (package journal), which an engine
// keeps. Each append is one frame of the journal, with one event or several, and is stored before
// any reader or the fold sees the events. An append that the journal did not keep fails with
// [ErrStorage] and changes nothing. If the engine cannot say whether it kept the frame, the
// journal reads it back; if even that fails, the error says so, and the events may appear later.
//
// Events are encoded by the names of their types and fields, in codec.go: a field can
// be added to a body, and old records stay readable. A frame with a kind or a field that this
// version does not know is unreadable, so that nothing is lost. [safety.Restore] reads
// texts back byte for byte. Only codec.go may call it, because the texts in a journal were cleaned before they were
// written.
//
// A session opens, read only, although frames of it are damaged ([Session.Harm]). Its conversations and jobs that are
// whole are as they were; those that may lack an event fail with [ErrDamaged]. Which these are an altered frame mostly
// still says itself; of one that is gone, it is what was going on then. harm.go does that.
//
// When another process appended to the same session, the next append here fails within the
// package (errBehind), [Session.CatchUp] folds the other process's events, and the append is
// tried again as if it had come second. So numbers and ids are never assigned twice.
//
// # Cold parts
//
// With a journal, memory is a cache. When a budget is used up, a session unloads ended turns and jobs,
// oldest first, instead of dropping them. Of a turn it keeps a mark, which has its numbers in the log
// and its time; of a job it keeps the [Job] without its events. Every method shows a cold part as it
// shows a warm one. [Session.Turn] and [Session.History] fold cold turns from the journal for their
// caller and do not keep them. [Session.JobEvents], and every method that changes a job, read its events
// back into memory, which is charged like a write. [Log.Follow] reads events that are no longer in
// memory from the journal, a few at a time.
//
// A turn that is open and a job that has not ended are always in memory. An observed turn may get
// late events while it is cold; its mark grows, and the next reader folds them.
//
// # Snapshots
//
// A snapshot is the fold of a session up to one event, with only marks of the turns that had
// ended. It makes opening quick: only the parts that were open then, and later events, are read.
// A session shows the same whether it was opened with a snapshot or without. A snapshot names the
// hash of the frame at which it was taken; one that does not fit the journal, or that another
// version wrote, is ignored. A store saves a snapshot when it evicts a session, when it closes,
// after each erasure, and every 1,024 events.
//
// # State that ends with the process
//
// Some state is not in the log and ends with the process: the secrets that texts have named
// ([Session.Seen]), raw prompts, parts of texts in progress, and the opaque reasoning of
// providers. The turns that the process ran end, too: the next process that opens the session
// withdraws their questions, cancels their calls, ends their steps and interrupts them.
//
// # Erasure and retention
//
// [Session.EraseThread] and [Session.EraseJob] erase a thread or a job for its user;
// [Durable.Retain] drops everything older than the store's retention time. They work in three
// steps. An [Erased] or [Dropped] event is appended, which informs every reader. The journal
// replaces the frames with empty ones, which link those around them. A new snapshot replaces
// the old one, which may contain the title. If a crash or an error interrupts these steps, the
// next step that saves a snapshot, or the next Open, completes them. [Durable.Remove] erases a
// user. Open turns and jobs cannot be erased.
//
// # Places
//
// A [Durable] store has a place for each user whose session is in memory, or is being read, evicted or
// removed. A caller that finds the place taken waits until it is free, without holding a lock. So an older
// snapshot never replaces a newer one, nobody appends to a removed session, and a session is read once,
// however many requests ask for it. Loading a session does not depend on the request that came first: that
// request may end, and the others still get the session. If only [Durable.Retain] has opened a session,
// the store forgets it again.
//
// # Charges
//
// With a journal, a session is charged for what it holds in memory: the events of loaded turns and
// jobs, a mark for each other turn, titles, and events that belong to nothing in memory, such as
// those that report an erasure. Unloading, erasing and reading back change the charge by exactly
// the memory that they free or take; a test recomputes it after random operations.
//
// Reading back requires free memory like writing: if there is none, a read fails with [ErrFull] or
// [ErrServerFull] instead of taking memory from others. Turns are read back for their caller alone
// and are not charged, since a page of them is small and short-lived.
//
// Three operations always have room, because they free more than they take or because a full
// session could not continue otherwise: the end of a turn or a job, an erasure, and the
// interruption of turns whose process has ended. A session that was full when its process ended
// opens again, and its user can erase parts of it.
//
// A session in memory only must also tell its readers what was erased. It keeps these events until
// their room is needed; after that, a reader at an earlier position must start over ([Session.Gone]).
//
// # Adding an event
//
// Declare its body in event.go or jobevent.go, its cost method in budget.go, and name it among the
// bodies of codec.go. Journals permanently contain the name of its type and the names of its
// fields, so never rename either. The zero value of a new field must mean the same as its absence,
// since old records do not have it. Fold the event in [Turn.Apply] or [Job.Apply], and project it in
// the packages that show it.
//
// # Adding a store
//
// To keep sessions somewhere else, write an engine: a package beside session/journal/sqlite that does
// not depend on sessions and passes the suite in package journaltest. A [Durable] store then runs on
// it. A [Store] of another kind is a type of this package, beside [Memory] and [Durable], that passes
// the suite in package sessiontest.
package session
