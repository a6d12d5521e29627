package client

import (
	"encoding/json"
	"time"
)

// Sent says which turn a message became. State is processing, or queued behind
// another turn. Status is accepted, or answered for a command such as /reasoning 2: it
// became no turn, and Content is the answer.
type Sent struct {
	Status     string `json:"status"`
	Content    string `json:"content"`
	MessageID  string `json:"message_id"`
	SessionID  string `json:"session_id"`
	ThreadID   string `json:"thread_id"`
	TurnNumber int    `json:"turn_number"`
	State      string `json:"state"`
}

// Thread is a conversation. State is idle or processing.
type Thread struct {
	ID        string    `json:"id"`
	State     string    `json:"state"`
	TurnCount int       `json:"turn_count"`
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Origin    *Origin   `json:"origin"` // nil unless the thread is observed

	Attached *AttachedInfo `json:"attached"` // nil unless its agent is one of another program
}

// Used returns when the thread was last used: that of a watched agent by the agent's clock, since its session may
// have been imported long after.
func (t Thread) Used() time.Time {
	if t.Attached != nil && t.Attached.ActedAt != nil && t.Attached.ActedAt.Before(t.UpdatedAt) {
		return *t.Attached.ActedAt
	}
	return t.UpdatedAt
}

// Page is a part of the history of a thread, the oldest turn first. EventID is the
// cursor of the same moment: following the thread after it misses nothing and
// repeats nothing.
type Page struct {
	ThreadID  string     `json:"thread_id"`
	Turns     []Turn     `json:"turns"`
	HasMore   bool       `json:"has_more"`
	Oldest    string     `json:"oldest_timestamp"` // before which the next page ends
	Approvals []Approval `json:"pending_approvals"`
	EventID   string     `json:"event_id"`
	Dropped   int        `json:"dropped_turns"` // the thread's oldest turns, gone from the server's memory
}

// DroppedTurns says how many of a thread's oldest turns the server has dropped from memory.
type DroppedTurns struct {
	ThreadID string `json:"thread_id"`
	Turns    int    `json:"turns"`
}

// DroppedRuns says how many of a job's oldest runs the server has dropped from memory. Whole
// says that the job is gone.
type DroppedRuns struct {
	JobID string `json:"job_id"`
	Runs  int    `json:"runs"`
	Whole bool   `json:"whole"`
}

// Turn is a message and everything it caused. State is queued, processing,
// completed, failed or interrupted.
type Turn struct {
	Number      int         `json:"turn_number"`
	UserInput   string      `json:"user_input"`
	Response    string      `json:"response"`
	State       string      `json:"state"`
	Error       string      `json:"error"`
	CreatedAt   time.Time   `json:"created_at"`
	StartedAt   *time.Time  `json:"started_at"`
	CompletedAt *time.Time  `json:"completed_at"`
	Calls       []Call      `json:"tool_calls"`
	Reasoning   *Reasoning  `json:"reasoning"`        // nil when no tool was called
	Answer      *Narration  `json:"answer_reasoning"` // behind the answer; nil if the provider made none
	Redactions  []Redaction `json:"redactions"`
	Notices     []Notice    `json:"notices"`
	Run         int         `json:"run"`      // of the job, from 1; 0 for a turn of a thread
	Workflow    *Workflow   `json:"workflow"` // nil unless the turn is the run of a workflow
	Usage       *Usage      `json:"usage"`    // nil if the model did not report it
	Interruption

	Sealed []SealedStep `json:"sealed_reasoning"` // of the steps that had some

	Stopped
	StepStops []StepStop `json:"step_stops"` // of the steps in which the model was neither done nor called tools

	// Of observed threads only. The answer of such a turn may come after its conclusion, and a
	// turn may have none. LateSteps are the numbers of the steps that began after its end.
	Asked      *Asked `json:"asked"` // nil if nobody is known to have asked
	Conclusion string `json:"conclusion"`
	Notes      []Note `json:"notes"`
	LateSteps  []int  `json:"late_steps"`

	Raw json.RawMessage `json:"-"` // the turn as received
}

// Interruption says why a turn was interrupted, unless a person did it, and when it was last heard of.
type Interruption struct {
	By          string    `json:"interrupted_by"` // restart: of the server
	LastHeardAt time.Time `json:"last_heard_at"`
}

// Began returns when the turn began. That of a watched agent may have begun long before the server heard of it.
func (t Turn) Began() time.Time {
	if t.StartedAt != nil && t.StartedAt.Before(t.CreatedAt) {
		return *t.StartedAt
	}
	return t.CreatedAt
}

// UnmarshalJSON implements json.Unmarshaler. It keeps the JSON in Raw, with members
// that this package does not know.
func (t *Turn) UnmarshalJSON(raw []byte) error {
	type plain Turn
	if err := json.Unmarshal(raw, (*plain)(t)); err != nil {
		return err
	}
	t.Raw = append(json.RawMessage(nil), raw...)
	return nil
}

