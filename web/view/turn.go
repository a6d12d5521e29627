package view

import (
	"slices"
	"time"

	"candor/safety"
	"candor/safety/render"
	"candor/session"
)

// TurnInfo is a turn as history shows it. Response is null unless the turn completed, and
// Error is absent unless it failed. StartedAt is null until the turn starts,
// CompletedAt until it has ended in any way. Reasoning has the form of TurnReasoningInfo
// in the specification "Agent Reasoning Summary Exposure".
type TurnInfo struct {
	TurnNumber  int                `json:"turn_number"`
	MessageID   string             `json:"message_id"`
	UserInput   safety.Text        `json:"user_input"`
	Response    *safety.Text       `json:"response"`
	HTML        render.SafeHTML    `json:"response_html,omitempty"` // only with render=html
	State       session.State      `json:"state"`
	Error       *safety.Text       `json:"error,omitempty"`
	CreatedAt   time.Time          `json:"created_at"`
	StartedAt   *time.Time         `json:"started_at"`
	CompletedAt *time.Time         `json:"completed_at"`
	ToolCalls   []ToolCallInfo     `json:"tool_calls"`
	Reasoning   *TurnReasoningInfo `json:"reasoning"` // null when no tool was called
	Answer      *AnswerReasoning   `json:"answer_reasoning,omitempty"`
	Redactions  []Redaction        `json:"redactions,omitempty"` // of the turn and its calls
	Notices     []Notice           `json:"notices,omitempty"`
	Usage       *UsageInfo         `json:"usage,omitempty"`      // absent if the model did not report it
	Steps       []StepUsage        `json:"step_usage,omitempty"` // of the steps whose tokens are known
	Sealed      []SealedReasoning  `json:"sealed_reasoning,omitempty"`
	StopInfo
	StepStops []StepStop    `json:"step_stops,omitempty"`
	Workflow  *WorkflowInfo `json:"workflow,omitempty"` // of a run
	Interruption

	// Only observed turns have these. A turn's answer may come after its conclusion, and a turn
	// may have no answer. LateSteps are the numbers of the steps that began after its end.
	Asked      *AskedInfo   `json:"asked,omitempty"`
	Conclusion *safety.Text `json:"conclusion,omitempty"`
	Notes      []NoteInfo   `json:"notes,omitempty"`
	LateSteps  []int        `json:"late_steps,omitempty"`
	ToldAt     *time.Time   `json:"told_at,omitempty"` // while it has no end: when its agent last told something
}

// Interruption says that a restart of the server interrupted a turn, and when the turn was last heard of. Both are
// absent of any other turn.
type Interruption struct {
	By          string     `json:"interrupted_by,omitempty"` // restart
	LastHeardAt *time.Time `json:"last_heard_at,omitempty"`
}

// UsageInfo counts the tokens of a turn and says what they cost. Reasoning tokens are part of the output.
type UsageInfo struct {
	InputTokens     int `json:"input_tokens,omitempty"`
	OutputTokens    int `json:"output_tokens,omitempty"`
	ReasoningTokens int `json:"reasoning_tokens,omitempty"`

	// Nanos and Cost are there only if the prices of all answers are known.
	Nanos *int64 `json:"cost_nanodollars,omitempty"`
	Cost  string `json:"cost,omitempty"` // as people read it, such as $0.14
}

// TurnReasoningInfo says why a turn did what it did. It repeats the turn's full
// address, so that it can be stored and read on its own.
type TurnReasoningInfo struct {
	SessionID        string          `json:"session_id"`
	ThreadID         string          `json:"thread_id"` // empty for a job's turn
	JobID            string          `json:"job_id,omitempty"`
	TurnNumber       int             `json:"turn_number"`
	Narrative        *safety.Text    `json:"narrative,omitempty"`
	NarrativeHTML    render.SafeHTML `json:"narrative_html,omitempty"`   // only with render=html
	NarrativeSource  session.Source  `json:"narrative_source,omitempty"` // model, or summary: the provider's
	NarrativeBlocked bool            `json:"narrative_blocked,omitempty"`
	ThoughtInfo
	Narratives    []StepNarrative    `json:"narratives,omitempty"` // by step, if there are several steps
	ToolDecisions []ToolDecisionInfo `json:"tool_decisions"`
	Handoffs      []HandoffInfo      `json:"handoffs,omitempty"`
}

