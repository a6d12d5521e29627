package session

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"candor/safety"
)

// State is the stage a turn has reached.
type State string

// The states of a turn. Completed, Failed and Interrupted are final.
const (
	Queued      State = "queued"      // waits for an earlier turn of its thread
	Processing  State = "processing"  // the agent works on it, or it waits for an approval
	Completed   State = "completed"   // the model gave its answer
	Failed      State = "failed"      // an error ended it
	Interrupted State = "interrupted" // the user or a restart stopped it
)

// Ended reports whether the state is final.
func (s State) Ended() bool { return s == Completed || s == Failed || s == Interrupted }

// Outcome says how a tool call ended.
type Outcome string

// The outcomes of a call.
const (
	Pending   Outcome = "pending"   // the call has not ended
	Success   Outcome = "success"   // the tool returned a result
	Errored   Outcome = "error"     // the tool failed
	Rejected  Outcome = "rejected"  // a policy or a person refused the call
	Cancelled Outcome = "cancelled" // the turn was stopped while the call ran
	Unknown   Outcome = "unknown"   // an observed turn ended, and no result of the call was seen
)

// Transport says by what way a call reached its tool.
type Transport string

// The transports. It is empty where nobody said.
const (
	Native Transport = "native" // the tool is part of the program, or of the user's front end
	MCP    Transport = "mcp"    // an MCP server has the tool
	HTTP   Transport = "http"   // the call is a request to a server
)

// Source says who wrote a rationale or a narrative.
type Source string

// The sources. A rationale comes from the model or is our fallback; a narrative comes
// from the model or is its provider's summary. The reason of an observed call's agent may be
// the thought before it.
const (
	FromModel    Source = "model"    // the model's own words
	FromFallback Source = "fallback" // our sentence: the model's was missing or withheld
	FromSummary  Source = "summary"  // the provider's summary of the model's reasoning
	FromThought  Source = "thought"  // the thought before a call, which does not name it
)

// Answer is the decision on an approval request.
type Answer string

// The answers. A person gives the first three; the others close a request that nobody
// answered.
const (
	Approve   Answer = "approve"   // this call may run
	Always    Answer = "always"    // this and every later call of the tool in the session may run
	Deny      Answer = "deny"      // this call must not run
	Expired   Answer = "expired"   // nobody answered in time
	Withdrawn Answer = "withdrawn" // the turn was stopped before anyone answered
)

// Allows reports whether the answer lets the call run.
func (a Answer) Allows() bool { return a == Approve || a == Always }

// Usage counts the tokens of a model's requests and answers. Reasoning is the part of
// Output that the model spent on reasoning, and Cached the part of Input that its provider had at
// hand. Zero means unknown.
type Usage struct{ Input, Output, Reasoning, Cached int }

// plus returns the sum of two counts.
func (u Usage) plus(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.Reasoning + v.Reasoning, u.Cached + v.Cached}
}

// Approval is a request for a person to allow a call, and its answer.
type Approval struct {
	Request       string      // id that the answer refers to
	Description   safety.Text // of the tool
	AllowAlways   bool        // whether Always is an acceptable answer
	Answer        Answer      // empty while the request is open
	AskedAt       time.Time
	AnsweredAt    time.Time   // zero while the request is open
	Expires       time.Time   // when the request is given up; zero if nobody said
	Grant         string      // what Always approves
	Shown         safety.JSON // the arguments as the person saw them
	Hidden        int         // characters of the arguments that are not in Shown
	LowConfidence bool        // the agent was not sure enough of the call
	Editable      bool        // a person may change the arguments
	Value         safety.JSON // what the person said beside the answer; null if nothing
	Edited        safety.JSON // the arguments as the person changed them; null if they did not
	EditedBy      safety.Text // who changed them
}

// Rationale is the reason for a tool call. Every recorded call has one, so Text is
// never empty.
type Rationale struct {
	Text    safety.Text
	Source  Source
	Blocked bool // safety withheld the model's reason, and Text is the fallback
}

