package session

import (
	"time"

	"candor/safety"
)

// Event is one fact in a session's log. Events are values and never change.
type Event struct {
	Seq     uint64    // position in the log, from 1; gaps are where events were dropped
	At      time.Time // UTC, strictly later than the event before
	Session string    // id of the session
	Ref
	Key     string // idempotency key of a worker's post; empty for our own events
	Ignored int    // members of a worker's post that nobody knew
	Body    Body
}

// Ref identifies what an event is about: a thread and its turn, or a job.
type Ref struct {
	Thread string // empty for a job's events
	Turn   int    // from 1; 0 for an event about the thread itself
	Agent  string // empty for the lead agent, which talks to the user
	Job    string // empty for a thread's events
}

// turn returns the Ref without the agent, so that all agents of a turn share it.
func (r Ref) turn() Ref { return Ref{Thread: r.Thread, Turn: r.Turn} }

// Body is the content of an event. The set of bodies is sealed: only this package
// can declare one, so a type switch over all of them is complete.
type Body interface {
	// cost returns what the body's texts are charged, in bytes.
	cost() int
}

// ThreadOpened records that a conversation began. Origin is zero unless the thread is
// observed.
type ThreadOpened struct{ Origin Origin }

// TurnQueued records that a message was accepted while an earlier turn was still
// running. Its own TurnStarted follows when the turn's time comes.
type TurnQueued struct {
	Message  string // id of the message
	Input    safety.Text
	Workflow Workflow // of a run
	Findings []safety.Finding
}

// TurnStarted records that the agent began to work on a message. A turn that was
// queued repeats its message here, so this event alone is enough to show the turn.
type TurnStarted struct {
	Message  string // id of the message
	Input    safety.Text
	Asked    Asked    // of an observed turn
	Workflow Workflow // of a run
	Findings []safety.Finding
}

// Narrated records what the model wrote before it called the tools of a step, or the
// provider's summary of the model's reasoning, and how much reasoning its provider sealed. The step
// that answers calls no tool, and its text is the answer, so its narrative is always a summary. Where one answer
// has words of the model and a summary, the words are the narrative, and the summary is the thought beside them.
type Narrated struct {
	Step     int         // from 1 for each agent
	Answer   bool        // the step answers
	Text     safety.Text // empty when Blocked, and where all the reasoning is sealed
	Source   Source      // FromModel or FromSummary; empty if there was no text
	Thought  safety.Text // the summary of the reasoning beside the model's own words
	Sealed   Sealed      // reasoning that only the provider can read
	Stop     Stop        // why the model stopped, if it was neither done nor called tools
	Blocked  bool        // safety withheld the narrative
	Findings []safety.Finding

	ThoughtBlocked bool // safety withheld the thought
}

// ToolCalled records that the model asked for a tool, and why.
type ToolCalled struct {
	Step       int
	Call       string      // unique within the turn; numbered by us, never the model's id
	Tool       safety.Text // cleaned, because a model can ask for a tool of any name
	To         safety.Text // who runs the tool, in an observed turn; empty if nobody was named
	Before     safety.Text // what the model said between this call and the one before it; part of the narrative
	Rationale  Rationale
	Params     safety.JSON
	Group      *int // shared by calls that run in parallel, from 0 in each turn; nil for a lone call
	FrontEnd   bool // the user's front end runs the tool and sends the result
	Decides    bool // the call is a decision, which its parameters state, and touches nothing
	Transport  Transport
	Confidence *Confidence // how sure of the call the agent said it was; nil if it did not say
	Findings   []safety.Finding
}

// ToolReturned records how a call ended.
type ToolReturned struct {
	Call     string
	Outcome  Outcome
	Result   safety.JSON // null unless the outcome is Success
	Error    safety.Text // empty if the outcome is Success
	Took     time.Duration
	Findings []safety.Finding
}

