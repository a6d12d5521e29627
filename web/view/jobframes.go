package view

import (
	"time"

	"candor/safety"
	"candor/session"
	"candor/session/brief"
)

// jobHead holds the members that begin the data of every frame about a job.
type jobHead struct {
	Type      string    `json:"type"`
	JobID     string    `json:"job_id"`
	SessionID string    `json:"session_id"`
	At        time.Time `json:"at"`
	Agent     string    `json:"agent,omitempty"` // of a worker with several agents
	// Ignored counts the members of the post that nobody knew, sent with ?strict=false.
	Ignored int `json:"ignored_members,omitempty"`
}

// The frames of a job. They repeat what the worker posted, cleaned, and never contain
// the raw prompt or the token.
type (
	// jobStartedFrame tells that a job was opened.
	jobStartedFrame struct {
		jobHead
		Title safety.Text `json:"title"`
	}
	// jobMessageFrame carries what the user, the agent or the system said. Done marks the last prompt.
	jobMessageFrame struct {
		jobHead
		Role    string      `json:"role"`
		Content safety.Text `json:"content"`
		Done    bool        `json:"done,omitempty"`
		StopInfo
	}
	// jobToolUseFrame tells which tool the worker called and, if it said so at once, why.
	// Rationale and Narrative are absent if they come later, in a job_reasoning. CallID is
	// our id for the call, unique in the job. Inferred says that a decision without an id
	// was taken for the announcement of this call.
	jobToolUseFrame struct {
		jobHead
		Caller           string         `json:"caller,omitempty"` // the call within which the agent works
		ToolName         safety.Text    `json:"tool_name"`
		CallID           string         `json:"call_id"`
		Inferred         bool           `json:"inferred,omitempty"`
		Input            safety.JSON    `json:"input"`
		Object           brief.Line     `json:"object,omitzero"` // of Input, in a line
		Rationale        *safety.Text   `json:"rationale,omitempty"`
		RationaleSource  session.Source `json:"rationale_source,omitempty"`
		RationaleBlocked bool           `json:"rationale_blocked,omitempty"`
		ParallelGroup    *int           `json:"parallel_group,omitempty"`
		Narrative        *safety.Text   `json:"narrative,omitempty"`
		NarrativeSource  session.Source `json:"narrative_source,omitempty"`
		NarrativeBlocked bool           `json:"narrative_blocked,omitempty"`
		Before           *safety.Text   `json:"text_before,omitempty"` // said between this call and the one before it
		ThoughtInfo
	}
	// jobToolResultFrame tells how a call ended and what it returned. Inferred says that the
	// worker named no call, and that the oldest open one of the tool was taken. DurationMS
	// is null if the worker did not say how long the call took.
	jobToolResultFrame struct {
		jobHead
		ToolName   safety.Text     `json:"tool_name"`
		CallID     string          `json:"call_id"`
		Inferred   bool            `json:"inferred,omitempty"`
		Outcome    session.Outcome `json:"outcome"`
		Line       brief.Line      `json:"outcome_line,omitzero"` // what came of the call
		Output     safety.JSON     `json:"output"`
		Error      *safety.Text    `json:"error,omitempty"`
		DurationMS *int64          `json:"duration_ms"`
	}
	// jobReasoningFrame carries the reasons for the calls of one step, in the order in which
	// the worker posted them. NarrativeBlocked says that there was a narrative and that a
	// safety layer withheld it, the worker's or the server's. NarrativeSource says whose words
	// it is, the model's or its provider's. With Answer it is the reasoning behind an answer,
	// and there are no decisions.
	jobReasoningFrame struct {
		jobHead
		Caller           string         `json:"caller,omitempty"` // the call within which the agent works
		Answer           bool           `json:"answer,omitempty"`
		Narrative        *safety.Text   `json:"narrative,omitempty"`
		NarrativeSource  session.Source `json:"narrative_source,omitempty"`
		NarrativeBlocked bool           `json:"narrative_blocked,omitempty"`
		ThoughtInfo
		StopInfo
		Sealed        *sealed       `json:"sealed,omitempty"` // of the step, that only the provider can read
		ToolDecisions []jobDecision `json:"tool_decisions"`
	}
	// jobDecision is the reason for one call, with the members that the specification
	// "Agent Reasoning Summary Exposure" gives a decision. Rationale is never empty; its
	// source says whether it is the model's or the fallback. CallID is the call that it
	// explains; Inferred says that the worker named none, and that the tool's name and the
	// order of events decided.
	jobDecision struct {
		ToolName         safety.Text     `json:"tool_name"`
		Rationale        safety.Text     `json:"rationale"`
		RationaleSource  session.Source  `json:"rationale_source"`
		RationaleBlocked bool            `json:"rationale_blocked,omitempty"`
		Outcome          session.Outcome `json:"outcome"`
		ParallelGroup    *int            `json:"parallel_group"`
		CallID           string          `json:"call_id"`
		Inferred         bool            `json:"inferred,omitempty"`
	}
	// jobStatusFrame carries a state that the worker reported, or that the user caused.
	jobStatusFrame struct {
		jobHead
		State   string      `json:"state"`
		Message safety.Text `json:"message"`
	}
	// jobResultFrame tells how the job ended.
	jobResultFrame struct {
		jobHead
		Status  session.JobState `json:"status"`
		Success bool             `json:"success"`
		Message safety.Text      `json:"message"`
	}
	// jobDeletedFrame tells that the job is gone, and all its runs. Expired says that the server
	// deleted it because of its age, and not its user.
	jobDeletedFrame struct {
		jobHead
		Expired bool `json:"expired,omitempty"`
	}
)