// Fallback returns the rationale of a call whose model gave no reason or one that
// safety withheld. Its source marks the sentence as ours; the specification gives its
// wording.
func Fallback() Rationale {
	return Rationale{Text: safety.Literal("Tool selected to satisfy the current subtask."), Source: FromFallback}
}

// Turn is one user message and everything the agents did about it: the fold of its
// events. A Turn is a snapshot. Its slices may be shared with other snapshots and
// must not be modified.
type Turn struct {
	Session, Thread string
	Job             string // of a job's turn, which has no Thread
	Run             int    // of a job's turn: the run of the job, from 1
	Number          int    // from 1 in its thread, never reused
	Message         string // id of the user's message
	State           State
	Input           safety.Text
	Asked           Asked       // who asked for an observed turn
	Workflow        Workflow    // of a run
	Nodes           []Node      // of a run, in the order in which they began
	Steps           []Step      // in the order in which they began
	Notes           []NoteAt    // of an observed turn, in order
	Response        safety.Text // empty until Completed; an observed turn may have none, or get it later
	Conclusion      safety.Text // of an observed turn
	Error           safety.Text // empty unless Failed
	Stop            Stop        // why the model stopped, where it was not done when the turn ended
	CreatedAt       time.Time   // when the message was accepted
	StartedAt       time.Time   // zero if the turn has not started
	EndedAt         time.Time   // zero until the state is final; when it was last heard of if its process ended
	Restarted       bool        // it is Interrupted, and a restart of its process was the cause
	Handoffs        []HandoffAt
	Usage           Usage            // tokens so far, including those of sub-agents
	Spent           Spent            // so far, as Usage
	AnswerUsage     Usage            // tokens of the answer
	Findings        []safety.Finding // what safety found, summed by rule and effect
	FirstSeq        uint64           // number of the event that created the turn
	LastSeq         uint64           // number of the latest event folded in

	answerNote *NoteAt           // the note that became Response
	facts      sightings         // of an attached agent's turn, which all else is made of
	said       map[string]Call   // of its calls: those of which people said something, by the id they had first
	was        map[string]string // of its calls by their ids: those that they had before the file named them
}

// HandoffAt is a hand-off with its time.
type HandoffAt struct {
	Handoff
	At time.Time
}

// Step is one iteration of an agent's loop: the model called tools, or it answered. An
// answering step is listed only if its provider summed up the reasoning behind it, or sealed it, or if
// the model stopped before it was done.
type Step struct {
	Agent            string
	Number           int  // from 1 for each agent
	Answer           bool // the step answered, and has no calls
	Narrative        safety.Text
	NarrativeSource  Source
	NarrativeBlocked bool
	Thought          safety.Text // the provider's summary beside the model's own words; its source is FromSummary
	ThoughtBlocked   bool        // safety withheld the thought
	Stop             Stop        // why the model stopped, if it was neither done nor called tools
	Sealed           Sealed      // reasoning that only the provider can read
	Calls            []Call
	Waits            bool  // its pending calls wait for a person, a front end or another agent
	Ended            bool  // every call has ended
	Late             bool  // the step of an observed turn began after the turn had ended
	Usage            Usage // tokens of the model's answer that began the step
}