// AnswerReasoning is the provider's summary of the reasoning behind a turn's answer, in the
// members that TurnReasoningInfo has for the reasoning before calls. It is absent if the
// provider made none. Narrative is absent if safety withheld it.
type AnswerReasoning struct {
	Step             int             `json:"step"` // from 1; the turn's last
	Narrative        *safety.Text    `json:"narrative,omitempty"`
	NarrativeHTML    render.SafeHTML `json:"narrative_html,omitempty"` // only with render=html
	NarrativeSource  session.Source  `json:"narrative_source"`         // summary
	NarrativeBlocked bool            `json:"narrative_blocked,omitempty"`
}

// PendingApproval is a call that waits for its user. It has all that a person needs to
// decide: what would run, with which parameters, and why. Parameters are whole, unlike those
// of a decision, but for HiddenCharacters characters of secrets, which nothing acts on.
// AllowAlways says whether the answer "always" is accepted. ExpiresAt is when the call is
// rejected if nobody has answered, by the server's clock; it is absent if that is not known.
type PendingApproval struct {
	RequestID       string         `json:"request_id"`
	CallID          string         `json:"call_id"`
	ToolName        safety.Text    `json:"tool_name"`
	Description     safety.Text    `json:"description"`
	Rationale       safety.Text    `json:"rationale"`
	RationaleSource session.Source `json:"rationale_source"`
	Parameters      safety.JSON    `json:"parameters"`
	Hidden          int            `json:"hidden_characters"`
	AllowAlways     bool           `json:"allow_always"`
	Editable        bool           `json:"editable,omitempty"` // POST /api/chat/approval/edit takes changed ones
	ExpiresAt       *time.Time     `json:"expires_at,omitempty"`
	Confident
	LowConfidence bool `json:"low_confidence,omitempty"` // which is why the person is asked
}

// pendingApproval describes c, whose approval is not nil.
func pendingApproval(c session.Call) PendingApproval {
	return PendingApproval{
		RequestID: c.Approval.Request, CallID: c.ID, ToolName: c.Tool, Description: c.Approval.Description,
		Rationale: c.Rationale.Text, RationaleSource: c.Rationale.Source, Parameters: c.Approval.Shown,
		Hidden: c.Approval.Hidden, AllowAlways: c.Approval.AllowAlways, Editable: c.Approval.Editable,
		ExpiresAt: timeOrNull(c.Approval.Expires),
		Confident: confident(c), LowConfidence: c.Approval.LowConfidence,
	}
}

// PendingApprovals lists the calls of turns that still wait for an answer, in order.
func PendingApprovals(turns []session.Turn) []PendingApproval {
	var open []PendingApproval
	for _, t := range turns {
		for c := range t.Calls() {
			if c.Approval != nil && c.Approval.Answer == "" {
				open = append(open, pendingApproval(c))
			}
		}
	}
	return open
}

// StepNarrative is what the model said before the calls of one step. Steps are counted
// from 1 for each agent; Agent is absent for the main one.
type StepNarrative struct {
	Agent     string      `json:"agent,omitempty"`
	Step      int         `json:"step"`
	Narrative safety.Text `json:"narrative"`

	HTML render.SafeHTML `json:"narrative_html,omitempty"` // only with render=html
	ThoughtInfo
}

// ToolDecisionInfo says why a tool was called, with which parameters, and how that ended.
// Hidden is how many characters of the call were hidden from the person who was asked.
type ToolDecisionInfo struct {
	ToolDecisionPayload
	Parameters safety.JSON `json:"parameters"`
	Hidden     int         `json:"hidden_characters,omitempty"`
	EditedInfo
	Redactions []Redaction `json:"redactions,omitempty"`
	Notices    []Notice    `json:"notices,omitempty"`
}

// ToolDecisionPayload is a decision without parameters, as streams carry it.
type ToolDecisionPayload struct {
	ToolName         safety.Text     `json:"tool_name"`
	To               *safety.Text    `json:"to,omitempty"`          // who runs the tool, if another participant does
	Before           *safety.Text    `json:"text_before,omitempty"` // said between this call and the one before it
	Rationale        safety.Text     `json:"rationale"`
	RationaleSource  session.Source  `json:"rationale_source"`
	RationaleBlocked bool            `json:"rationale_blocked,omitempty"`
	Outcome          session.Outcome `json:"outcome"`
	ParallelGroup    *int            `json:"parallel_group"`
	CallID           string          `json:"call_id"`
	Agent            string          `json:"agent,omitempty"` // a sub-agent
	Step             int             `json:"step"`
	Approval         session.Answer  `json:"approval,omitempty"` // how the approval ended, if one was needed
	Inferred         bool            `json:"inferred,omitempty"` // a worker named no call for this reason
	Confident
	LowConfidence bool   `json:"low_confidence,omitempty"` // a person was asked since the agent was not sure enough
	ApprovalValue string `json:"approval_value,omitempty"` // what the person said, at most maxPreview characters

	Sighted  *SightedInfo  `json:"sighted,omitempty"`  // of another program's agent: who told of it
	Feedback *FeedbackInfo `json:"feedback,omitempty"` // what the user thinks of it; absent if nothing
}

