package worker

import (
	"crypto/rand"
	"encoding/json"
	"time"

	"candor/session"
)

// Kinds of events. The server keeps an event of any other kind as a status.
const (
	KindMessage    = "message"
	KindToolUse    = "tool_use"
	KindToolResult = "tool_result"
	KindReasoning  = "reasoning"
	KindStatus     = "status"
	KindResult     = "result"
)

// Event is one thing that a worker did, in the flat form in which it is posted. Each
// kind has a function that makes such events with a random id; posting an Event with
// the same id again changes nothing. The server cleans all text, so a worker need not.
type Event struct {
	ID    string `json:"id,omitempty"`     // idempotency key within the job's run
	Kind  string `json:"event"`            // one of the Kind constants
	JobID string `json:"job_id,omitempty"` // set by the Client

	Role    string `json:"role,omitempty"`
	Content string `json:"content,omitempty"`

	Done bool `json:"done,omitempty"` // only in a log: this prompt is the last

	Agent      string          `json:"agent,omitempty"`  // empty for a worker's only or leading agent
	Caller     string          `json:"caller,omitempty"` // in a tool_use and a reasoning: the call that began the agent
	ToolName   string          `json:"tool_name,omitempty"`
	CallID     string          `json:"call_id,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"`
	Error      string          `json:"error,omitempty"`
	Outcome    session.Outcome `json:"outcome,omitempty"`
	DurationMS *int64          `json:"duration_ms,omitempty"` // nil if nobody knows

	Reason                          // only in a tool_use
	Answer           bool           `json:"answer,omitempty"`    // in a reasoning: that of a step that answers
	Narrative        string         `json:"narrative,omitempty"` // in a reasoning, and in a step's first tool_use
	NarrativeSource  session.Source `json:"narrative_source,omitempty"`
	NarrativeBlocked bool           `json:"narrative_blocked,omitempty"`
	Thought          string         `json:"thought,omitempty"` // beside the narrative, as the provider summed it up
	ThoughtBlocked   bool           `json:"thought_blocked,omitempty"`
	TextBefore       string         `json:"text_before,omitempty"` // in a tool_use: said since the call before it
	Stop             session.Stop   `json:"stop,omitempty"`        // in a reasoning and a message
	Sealed           *Sealed        `json:"sealed,omitempty"`      // in a reasoning
	ToolDecisions    []Decision     `json:"tool_decisions,omitempty"`

	Usage *Usage `json:"usage,omitempty"` // in a reasoning and in a message

	State   string `json:"state,omitempty"`
	Message string `json:"message,omitempty"`
	Success *bool  `json:"success,omitempty"`
}

// Sealed says how much reasoning of a step only the provider of its model can read, and never what it is.
// Kind is encrypted, or signature where the provider left the reasoning out and signed it. Bytes
// and Tokens may be 0 if nobody counted them.
type Sealed struct {
	Kind   session.SealKind `json:"kind"`
	Bytes  int              `json:"bytes,omitempty"`
	Tokens int              `json:"tokens,omitempty"`
}

// sealedOf returns what is posted of sealed reasoning, nil if there was none.
func sealedOf(s session.Sealed) *Sealed {
	if !s.Known() {
		return nil
	}
	return new(Sealed(s))
}

// Decision is the choice of a tool, with its reason. The server adds its fallback to a
// decision without a rationale. CallID is the id of the call's ToolUse; without it the
// server has to infer the call from the tool's name. Outcome may be empty while the call
// runs.
type Decision struct {
	ToolName string          `json:"tool_name"`
	CallID   string          `json:"call_id,omitempty"`
	Outcome  session.Outcome `json:"outcome,omitempty"`
	Reason
}

// Reason says why a tool was called.
type Reason struct {
	Rationale string         `json:"rationale,omitempty"`
	Source    session.Source `json:"rationale_source,omitempty"`
	Blocked   bool           `json:"rationale_blocked,omitempty"` // safety withheld the reason
	Group     *int           `json:"parallel_group,omitempty"`    // shared by calls that run in parallel
}

// newEvent returns an event of a kind with a random id.
func newEvent(kind string) Event { return Event{ID: rand.Text(), Kind: kind} }

// Message returns the event of a message in the worker's conversation. role is user,
// assistant or system.
func Message(role, text string) Event {
	e := newEvent(KindMessage)
	e.Role, e.Content = role, text
	return e
}

// ToolUse returns the event of a call that begins. call is the call's id, any text, which
// the result and the decision repeat. input is JSON or nil. A caller that also sets the
// event's Reason leaves it in the log even if the worker is killed before it posts the
// step's Reasoning.
func ToolUse(call, tool string, input json.RawMessage) Event {
	e := newEvent(KindToolUse)
	e.CallID, e.ToolName, e.Input = call, tool, input
	return e
}

// ToolResult returns the event of a call that ended, with the time that it took; a
// negative time means that nobody knows. output is JSON or nil; problem describes an error
// and is empty if there was none.
func ToolResult(
	call, tool string, outcome session.Outcome, output json.RawMessage, problem string, took time.Duration,
) Event {
	e := newEvent(KindToolResult)
	e.CallID, e.ToolName, e.Outcome = call, tool, outcome
	e.Output, e.Error = output, problem
	if took >= 0 {
		e.DurationMS = new(took.Milliseconds())
	}
	return e
}

// Reasoning returns the event that explains a step, to be posted once its calls have
// ended. narrative is what the model wrote before it called the tools; it may be empty.
func Reasoning(narrative string, decisions ...Decision) Event {
	e := newEvent(KindReasoning)
	e.Narrative, e.ToolDecisions = narrative, decisions
	return e
}

// AnswerReasoning returns the event of the reasoning behind an answer, as the model's provider
// summed it up. It is posted before the answer.
func AnswerReasoning(summary string) Event {
	e := newEvent(KindReasoning)
	e.Answer, e.Narrative, e.NarrativeSource = true, summary, session.FromSummary
	return e
}

// Status returns the event of a progress report.
func Status(state, message string) Event {
	e := newEvent(KindStatus)
	e.State, e.Message = state, message
	return e
}

// Result returns the event that ends the job. The server accepts no event after it.
func Result(success bool, message string) Event {
	e := newEvent(KindResult)
	e.Success, e.Message = &success, message
	return e
}

// Usage says what answers of models took that no event before has reported, so that the job's turn has their sums.
// Cost, in nano-dollars, is nil unless the price of each of them was known.
type Usage struct {
	Input     int    `json:"input_tokens,omitempty"`
	Output    int    `json:"output_tokens,omitempty"`
	Reasoning int    `json:"reasoning_tokens,omitempty"` // part of the output
	Cost      *int64 `json:"cost_nanodollars,omitempty"`
}

// tally sums what the answers of an agent took until an event can say it.
type tally struct {
	sum             Usage
	nanos           int64
	answers, priced int
}

// add counts an answer. One of which nobody said anything changes nothing.
func (t *tally) add(u session.Usage, s session.Spent) {
	if u == (session.Usage{}) && s == (session.Spent{}) {
		return
	}
	t.sum.Input, t.sum.Output, t.sum.Reasoning = t.sum.Input+u.Input, t.sum.Output+u.Output, t.sum.Reasoning+u.Reasoning
	t.answers++
	if s.Known() {
		t.nanos, t.priced = t.nanos+s.Nanos, t.priced+1
	}
}

// take returns the sums, nil if there are none, and begins anew.
func (t *tally) take() *Usage {
	all := *t
	*t = tally{}
	if all.answers == 0 {
		return nil
	}
	if all.priced == all.answers {
		all.sum.Cost = &all.nanos
	}
	return &all.sum
}