// JobFrames projects an event of a job onto its frames. Streams and the list of a
// job's events show the same ones.
func JobFrames(e session.Event) []Frame {
	head := func(kind string) jobHead {
		return jobHead{Type: kind, JobID: e.Job, SessionID: e.Session, At: e.At, Ignored: e.Ignored}
	}
	status := func(state string, message safety.Text) []Frame {
		return []Frame{{"job_status", jobStatusFrame{head("job_status"), state, message}}}
	}
	switch b := e.Body.(type) {
	case session.JobOpened:
		return []Frame{{"job_started", jobStartedFrame{head("job_started"), b.Title}}}
	case session.JobPrompted:
		return []Frame{{"job_message", jobMessageFrame{head("job_message"), "user", b.Text, b.Done, StopInfo{}}}}
	case session.JobMessage:
		return []Frame{{"job_message", jobMessageFrame{head("job_message"), b.Role, b.Text, false, stopInfo(b.Stop)}}}
	case session.JobToolUse:
		return []Frame{{"job_tool_use", jobToolUse(head("job_tool_use"), b)}}
	case session.JobToolResult:
		return []Frame{{"job_tool_result", jobToolResult(head("job_tool_result"), b)}}
	case session.JobReasoned:
		return []Frame{{"job_reasoning", jobReasoning(head("job_reasoning"), b)}}
	case session.JobReported:
		return status(b.State.String(), b.Message)
	case session.JobEnded:
		result := jobResultFrame{head("job_result"), session.JobFailed, b.Success, b.Message}
		if b.Success {
			result.Status = session.JobCompleted
		}
		return []Frame{{"job_result", result}}
	case session.JobCancelled:
		return status(string(session.JobStopped), safety.Literal("Stopped by its user"))
	case session.JobRestarted:
		return status(string(session.JobPending), safety.Literal("Begins anew"))
	case session.Erased:
		return []Frame{{"job_deleted", jobDeletedFrame{head("job_deleted"), b.Expired}}}
	}
	return nil
}

// sourceOf returns the source of a narrative, "" if there is none.
func sourceOf(narrative safety.Text, source session.Source) session.Source {
	if narrative.Empty() {
		return ""
	}
	return source
}

func jobToolUse(head jobHead, b session.JobToolUse) jobToolUseFrame {
	head.Agent = b.Agent.String()
	return jobToolUseFrame{
		jobHead: head, Caller: b.Caller, ToolName: b.Tool, CallID: b.Call, Inferred: b.Inferred, Input: b.Input,
		Object:    brief.Object(b.Input),
		Rationale: orNull(b.Rationale.Text), RationaleSource: b.Rationale.Source,
		RationaleBlocked: b.Rationale.Blocked, ParallelGroup: b.Group,
		Narrative: orNull(b.Narrative), NarrativeSource: sourceOf(b.Narrative, b.NarrativeSource),
		NarrativeBlocked: b.NarrativeBlocked, Before: orNull(b.Before), ThoughtInfo: thought(b.Thought, false),
	}
}

func jobToolResult(head jobHead, b session.JobToolResult) jobToolResultFrame {
	head.Agent = b.Agent.String()
	f := jobToolResultFrame{
		jobHead: head, ToolName: b.Tool, CallID: b.Call, Inferred: b.Inferred,
		Outcome: b.Outcome, Output: b.Output, Error: orNull(b.Error),
		Line: brief.Outcome(session.Call{Outcome: b.Outcome, Result: b.Output, Error: b.Error}),
	}
	if b.Took != nil {
		f.DurationMS = new(b.Took.Milliseconds())
	}
	return f
}

func jobReasoning(head jobHead, b session.JobReasoned) jobReasoningFrame {
	head.Agent = b.Agent.String()
	f := jobReasoningFrame{
		jobHead: head, Caller: b.Caller, Answer: b.Answer, Narrative: orNull(b.Narrative),
		NarrativeSource: sourceOf(b.Narrative, b.NarrativeSource), NarrativeBlocked: b.NarrativeBlocked,
		ToolDecisions: []jobDecision{}, ThoughtInfo: thought(b.Thought, b.ThoughtBlocked), StopInfo: stopInfo(b.Stop),
	}
	if b.Sealed.Known() {
		f.Sealed = new(sealed(b.Sealed))
	}
	for _, d := range b.Decisions {
		f.ToolDecisions = append(f.ToolDecisions, jobDecision{
			CallID: d.Call, Inferred: d.Inferred, ToolName: d.Tool,
			Rationale: d.Rationale.Text, RationaleSource: d.Rationale.Source, RationaleBlocked: d.Rationale.Blocked,
			Outcome: d.Outcome, ParallelGroup: d.Group,
		})
	}
	return f
}