// Handoff is a task that one agent gave another, or the answer to it, which has no name, model or effort.
type Handoff struct {
	CallID string `json:"call_id"`
	From   string `json:"from"` // empty for the main agent
	To     string `json:"to"`
	Text   string `json:"text"`

	Profile
}

// Profile says who an agent is, for people. What is not known is empty.
type Profile struct {
	Called string `json:"name"`
	Model  string `json:"model"`
	Effort string `json:"effort"` // of reasoning, which the model is told to make
}

// Ended reports whether the turn is over, in whatever way.
func (t Turn) Ended() bool {
	return t.State == "completed" || t.State == "failed" || t.State == "interrupted"
}

// Usage counts the tokens of a turn. Cost is what they cost, as in $0.14, "" if prices are not known.
type Usage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`

	Cost string `json:"cost"`
}

// Call is a tool call without its reason. Object is its key parameter in a line, Line what came
// of it; either may be empty.
type Call struct {
	ID         string       `json:"call_id"`
	Name       string       `json:"name"`
	Object     string       `json:"object"`
	Line       string       `json:"outcome_line"`
	To         string       `json:"to"` // who runs the tool, if another participant does
	HasResult  bool         `json:"has_result"`
	Preview    string       `json:"result_preview"` // of the result's JSON, cut
	Shape      *ResultShape `json:"result_shape"`
	Error      string       `json:"error"`
	DurationMS *int64       `json:"duration_ms"` // nil while it runs, or if nobody timed it
	ApartMS    int64        `json:"apart_ms"`    // then: between the reports of its beginning and end
}

// ResultShape says how much a tool returned. Unknown members are nil or empty.
type ResultShape struct {
	Bytes    int    `json:"bytes"`
	Chars    *int   `json:"chars"`
	Items    *int   `json:"items"`
	Of       string `json:"of"` // what the items are
	Query    string `json:"query"`
	ExitCode *int   `json:"exit_code"`
}

// Reasoning says why the agent did what it did in a turn.
type Reasoning struct {
	SessionID        string          `json:"session_id"`
	ThreadID         string          `json:"thread_id"`
	TurnNumber       int             `json:"turn_number"`
	Narrative        string          `json:"narrative"`
	NarrativeSource  string          `json:"narrative_source"` // model, or summary: its provider's
	NarrativeBlocked bool            `json:"narrative_blocked"`
	Thought          string          `json:"thought"`    // its provider's summary beside a narrative of the model's
	Narratives       []StepNarrative `json:"narratives"` // of each step, where there are several
	Decisions        []Decision      `json:"tool_decisions"`
	Handoffs         []Handoff       `json:"handoffs"`
}

// Narration is the provider's summary of the reasoning behind an answer. Narrative is empty
// if it was withheld.
type Narration struct {
	Step      int    `json:"step"`
	Narrative string `json:"narrative"`
	Source    string `json:"narrative_source"`
	Blocked   bool   `json:"narrative_blocked"`
}

// StepNarrative is what an agent said in one step.
type StepNarrative struct {
	Agent     string `json:"agent"`
	Step      int    `json:"step"`
	Narrative string `json:"narrative"`
	Thought   string `json:"thought"` // its provider's summary beside it
}

// Decision says why a tool was called. Source is model for the model's own words, thought for
// the thought before a call that an observed agent did not explain, and fallback for our words.
// Events have no Parameters, and their To is that of [Event].
type Decision struct {
	CallID     string          `json:"call_id"`
	ToolName   string          `json:"tool_name"`
	To         string          `json:"to"`          // who runs the tool, if another participant does
	Before     string          `json:"text_before"` // said between this call and the one before it
	Rationale  string          `json:"rationale"`
	Source     string          `json:"rationale_source"`
	Blocked    bool            `json:"rationale_blocked"` // the model's own was withheld
	Outcome    string          `json:"outcome"`           // success, error, rejected, cancelled, unknown or pending
	Group      *int            `json:"parallel_group"`
	Agent      string          `json:"agent"` // a sub-agent; empty is the one the user speaks to
	Step       int             `json:"step"`
	Approval   string          `json:"approval"` // approve, always, deny, expired, withdrawn or none
	Parameters json.RawMessage `json:"parameters"`
	Hidden     int             `json:"hidden_characters"` // from the person who was asked
	Said       string          `json:"approval_value"`    // by the person, beside the answer; cut
	Unsure     bool            `json:"low_confidence"`    // which is why a person was asked
	Edited     json.RawMessage `json:"edited_parameters"` // as a person changed them; nil if nobody did
	EditedBy   string          `json:"edited_by"`
	Confident
	Feedback *Feedback `json:"feedback"` // what the user thinks of it; nil if nothing

	// Inferred says that a worker named no call, so that this reason or result was given to
	// a call by the tool's name and the order of events. Of jobs only.
	Inferred bool `json:"inferred"`

	Sighted Sighted `json:"sighted"` // of a call of another program's agent
}

// Sighted is what the channels know of a call of another program's agent.
type Sighted struct {
	Partial bool `json:"partial"` // none has the whole result
}

// Feedback is what a user thinks of a decision: good or bad, and why if they said so.
type Feedback struct {
	Rating string `json:"rating"`
	Note   string `json:"note"`
}

// Approval is a call that waits for its user to approve it. Parameters are whole, but for
// Hidden characters of secrets.
type Approval struct {
	RequestID   string          `json:"request_id"`
	CallID      string          `json:"call_id"`
	ToolName    string          `json:"tool_name"`
	Description string          `json:"description"`
	Rationale   string          `json:"rationale"`
	Source      string          `json:"rationale_source"`
	Parameters  json.RawMessage `json:"parameters"`
	Hidden      int             `json:"hidden_characters"`
	AllowAlways bool            `json:"allow_always"`
	Unsure      bool            `json:"low_confidence"` // which is why the person is asked
	Editable    bool            `json:"editable"`       // ApproveEdited takes changed ones
	Expires     time.Time       `json:"expires_at"`     // by the server's clock; zero if it did not say
	Confident
}

// Redaction counts what a rule masked or withheld.
type Redaction struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// Notice counts what a rule saw and left readable. Severity is low or medium.
type Notice struct {
	Rule     string `json:"rule"`
	Count    int    `json:"count"`
	Severity string `json:"severity"`
}

// Status describes a server.
type Status struct {
	Version string `json:"version"`
	Backend string `json:"llm_backend"`
	Model   string `json:"llm_model"`
	User    string `json:"user"`
}

// Origin says whose turns an observed thread has: those of one participant of a space.
type Origin struct {
	Protocol    string `json:"protocol"` // mew
	Space       string `json:"space"`
	Participant string `json:"participant"`
}

// Asked says who asked for an observed turn, and why. By is empty if nobody is known to have.
// ThreadID, TurnNumber and CallID say where in its own turns the participant asked, as far as
// that is known. ReasonSource is model for the reason of that call, and thought for the thought
// before it.
type Asked struct {
	By           string `json:"by"`
	ThreadID     string `json:"thread_id"`
	TurnNumber   int    `json:"turn_number"`
	CallID       string `json:"call_id"`
	Reason       string `json:"reason"`
	ReasonSource string `json:"reason_source"`
	StartUnseen  bool   `json:"start_unseen"` // the turn began before the server heard of it
}

// Note is something within an observed turn that is no part of its steps. Kind is chat, thought
// or conclusion (of somebody else), cancel, reject, shutdown or other. Late says that it came after the turn's end.
type Note struct {
	From string    `json:"from"`
	To   string    `json:"to"` // empty if it was for everybody
	Kind string    `json:"kind"`
	Text string    `json:"text"`
	Late bool      `json:"late"`
	At   time.Time `json:"at"`
}

// Sealed is how much reasoning of a step only the provider of its model can read. What it is, nobody
// else knows.
type Sealed struct {
	Kind   string `json:"kind"`   // encrypted, or signature: the reasoning was left out and signed
	Bytes  int    `json:"bytes"`  // 0 if nobody counted them
	Tokens int    `json:"tokens"` // spent on reasoning in the step, readable or not; 0 if nobody counted them
}

// SealedStep is the sealed reasoning of a step.
type SealedStep struct {
	Agent  string `json:"agent"` // a sub-agent; empty for the one the user speaks to
	Step   int    `json:"step"`
	Answer bool   `json:"answer"` // the step answered
	Sealed
}

// SealedOf returns the sealed reasoning of an agent's step, nil if there was none.
func (t Turn) SealedOf(agent string, step int) *Sealed {
	for _, s := range t.Sealed {
		if s.Agent == agent && s.Step == step {
			return &s.Sealed
		}
	}
	return nil
}

// Stopped says why a model stopped where it was neither done nor called tools: in a word, such as length or refusal,
// and in plain words. Both are empty otherwise.
type Stopped struct {
	Stop  string `json:"stop"`
	Words string `json:"stop_words"`
}

// StepStop says why the model stopped in a step.
type StepStop struct {
	Agent  string `json:"agent"` // a sub-agent; empty for the one the user speaks to
	Step   int    `json:"step"`
	Answer bool   `json:"answer"` // the step answered
	Stopped
}

// StopOf returns why the model stopped in an agent's step.
func (t Turn) StopOf(agent string, step int) Stopped {
	for _, s := range t.StepStops {
		if s.Agent == agent && s.Step == step {
			return s.Stopped
		}
	}
	return Stopped{}
}
