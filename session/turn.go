package session

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"candor/safety"
)

// State is where a turn stands.
type State string

// The states of a turn. The last three are final.
const (
	Queued      State = "queued"
	Processing  State = "processing"
	Completed   State = "completed"
	Failed      State = "failed"
	Interrupted State = "interrupted"
)

// Ended reports whether the state is final.
func (s State) Ended() bool { return s == Completed || s == Failed || s == Interrupted }

// Outcome is how a tool call ended.
type Outcome string

// The outcomes of a call. Rejected means that policy or a person refused it;
// Cancelled that its turn was stopped while it ran.
const (
	Pending   Outcome = "pending"
	Success   Outcome = "success"
	Errored   Outcome = "error"
	Rejected  Outcome = "rejected"
	Cancelled Outcome = "cancelled"
)

// Source says whose sentence a rationale is.
type Source string

// A rationale is the model's own words, or our fallback when it gave none that
// could be kept. A narrative is the model's own words, or a summary of its
// reasoning that its provider made.
const (
	FromModel    Source = "model"
	FromFallback Source = "fallback"
	FromSummary  Source = "summary"
)

// Answer is what became of the question whether a call may run.
type Answer string

// The answers of a person, and the two ways in which there is none.
const (
	Approve   Answer = "approve"
	Always    Answer = "always" // this call, and every later one of the tool in the session
	Deny      Answer = "deny"
	Expired   Answer = "expired"
	Withdrawn Answer = "withdrawn" // the turn was stopped
)

// Allows reports whether the call may run.
func (a Answer) Allows() bool { return a == Approve || a == Always }

// Usage counts a model's tokens. Reasoning tokens are part of the output. Zero means
// unknown.
type Usage struct{ Input, Output, Reasoning int }

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.Reasoning + v.Reasoning}
}

// Approval is a question about a call. Answer is empty while it is open.
type Approval struct {
	Request     string
	Description safety.Text
	AllowAlways bool
	Answer      Answer
	AskedAt     time.Time
}

// Rationale is why a tool was called. Text is never empty.
type Rationale struct {
	Text    safety.Text
	Source  Source
	Blocked bool // the model gave a reason, and safety withheld it
}

// Fallback stands where a model's reason is missing or withheld. The sentence is
// the specification's; its source says that it is ours.
func Fallback() Rationale {
	return Rationale{Text: safety.Literal("Tool selected to satisfy the current subtask."), Source: FromFallback}
}

// Turn is one user input and all it caused: the fold of its events. A Turn is a
// value; Apply never changes what an earlier copy shows.
type Turn struct {
	Session, Thread string
	Number          int // from 1 in its thread, never given out again
	Message         string
	State           State
	Input           safety.Text
	Steps           []Step
	Response        safety.Text // empty until Completed
	Error           safety.Text // empty unless Failed
	CreatedAt       time.Time   // when the message was accepted
	StartedAt       time.Time   // zero while Queued
	EndedAt         time.Time   // zero until the state is final
	Handoffs        []HandoffAt
	Usage           Usage // of all its steps so far, sub-agents' included
	Findings        []safety.Finding
	FirstSeq        uint64 // the event that created the turn
	LastSeq         uint64 // the latest event folded in
}

// HandoffAt is a hand-off and when it happened.
type HandoffAt struct {
	Handoff
	At time.Time
}

// Step is one pass of an agent's loop in which the model called tools.
type Step struct {
	Agent            string
	Number           int // from 1 for each agent
	Narrative        safety.Text
	NarrativeSource  Source
	NarrativeBlocked bool
	Calls            []Call
	Waits            bool // what has not ended waits for somebody
	Ended            bool
}

// Call is one decision to use a tool, with what came of it.
type Call struct {
	ID        string
	Agent     string
	Step      int
	Tool      safety.Text
	Rationale Rationale
	Params    safety.JSON
	Group     *int
	FrontEnd  bool      // the user's front end runs it
	Approval  *Approval // nil when nobody had to be asked
	Outcome   Outcome
	Result    safety.JSON
	Error     safety.Text
	StartedAt time.Time
	Took      time.Duration
	Findings  []safety.Finding
}

// Narrative is what the model said before calling tools in the latest step in
// which it said something that could be kept, and whose words they are. It is
// empty when there is none. What other agents said in the turn is theirs.
func (t Turn) Narrative() (safety.Text, Source) {
	for _, s := range slices.Backward(t.Steps) {
		if s.Agent == "" && !s.Narrative.Empty() {
			return s.Narrative, s.NarrativeSource
		}
	}
	return safety.Text{}, ""
}

// Calls yields the turn's calls in the order the model made them.
func (t Turn) Calls() iter.Seq[Call] {
	return func(yield func(Call) bool) {
		for _, s := range t.Steps {
			for _, c := range s.Calls {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// Call finds a call by its id.
func (t Turn) Call(id string) (Call, bool) {
	for c := range t.Calls() {
		if c.ID == id {
			return c, true
		}
	}
	return Call{}, false
}

// Merge sums findings by rule into a new slice, sorted by rule.
func Merge(lists ...[]safety.Finding) []safety.Finding {
	var sum []safety.Finding
	for _, list := range lists {
		for _, f := range list {
			at, found := slices.BinarySearchFunc(sum, f.Rule, func(x safety.Finding, rule string) int {
				return cmp.Compare(x.Rule, rule)
			})
			if found {
				sum[at].Count += f.Count
			} else {
				sum = slices.Insert(sum, at, f)
			}
		}
	}
	return sum
}