// Call is one decision to use a tool, its reason and its result.
type Call struct {
	ID         string // unique in the turn
	Agent      string
	Step       int
	Tool       safety.Text
	To         safety.Text // who runs the tool, in an observed turn
	Before     safety.Text // what the model said between this call and the one before it; part of the narrative
	Rationale  Rationale
	Params     safety.JSON
	Group      *int // shared by calls that ran in parallel; nil for a lone call
	FrontEnd   bool // the user's front end runs the tool
	Decides    bool // the call is a decision, which its parameters state
	Transport  Transport
	Confidence *Confidence // nil if the agent did not say how sure it was
	Approval   *Approval   // nil if no approval was needed
	Outcome    Outcome     // Pending until the call has ended
	Result     safety.JSON // null unless Outcome is Success
	Error      safety.Text // empty if Outcome is Success
	StartedAt  time.Time   // zero if nobody said when
	Took       time.Duration
	Untimed    bool          // the call has ended, and nobody said how long it took
	Apart      time.Duration // of an Untimed call: between the reports of its beginning and end; 0 if unknown
	Feedback   *Feedback     // what the user thinks of the decision; nil if nothing
	Findings   []safety.Finding

	// A worker that sends no ids leaves open which call a reason or a result is about. These
	// say that it was inferred from the tool's name and the order of events.
	ReasonInferred, ResultInferred bool

	// Only calls of attached agents have these. Described says what the call does, in a parameter that the model wrote
	// for whoever reads along; it is no reason.
	Described safety.Text
	Sighted   *Provenance

	ratings int // how often the decision was rated
}

// Edited returns the arguments as a person changed them before they approved the call, and whether
// somebody did. Params are then those that the model wrote.
func (c Call) Edited() (safety.JSON, bool) {
	if c.Approval == nil || c.Approval.Edited.Null() {
		return safety.JSON{}, false
	}
	return c.Approval.Edited, true
}

// Arguments returns the arguments that the call has: as a person changed them, else as the model
// wrote them.
func (c Call) Arguments() safety.JSON {
	if edited, ok := c.Edited(); ok {
		return edited
	}
	return c.Params
}

// Narrative returns the lead agent's latest narrative before calls, and its source. Steps
// without a narrative are skipped, as are the answering step, those of sub-agents and those after an
// observed turn's end. Both results are empty if there is none, or if safety withheld the latest.
func (t Turn) Narrative() (safety.Text, Source) {
	s := t.NarrativeStep()
	if s.Narrative.Empty() {
		return safety.Text{}, ""
	}
	return s.Narrative, s.NarrativeSource
}

// NarrativeStep returns the step whose narrative is that of the turn, or the zero value.
func (t Turn) NarrativeStep() (s Step) {
	for _, s := range slices.Backward(t.Steps) {
		if s.NarrativeSource == FromFallback {
			continue // it is ours, and says that a file is damaged
		}
		if s.Agent == "" && !s.Answer && !s.Late && (s.NarrativeBlocked || !s.Narrative.Empty()) {
			return s
		}
	}
	return s
}

// lastStop returns why the model stopped in the lead agent's last step.
func (t Turn) lastStop() Stop {
	at := lastIndex(t.Steps, func(s Step) bool { return s.Agent == "" && !s.Late })
	if at < 0 {
		return ""
	}
	return t.Steps[at].Stop
}

// AnswerStep returns the lead agent's step that answered, and whether the turn lists one.
func (t Turn) AnswerStep() (Step, bool) {
	at := lastIndex(t.Steps, func(s Step) bool { return s.Agent == "" && s.Answer })
	if at < 0 {
		return Step{}, false
	}
	return t.Steps[at], true
}

// Calls yields the calls of all steps, step by step in the order in which the models
// made them.
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

