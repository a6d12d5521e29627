package session

import (
	"time"

	"candor/safety"
)

// JobOpened: somebody asked for work that a worker is to do.
type JobOpened struct {
	Title    safety.Text
	Prompt   safety.Text
	Metadata safety.JSON
	Findings []safety.Finding
}

// JobPrompted: the user said something further to the job.
type JobPrompted struct {
	Text     safety.Text
	Done     bool // no further prompt comes; Text may then be empty
	Findings []safety.Finding
}

// JobMessage: the worker's model, or somebody else in its conversation, spoke.
type JobMessage struct {
	Role     string // user, assistant or system
	Text     safety.Text
	Findings []safety.Finding
}

// JobToolUse: the worker called a tool. Why is here as soon as the call is, should
// the worker not live to see its step's end; a worker that says why only then leaves
// Rationale zero, and a narrative may come with a step's first call.
type JobToolUse struct {
	Call             string // the worker's number for it; "" when it has none
	Tool             safety.Text
	Input            safety.JSON
	Rationale        Rationale
	Group            *int
	Narrative        safety.Text
	NarrativeBlocked bool
	Findings         []safety.Finding
}

// JobToolResult: a worker's call ended.
type JobToolResult struct {
	Call     string
	Tool     safety.Text
	Outcome  Outcome
	Output   safety.JSON
	Error    safety.Text
	Took     time.Duration
	Findings []safety.Finding
}

// JobReasoned: why the worker did what it did in a step.
type JobReasoned struct {
	Narrative        safety.Text
	NarrativeBlocked bool
	Decisions        []Decision
	Findings         []safety.Finding
}

// Decision is one tool a worker chose, and why.
type Decision struct {
	Tool      safety.Text
	Rationale Rationale
	Outcome   Outcome
	Group     *int
}

// JobReported: the worker said how it is doing, or something of a kind that we do
// not know.
type JobReported struct {
	State    safety.Text
	Message  safety.Text
	Findings []safety.Finding
}

// JobEnded: the worker is done.
type JobEnded struct {
	Success  bool
	Message  safety.Text
	Findings []safety.Finding
}

// JobCancelled: the user stopped the job.
type JobCancelled struct{}

// JobRestarted: the user had an ended job begin anew.
type JobRestarted struct{}

func (JobOpened) body()     {}
func (JobPrompted) body()   {}
func (JobMessage) body()    {}
func (JobToolUse) body()    {}
func (JobToolResult) body() {}
func (JobReasoned) body()   {}
func (JobReported) body()   {}
func (JobEnded) body()      {}
func (JobCancelled) body()  {}
func (JobRestarted) body()  {}
