package session

import (
	"time"

	"candor/safety"
)

// Event is one fact in a session's log. Events are values and never change.
type Event struct {
	Seq     uint64    // grows by one within its session, from 1
	At      time.Time // UTC, later than that of every event before it
	Session string
	Ref
	Key  string // what makes a repeated post of it harmless; empty for our own
	Body Body
}

// Ref says what an event is about: a thread or a job. Turn is 0 for an event about
// the thread itself. Agent is empty for the agent that the user speaks to.
type Ref struct {
	Thread string
	Turn   int
	Agent  string
	Job    string
}

// turn is the Ref of the turn as such, whichever agent acted in it.
func (r Ref) turn() Ref { return Ref{Thread: r.Thread, Turn: r.Turn} }

// Body is what happened. The set is sealed: only this package declares bodies.
type Body interface{ body() }

// ThreadOpened: a conversation began.
type ThreadOpened struct{}

// TurnQueued: a message was accepted and waits for the turn that runs now.
type TurnQueued struct {
	Message  string // the message's id
	Input    safety.Text
	Findings []safety.Finding
}

// TurnStarted: the loop begins on a message. A turn that waited repeats its
// message here, so that this event alone is enough to show the turn.
type TurnStarted struct {
	Message  string
	Input    safety.Text
	Findings []safety.Finding
}

// Narrated: the model said something before it called tools in this step, or its
// provider summed its reasoning up. Text is empty when it was blocked.
type Narrated struct {
	Step     int // from 1
	Text     safety.Text
	Source   Source // FromModel or FromSummary
	Blocked  bool
	Findings []safety.Finding
}

// ToolCalled: the model asked for a tool, and this is why.
type ToolCalled struct {
	Step      int
	Call      string      // unique in its turn; ours, never the model's
	Tool      safety.Text // cleaned, since a model may ask for a tool of any name
	Rationale Rationale
	Params    safety.JSON
	Group     *int // calls run together share a number, from 0 per turn; nil for a lone call
	FrontEnd  bool // the user's front end runs it, and answers with its result
	Findings  []safety.Finding
}

// ToolReturned: a call ended, in whichever way.
type ToolReturned struct {
	Call     string
	Outcome  Outcome
	Result   safety.JSON // null unless the outcome is Success
	Error    safety.Text // empty if the outcome is Success
	Took     time.Duration
	Findings []safety.Finding
}

// ApprovalAsked: the call waits for a person to allow it.
type ApprovalAsked struct {
	Request     string // what the answer names; unique in the session
	Call        string
	Description safety.Text // of the tool
	AllowAlways bool        // "always" is an answer, too
}

// ApprovalAnswered: the call may run, or not.
type ApprovalAnswered struct {
	Request string
	Call    string
	Answer  Answer
}

// Handoff: one agent gave a task to another, or its result back. The call is the
// one by which it did so.
type Handoff struct {
	Call     string
	From, To string // agents; empty is the one the user speaks to
	Text     safety.Text
	Usage    Usage // of an answer that is handed back
	Findings []safety.Finding
}

// StepWaits: those calls of the step that end by themselves have ended. What is left
// waits for a person, for the user's front end, or for another agent.
type StepWaits struct{ Step int }

// StepEnded: every call of the step has ended; a reasoning update is due.
type StepEnded struct {
	Step  int
	Usage Usage // of what the model said to begin the step
}

// TurnCompleted: the model gave its answer.
type TurnCompleted struct {
	Response safety.Text
	Usage    Usage // of the answer
	Findings []safety.Finding
}

// TurnFailed: the loop cannot go on. Error is fit for the user to read.
type TurnFailed struct {
	Error    safety.Text
	Findings []safety.Finding
}

// TurnInterrupted: the user, or a shutdown, stopped the turn.
type TurnInterrupted struct{}

func (ThreadOpened) body()     {}
func (TurnQueued) body()       {}
func (TurnStarted) body()      {}
func (Narrated) body()         {}
func (ToolCalled) body()       {}
func (ToolReturned) body()     {}
func (StepWaits) body()        {}
func (StepEnded) body()        {}
func (ApprovalAsked) body()    {}
func (ApprovalAnswered) body() {}
func (Handoff) body()          {}
func (TurnCompleted) body()    {}
func (TurnFailed) body()       {}
func (TurnInterrupted) body()  {}