// Merge sums findings by rule and effect, so that a rule that masked in one text and only
// noticed in another has one of each. The result is a new slice sorted by rule, or nil if
// there are no findings.
func Merge(lists ...[]safety.Finding) []safety.Finding {
	var sum []safety.Finding
	for _, list := range lists {
		for _, f := range list {
			at, found := slices.BinarySearchFunc(sum, f, func(x, y safety.Finding) int {
				return cmp.Or(cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Effect, y.Effect))
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

// maxRationale bounds one rationale, in bytes. One sentence is asked for, and a
// reasoning update carries every rationale of its turn.
const maxRationale = 4096

// CleanRationale cleans raw, the reason a model or worker gave for a call. It
// never returns an empty rationale: if nothing is left of raw, or safety blocked
// it, the result is [Fallback], with Blocked set in the second case. The report
// lists what was masked either way.
func CleanRationale(layer *safety.Layer, raw string) (Rationale, safety.Report) {
	text, report := layer.Limit(maxRationale).Clean(raw)
	if report.Verdict == safety.Blocked || strings.TrimSpace(text.String()) == "" {
		r := Fallback()
		r.Blocked = report.Verdict == safety.Blocked
		return r, report
	}
	return Rationale{Text: text, Source: FromModel}, report
}

// SealKind says in which form reasoning came that only its provider can read.
type SealKind string

// The forms of sealed reasoning.
const (
	SealEncrypted SealKind = "encrypted" // the reasoning itself, encrypted
	SealSignature SealKind = "signature" // a signature in the place of the reasoning
)

// Sealed is how much of a step's reasoning only the provider of its model can read. It has the size, and
// never the content. The zero value says that there was none.
type Sealed struct {
	Kind   SealKind // SealEncrypted if the reasoning came in both forms
	Bytes  int      // as they came from the provider; 0 if nobody counted them
	Tokens int      // that the model spent on reasoning in the step, readable or not; 0 if nobody counted them
}

// Known reports whether there was sealed reasoning.
func (s Sealed) Known() bool { return s.Kind != "" }

// Encrypted adds n bytes of encrypted reasoning.
func (s Sealed) Encrypted(n int) Sealed { return s.add(SealEncrypted, n) }

// Signed adds n bytes of signatures that came without the reasoning they belong to.
func (s Sealed) Signed(n int) Sealed { return s.add(SealSignature, n) }

// add adds n bytes of a kind. Nothing is added where there are no bytes.
func (s Sealed) add(kind SealKind, n int) Sealed {
	if n <= 0 {
		return s
	}
	if s.Kind != SealEncrypted {
		s.Kind = kind
	}
	s.Bytes += n
	return s
}

// or returns s, or t if s says that there was none.
func (s Sealed) or(t Sealed) Sealed {
	if s.Known() {
		return s
	}
	return t
}

// Decision returns what a call that is a decision states, as text: its parameter
// "decision", or all of its parameters if it has none of that name. It returns "" for every
// other call.
func (c Call) Decision() string {
	if !c.Decides {
		return ""
	}
	var params map[string]json.RawMessage
	if json.Unmarshal(c.Params.Raw(), &params) == nil && len(params["decision"]) > 0 {
		return asText(params["decision"])
	}
	return asText(c.Params.Raw())
}

// Said returns what the person said beside the answer, as text, and "" if nothing.
func (a *Approval) Said() string {
	if a == nil {
		return ""
	}
	return ValueText(a.Value)
}

// ValueText returns a value as text: a text as it is, "" for null, and anything else as JSON.
func ValueText(v safety.JSON) string {
	if v.Null() {
		return ""
	}
	return asText(v.Raw())
}

// asText returns the text that raw is, or raw itself if it is none.
func asText(raw json.RawMessage) string {
	var text string
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}

// Words says how sure the agent was, in percent: "62 %", or "less than 70 %" for what is below a
// threshold of 70 % and rounds to it. Only what is certain is 0 % or 100 %.
func (c Confidence) Words() string {
	words := percent(c.Stated)
	if c.Low() && words == percent(c.Threshold) {
		return "less than " + words
	}
	return words
}

// WhyAsked says why a person is asked about a call of which the agent is not sure enough.
func (c Confidence) WhyAsked() string {
	return fmt.Sprintf("The agent is %s sure of this; below %s a person decides.", c.Words(), percent(c.Threshold))
}

func percent(share float64) string {
	n := int(math.Round(share * 100))
	switch {
	case n == 0 && share > 0:
		n = 1
	case n == 100 && share < 1:
		n = 99
	}
	return fmt.Sprintf("%d %%", n)
}