// FeedbackInfo is what the user thinks of a decision.
type FeedbackInfo struct {
	Rating session.Rating `json:"rating"` // good or bad
	Note   *safety.Text   `json:"note,omitempty"`
	At     time.Time      `json:"at"`
}

// maxPreview is the length of a result's preview in characters.
const maxPreview = 500

// Turn describes t as history shows it.
func Turn(t session.Turn) TurnInfo {
	info := TurnInfo{
		TurnNumber: t.Number, MessageID: t.Message, UserInput: t.Input, State: t.State,
		Response: orNull(t.Response), Error: orNull(t.Error),
		CreatedAt: t.CreatedAt, StartedAt: timeOrNull(t.StartedAt), CompletedAt: timeOrNull(t.EndedAt),
		ToolCalls: []ToolCallInfo{}, Reasoning: reasoningInfo(t), Redactions: redactions(t.Findings),
		Notices: notices(t.Findings), Workflow: workflowInfo(t.Workflow),
		Asked: askedInfo(t.Asked), Conclusion: orNull(t.Conclusion), Notes: notesInfo(t), LateSteps: lateSteps(t),
	}
	if s, ok := t.AnswerStep(); ok && (s.NarrativeBlocked || !s.Narrative.Empty()) {
		info.Answer = &AnswerReasoning{
			Step: s.Number, Narrative: orNull(s.Narrative), NarrativeSource: s.NarrativeSource,
			NarrativeBlocked: s.NarrativeBlocked,
		}
	}
	if u := t.Usage; u != (session.Usage{}) {
		info.Usage = &UsageInfo{u.Input, u.Output, u.Reasoning, nil, t.Spent.Words()}
		if t.Spent.Known() {
			info.Usage.Nanos = new(t.Spent.Nanos)
		}
	}
	if t.Restarted {
		info.Interruption = Interruption{"restart", timeOrNull(t.EndedAt)}
	}
	if !t.State.Ended() {
		info.ToldAt = timeOrNull(t.Told())
	}
	info.Steps, info.Sealed = stepUsage(t), sealedReasoning(t)
	info.StopInfo, info.StepStops = stopInfo(t.Stop), stepStops(t)
	for c := range t.Calls() {
		info.ToolCalls = append(info.ToolCalls, toolCallInfo(c))
	}
	return info
}

// narrativeBlocked reports whether safety withheld the narrative of a step that called tools, or the thought beside it.
func narrativeBlocked(steps []session.Step) bool {
	return slices.ContainsFunc(steps, func(s session.Step) bool {
		return (s.NarrativeBlocked || s.ThoughtBlocked) && (!s.Answer || s.Agent != "")
	})
}

// reasoningInfo returns nil for a turn that called no tool.
func reasoningInfo(t session.Turn) *TurnReasoningInfo {
	steps := slices.DeleteFunc(slices.Clone(t.Steps), func(s session.Step) bool { return s.Answer && s.Agent == "" })
	if len(steps) == 0 {
		return nil
	}
	text, source := t.Narrative()
	info := &TurnReasoningInfo{
		SessionID: t.Session, ThreadID: t.Thread, JobID: t.Job, TurnNumber: t.Number,
		Narrative: orNull(text), NarrativeSource: source, NarrativeBlocked: narrativeBlocked(t.Steps),
		ToolDecisions: []ToolDecisionInfo{}, ThoughtInfo: thoughtInfo(t.NarrativeStep()),
	}
	for _, s := range steps {
		// The only step of a turn that was cut is none that the turn's narrative could stand for.
		if (len(steps) > 1 || s.Number > 1 || s.Agent != "") && !(s.Narrative.Empty() && s.Thought.Empty()) {
			info.Narratives = append(info.Narratives, StepNarrative{
				Agent: s.Agent, Step: s.Number, Narrative: s.Narrative, ThoughtInfo: thoughtInfo(s),
			})
		}
	}
	for c := range t.Calls() {
		info.ToolDecisions = append(info.ToolDecisions, ToolDecisionInfo{
			decisionPayload(c), c.Params, hidden(c), editedOf(c), redactions(c.Findings), notices(c.Findings),
		})
	}
	for _, h := range t.Handoffs {
		info.Handoffs = append(info.Handoffs, HandoffInfo{h.Call, h.From, h.To, h.Text, h.At, profileOf(h.Who)})
	}
	return info
}