// ApprovalAsked records that a call waits for a person's approval.
type ApprovalAsked struct {
	Request       string // id that the answer refers to; unique in the session
	Call          string
	Description   safety.Text // of the tool
	AllowAlways   bool        // whether Always is an acceptable answer
	Grant         string      // what Always approves: one definition of one tool; never text of others
	Shown         safety.JSON // the arguments: all that something may act on, which [safety.Question] defines
	Hidden        int         // characters of the arguments behind the markers of Shown
	LowConfidence bool        // the agent was not sure enough of the call, which is why a person is asked

	Editable bool          // a person may change the arguments
	Within   time.Duration // how long an answer is waited for, from this event on; 0 if nobody said
}

// ApprovalAnswered records the decision on an approval request.
type ApprovalAnswered struct {
	Request  string
	Call     string
	Answer   Answer
	Value    safety.JSON // what the person said beside it, such as another decision; null if nothing
	Edited   safety.JSON // the arguments as the person changed them, cleaned; null if they did not
	EditedBy safety.Text // who changed them
	Findings []safety.Finding
}

// Handoff records that one agent passed a task to another, or returned its result.
type Handoff struct {
	Call     string  // the call that delegated the task
	From, To string  // agent ids; empty for the lead agent
	Who      Profile // of the agent that gets the task; zero when a result is returned
	Text     safety.Text
	Usage    Usage // tokens of the returned answer; zero when a task is passed on
	Spent    Spent // on the returned answer
	Findings []safety.Finding
}

// StepWaits records that every call of the step that can end by itself has ended.
// Those still pending wait for a person, the user's front end or another agent.
type StepWaits struct{ Step int }

// StepEnded records that every call of the step has ended. Views publish the step's
// reasoning on this event.
type StepEnded struct {
	Step  int
	Usage Usage // tokens of the model's answer that began the step
	Spent Spent // on that answer
}

// TurnCompleted records the model's final answer and ends the turn. An observed turn may
// end with a conclusion, or with neither.
type TurnCompleted struct {
	Response   safety.Text
	Conclusion safety.Text // what the agent made of its reasoning, in an observed turn
	Stop       Stop        // why the model stopped, if it was not done
	Usage      Usage       // tokens of this answer
	Spent      Spent       // on it
	Findings   []safety.Finding
}

// TurnFailed records an error that ended the turn. Error is shown to the user.
type TurnFailed struct {
	Error    safety.Text
	Stop     Stop // why the model stopped, if that is what ended the turn
	Findings []safety.Finding
}

// TurnInterrupted records that the user stopped the turn, or that a restart of its process did.
type TurnInterrupted struct {
	Restart bool
	Heard   time.Time // when the turn was last heard of, if its process ended without a word; else zero
}

// Erased records that the user deleted a thread or a job, which its Ref names, or that it became
// older than the store keeps anything. Nothing else is left of it.
type Erased struct{ Expired bool } // the store's retention erased it, and not its user

// Dropped records that older parts of the session were dropped from memory to make room.
// Its event is about no thread or job in particular. Only the latest one is kept.
type Dropped struct {
	Threads []DroppedTurns // threads that lost turns
	Jobs    []DroppedRuns  // jobs that lost runs, or all there was
}

// DroppedTurns says that the first turns of a thread are gone.
type DroppedTurns struct {
	Thread string
	Turns  int // all that the thread has lost so far
}

// DroppedRuns says that the first runs of a job are gone.
type DroppedRuns struct {
	Job   string
	Runs  int  // all that the job has lost so far
	Whole bool // the job itself is gone
}

// FindingsOf returns what safety found in an event's texts, or nil. The start of a turn that
// waited repeats the findings of its [TurnQueued].
func FindingsOf(b Body) []safety.Finding {
	switch b := b.(type) {
	case TurnQueued:
		return b.Findings
	case TurnStarted:
		return b.Findings
	case Narrated:
		return b.Findings
	case ToolCalled:
		return b.Findings
	case ToolReturned:
		return b.Findings
	case ApprovalAnswered:
		return b.Findings
	case Handoff:
		return b.Findings
	case TurnCompleted:
		return b.Findings
	case TurnFailed:
		return b.Findings
	case Answered:
		return b.Findings
	case Noted:
		return b.Findings
	case NodeEnded:
		return b.Findings
	case DecisionRated:
		return b.Findings
	case Sighted:
		return b.findings()
	}
	return jobFindings(b)
}
