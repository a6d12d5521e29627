package worker

import (
	"crypto/rand"
	"encoding/json"
	"time"

	"candor/session"
)

// Kinds of events.
const (
	KindMessage    = "message"
	KindToolUse    = "tool_use"
	KindToolResult = "tool_result"
	KindReasoning  = "reasoning"
	KindStatus     = "status"
	KindResult     = "result"
)

// Event is one thing that a worker did, in the flat shape in which it is posted.
// Make one with the function of its kind, which gives it an id: posting the same
// Event again changes nothing. Its text need not be cleaned; the server does that.
type Event struct {
	ID    string `json:"id,omitempty"`
	Kind  string `json:"event"`
	JobID string `json:"job_id,omitempty"` // set by the Client

	Role    string `json:"role,omitempty"`
	Content string `json:"content,omitempty"`

	Done bool `json:"done,omitempty"` // of a prompt that the log shows: none comes after it

	ToolName   string          `json:"tool_name,omitempty"`
	CallID     string          `json:"call_id,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"`
	Error      string          `json:"error,omitempty"`
	Outcome    session.Outcome `json:"outcome,omitempty"`
	DurationMS int64           `json:"duration_ms,omitempty"`

	Reason                      // of a tool_use
	Narrative        string     `json:"narrative,omitempty"` // of a step, or with its first tool_use
	NarrativeBlocked bool       `json:"narrative_blocked,omitempty"`
	ToolDecisions    []Decision `json:"tool_decisions,omitempty"`

	State   string `json:"state,omitempty"`
	Message string `json:"message,omitempty"`
	Success *bool  `json:"success,omitempty"`
}

// Decision is one tool that was chosen, and why. A decision without a rationale gets
// the server's fallback. Outcome may be empty while the call runs.
type Decision struct {
	ToolName string          `json:"tool_name"`
	Outcome  session.Outcome `json:"outcome,omitempty"`
	Reason
}

// Reason is why a tool was called. Blocked says that there was a reason which safety
// withheld; the server then puts its fallback in its place. Calls that run together
// share a Group.
type Reason struct {
	Rationale string         `json:"rationale,omitempty"`
	Source    session.Source `json:"rationale_source,omitempty"`
	Blocked   bool           `json:"rationale_blocked,omitempty"`
	Group     *int           `json:"parallel_group,omitempty"`
}

func event(kind string) Event { return Event{ID: rand.Text(), Kind: kind} }

// Message says what somebody said: role is user, assistant or system.
func Message(role, text string) Event {
	e := event(KindMessage)
	e.Role, e.Content = role, text
	return e
}

// ToolUse says that a call begins. Call is its name, call_ and a number: the result
// of the call repeats it. Input is JSON, or nil. A Reason that is set besides is in
// the log even if the worker does not live to post the step's Reasoning.
func ToolUse(call, tool string, input json.RawMessage) Event {
	e := event(KindToolUse)
	e.CallID, e.ToolName, e.Input = call, tool, input
	return e
}

// ToolResult says how a call ended and how long it took. Output is JSON or nil;
// problem is empty unless something went wrong.
func ToolResult(call, tool string, outcome session.Outcome, output json.RawMessage, problem string, took time.Duration) Event {
	e := event(KindToolResult)
	e.CallID, e.ToolName, e.Outcome = call, tool, outcome
	e.Output, e.Error, e.DurationMS = output, problem, took.Milliseconds()
	return e
}

// Reasoning says why the tools of a step were chosen, once its calls have ended.
// Narrative is what the model said before it called them, and may be empty.
func Reasoning(narrative string, decisions ...Decision) Event {
	e := event(KindReasoning)
	e.Narrative, e.ToolDecisions = narrative, decisions
	return e
}

// Status says how the work is going.
func Status(state, message string) Event {
	e := event(KindStatus)
	e.State, e.Message = state, message
	return e
}

// Result ends the job: no other event is taken after it.
func Result(success bool, message string) Event {
	e := event(KindResult)
	e.Success, e.Message = &success, message
	return e
}