// hidden returns how many characters of c were hidden from the person who was asked.
func hidden(c session.Call) int {
	if c.Approval == nil {
		return 0
	}
	return c.Approval.Hidden
}

func decisionPayload(c session.Call) ToolDecisionPayload {
	d := ToolDecisionPayload{
		ToolName: c.Tool, To: orNull(c.To), Before: orNull(c.Before),
		Rationale: c.Rationale.Text, RationaleSource: c.Rationale.Source,
		RationaleBlocked: c.Rationale.Blocked, Outcome: c.Outcome, ParallelGroup: c.Group,
		CallID: c.ID, Agent: c.Agent, Step: c.Step, Inferred: c.ReasonInferred, Confident: confident(c),
		Sighted: sightedInfo(c),
	}
	if a := c.Approval; a != nil {
		d.Approval, d.LowConfidence, d.ApprovalValue = a.Answer, a.LowConfidence, truncate(a.Said(), maxPreview)
	}
	if f := c.Feedback; f != nil {
		d.Feedback = &FeedbackInfo{f.Rating, orNull(f.Note), f.At}
	}
	return d
}

// orNull returns nil for an empty text, which encodes as null or is left out.
func orNull(t safety.Text) *safety.Text {
	if t.Empty() {
		return nil
	}
	return &t
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// renderBudget is how much text a [Renderer] renders, in bytes.
const renderBudget = 512 << 10

// Renderer adds the HTML of texts to the turns of one answer, until its budget is used
// up: a page of long texts must not keep the server busy. Clients show a text without
// HTML as plain text. The zero Renderer adds nothing. It is for one goroutine.
type Renderer struct{ budget int } // bytes of text still to be rendered

// NewRenderer returns a renderer with a full budget.
func NewRenderer() *Renderer { return &Renderer{budget: renderBudget} }

// Turn adds the HTML of a turn's response and narratives.
func (r *Renderer) Turn(t *TurnInfo) {
	t.HTML = r.html(t.Response)
	if t.Answer != nil {
		t.Answer.NarrativeHTML = r.html(t.Answer.Narrative)
	}
	if t.Reasoning != nil {
		t.Reasoning.NarrativeHTML = r.html(t.Reasoning.Narrative)
		for i := range t.Reasoning.Narratives {
			n := &t.Reasoning.Narratives[i]
			n.HTML = r.html(&n.Narrative)
		}
	}
}

// html returns the HTML of t, "" if it is over the budget.
func (r *Renderer) html(t *safety.Text) render.SafeHTML {
	if t == nil || len(t.String()) > r.budget {
		return ""
	}
	r.budget -= len(t.String())
	return render.Markdown(*t)
}

// StepUsage counts the tokens of the model's answer that a step began with, or was. Steps are
// counted from 1 for each agent; Agent is absent for the main one, whose last step is its answer.
type StepUsage struct {
	Agent string `json:"agent,omitempty"`
	Step  int    `json:"step"`

	InputTokens     int `json:"input_tokens,omitempty"`
	OutputTokens    int `json:"output_tokens,omitempty"`
	ReasoningTokens int `json:"reasoning_tokens,omitempty"`
}

// stepUsage lists the steps of t whose tokens are known.
func stepUsage(t session.Turn) []StepUsage {
	var all []StepUsage
	last := 0
	for _, s := range t.Steps {
		if u := s.Usage; u != (session.Usage{}) {
			all = append(all, StepUsage{s.Agent, s.Number, u.Input, u.Output, u.Reasoning})
		}
		// An answering step is listed only if there is reasoning behind it.
		if s.Agent == "" && !s.Answer {
			last = max(last, s.Number)
		}
	}
	if u := t.AnswerUsage; u != (session.Usage{}) {
		all = append(all, StepUsage{"", last + 1, u.Input, u.Output, u.Reasoning})
	}
	return all
}
