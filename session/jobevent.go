package session

import (
	"time"

	"candor/safety"
)

// JobOpened records that a user created a job for a worker.
type JobOpened struct {
	Title    safety.Text
	Prompt   safety.Text
	Metadata safety.JSON
	Findings []safety.Finding
}

// JobPrompted records a further prompt that the user sent to the job.
type JobPrompted struct {
	Text     safety.Text
	Done     bool // this is the last prompt; Text may then be empty
	Findings []safety.Finding
}

// JobMessage records a message of the worker's conversation.
type JobMessage struct {
	Role     string // user, assistant or system
	Text     safety.Text
	Stop     Stop  // why the model stopped, if it was not done
	Usage    Usage // tokens of the model's answers that the worker has not reported before
	Spent    Spent // on them
	Findings []safety.Finding
}

// JobToolUse records that the worker called a tool. A worker that posts the reason
// with the call, and the step's narrative with its first call, leaves them in the log
// even if it is killed before the step ends. One that posts them in JobReasoned alone
// leaves Rationale zero here.
type JobToolUse struct {
	Call             string // our id for the call, such as call_1; unique in the job
	Inferred         bool   // a decision without an id was taken for the announcement of this call
	Agent            safety.Text
	Caller           string // the call of another agent within which this agent works; empty if none is known
	Tool             safety.Text
	Input            safety.JSON
	Rationale        Rationale
	Group            *int // shared by calls that run in parallel; nil for a lone call
	Narrative        safety.Text
	NarrativeSource  Source      // FromModel if empty
	NarrativeBlocked bool        // safety withheld the narrative
	Thought          safety.Text // as in [Narrated], as is Before in [ToolCalled]
	Before           safety.Text
	Findings         []safety.Finding
}

// JobToolResult records how a worker's call ended.
type JobToolResult struct {
	Call     string
	Inferred bool // the worker named no call, and the oldest open one of the tool was taken
	Agent    safety.Text
	Tool     safety.Text
	Outcome  Outcome
	Output   safety.JSON
	Error    safety.Text
	Took     *time.Duration // nil if the worker did not say
	Findings []safety.Finding
}

// JobReasoned records the narrative of a worker's step and the reason for each of its
// calls, or the provider's summary of the reasoning behind an answer.
type JobReasoned struct {
	Agent            safety.Text
	Caller           string // as in [JobToolUse]
	Answer           bool   // the step answers, and has no decisions
	Narrative        safety.Text
	NarrativeSource  Source // FromModel if empty
	NarrativeBlocked bool
	Thought          safety.Text // as in [Narrated]
	ThoughtBlocked   bool
	Stop             Stop   // why the model stopped in the step, if it was neither done nor called tools
	Sealed           Sealed // reasoning of the step that only the model's provider can read
	Decisions        []Decision
	Usage            Usage // tokens of the model's answers that the worker has not reported before
	Spent            Spent // on them
	Findings         []safety.Finding
}

// Decision is a worker's choice of a tool, with its reason.
type Decision struct {
	Call      string
	Inferred  bool // the worker named no call, and one was chosen by its tool and order
	Tool      safety.Text
	Rationale Rationale
	Outcome   Outcome
	Group     *int             // shared by calls that ran in parallel; nil for a lone call
	Findings  []safety.Finding // part of those of the event
}

// JobReported records a worker's progress report. Events of kinds that the server does
// not know are kept as reports, too.
type JobReported struct {
	State    safety.Text
	Message  safety.Text
	Findings []safety.Finding
}

// JobEnded records the worker's final result and ends the job.
type JobEnded struct {
	Success  bool
	Message  safety.Text
	Findings []safety.Finding
}

// JobCancelled records that the user stopped the job.
type JobCancelled struct{}

// JobRestarted records that the user restarted an ended job. [Session.ChangeJob] fills it
// in, so that a run can be told without those before it.
type JobRestarted struct {
	Run    int       // that begins here
	Opened JobOpened // how the job was opened, without findings
	Turns  int       // of the runs before it, if they were dropped
}
