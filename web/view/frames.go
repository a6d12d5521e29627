package view

import (
	"cmp"
	"time"

	"candor/safety"
	"candor/session"
	"candor/session/brief"
)

// Frame is one server-sent event before it is encoded. Data is a struct of this
// package whose "type" member repeats Name.
type Frame struct {
	Name string
	Data any
}

// frameHead holds the members that begin every frame's data. Together they are the full
// address of the event, so a client can store a frame on its own. TurnNumber is absent for
// events about the thread. At is when the event was logged, not when it was sent.
type frameHead struct {
	Type       string    `json:"type"`
	ThreadID   string    `json:"thread_id"`
	SessionID  string    `json:"session_id"`
	TurnNumber int       `json:"turn_number,omitempty"`
	Agent      string    `json:"agent,omitempty"` // a sub-agent; absent for the one the user speaks to
	At         time.Time `json:"at"`
}

// The frames of the chat stream. Their names and members are part of the API and held by
// testdata/turns; a new member has to be optional. reasoning_update is the event of the
// specification "Agent Reasoning Summary Exposure".
type (
	// statusFrame tells that a thread or turn changed its state. State is absent when a
	// thread was opened, and MessageID unless a message was queued.
	statusFrame struct {
		frameHead
		Message   string        `json:"message"`
		State     session.State `json:"state,omitempty"`
		MessageID string        `json:"message_id,omitempty"`
		Interruption
	}
	// thinkingFrame carries a narrative, or tells that a turn began. A narrative has a
	// Step, from 1, and a Source; the start of a turn has the MessageID instead. Answer
	// marks the summary of the reasoning behind the answer, which no call follows, and Beside one that
	// stands beside the step's narrative, which follows.
	thinkingFrame struct {
		frameHead
		Message   safety.Text    `json:"message"`
		MessageID string         `json:"message_id,omitempty"`
		Input     *safety.Text   `json:"user_input,omitempty"` // of a turn that begins
		Asked     *AskedInfo     `json:"asked,omitempty"`      // of an observed turn that begins
		Step      int            `json:"step,omitempty"`
		Source    session.Source `json:"narrative_source,omitempty"`
		Answer    bool           `json:"answer,omitempty"`
		Beside    bool           `json:"beside,omitempty"`
		Workflow  *WorkflowInfo  `json:"workflow,omitempty"` // of a run that begins
	}
	// toolStartedFrame tells why a tool is being called, and with which object: the key parameter
	// in a line. The others are not streamed; the history has them. Calls of a step that run
	// together share ParallelGroup, which is null for a call that runs alone.
	toolStartedFrame struct {
		frameHead
		Name            safety.Text    `json:"name"`
		To              *safety.Text   `json:"to,omitempty"` // who runs the tool, if another participant does
		CallID          string         `json:"call_id"`
		Before          *safety.Text   `json:"text_before,omitempty"` // said between this call and the one before it
		Rationale       safety.Text    `json:"rationale"`
		RationaleSource session.Source `json:"rationale_source"`
		ParallelGroup   *int           `json:"parallel_group"`
		Object          brief.Line     `json:"object,omitzero"`
		Confident
	}
	// toolCompletedFrame tells how a call ended. Success says whether Outcome is
	// "success". Error is absent if the call has no error text. Line tells what came of
	// the call in a line.
	toolCompletedFrame struct {
		frameHead
		Name       safety.Text     `json:"name"`
		CallID     string          `json:"call_id"`
		Success    bool            `json:"success"`
		Outcome    session.Outcome `json:"outcome"`
		Line       brief.Line      `json:"outcome_line,omitzero"`
		Error      *safety.Text    `json:"error,omitempty"`
		DurationMS int64           `json:"duration_ms"`
		Decides    bool            `json:"decides,omitempty"`        // the rest is of decisions only
		Decision   string          `json:"decision,omitempty"`       // the agent's
		Value      string          `json:"approval_value,omitempty"` // another one, which a person took
	}
	// toolResultFrame carries the first maxPreview characters of a result's JSON, and its
	// shape. A call that returned nothing has no such frame.
	toolResultFrame struct {
		frameHead
		Name    safety.Text        `json:"name"`
		CallID  string             `json:"call_id"`
		Preview string             `json:"preview"`
		Shape   *brief.ResultShape `json:"result_shape"`
	}
	// reasoningUpdateFrame repeats all decisions of the turn so far after each step. A
	// client that missed earlier frames therefore needs only the latest one.
	// NarrativeBlocked says that safety withheld the narrative of a step so far.
	reasoningUpdateFrame struct {
		frameHead
		Narrative        *safety.Text          `json:"narrative,omitempty"`
		NarrativeBlocked bool                  `json:"narrative_blocked,omitempty"`
		ToolDecisions    []ToolDecisionPayload `json:"tool_decisions"`
		Cost             string                `json:"cost,omitempty"` // so far, if prices are known
		StepStops        []StepStop            `json:"step_stops,omitempty"`
	}
	// approvalNeededFrame tells that a call waits for its user.
	approvalNeededFrame struct {
		frameHead
		PendingApproval
	}
	// approvalAnsweredFrame tells that it does not wait any more. Object is what the call is about from now
	// on, if the person changed its parameters.
	approvalAnsweredFrame struct {
		frameHead
		RequestID string         `json:"request_id"`
		CallID    string         `json:"call_id"`
		Answer    session.Answer `json:"answer"`
		Value     string         `json:"approval_value,omitempty"` // what the person said beside it, as in decisions
		Object    brief.Line     `json:"object,omitzero"`
		EditedInfo
	}
	// decisionRatedFrame tells what the user thinks of a decision from now on. Rating is good, bad or
	// none. It may come long after the turn has ended.
	decisionRatedFrame struct {
		frameHead
		CallID string         `json:"call_id"`
		Rating session.Rating `json:"rating"`
		Note   *safety.Text   `json:"note,omitempty"`
	}
	// stepTextFrame carries whole sentences of what an agent says in a step while its model
	// still speaks. They are appended in the order of Index; index 0 begins the step's text
	// anew, also in the middle, and an empty text withdraws it. The step's narrative, or the
	// event that ends the turn, replaces the text. These frames are not in the log: they
	// have no id, and no position to resume from.
	stepTextFrame struct {
		Type       string      `json:"type"`
		ThreadID   string      `json:"thread_id"`
		TurnNumber int         `json:"turn_number"`
		Agent      string      `json:"agent,omitempty"`
		Step       int         `json:"step"`
		Index      int         `json:"index"`
		Text       safety.Text `json:"text"`
	}
	// responseFrame carries the answer of a completed turn.
	responseFrame struct {
		frameHead
		Content safety.Text `json:"content"`
		StopInfo
	}
	// errorFrame tells why a turn failed.
	errorFrame struct {
		frameHead
		Message safety.Text `json:"message"`
		StopInfo
	}
)

// Frames projects an event, and the turn t that the event led to, onto the frames
// of the chat stream, in order. Most events give one frame, a tool's result may
// give two, some give none. Events of jobs give [JobFrames].
func Frames(t session.Turn, e session.Event) []Frame {
	if e.Job != "" {
		return JobFrames(e)
	}
	head := func(kind string) frameHead {
		return frameHead{
			Type: kind, ThreadID: e.Thread, SessionID: e.Session, TurnNumber: e.Turn, Agent: e.Agent, At: e.At,
		}
	}
	switch b := e.Body.(type) {
	case session.Narrated:
		return narrated(b, head)
	case session.ToolCalled:
		return []Frame{toolStarted(session.Call{
			ID: b.Call, Tool: b.Tool, To: b.To, Before: b.Before, Rationale: b.Rationale, Group: b.Group,
			Params: b.Params, Decides: b.Decides, Confidence: b.Confidence,
		}, head)}
	case session.ToolReturned:
		return toolReturned(t, b, head)
	case session.ApprovalAsked:
		c, _ := t.Call(b.Call)
		return []Frame{{"approval_needed", approvalNeededFrame{head("approval_needed"), pendingApproval(c)}}}
	case session.ApprovalAnswered:
		return []Frame{{"approval_answered", approvalAnsweredFrame{
			head("approval_answered"), b.Request, b.Call, b.Answer, truncate(session.ValueText(b.Value), maxPreview),
			editedObject(b.Edited), editedInfo(b.Edited, b.EditedBy),
		}}}
	case session.Handoff:
		return []Frame{{"handoff", handoffFrame{
			head("handoff"), b.Call, b.From, b.To, b.Text, profileOf(b.Who),
		}}}
	case session.DecisionRated:
		return []Frame{{"decision_rated", decisionRatedFrame{head("decision_rated"), b.Call, b.Rating, orNull(b.Note)}}}
	case session.Noted:
		return note(t, b, head)
	case session.Sighted:
		return sighted(t, e, b, head)
	case session.StepEnded:
		return []Frame{reasoningUpdate(t, head("reasoning_update"))}
	}
	return lifecycle(e, head)
}

// StepText projects a part of a running step's text.
func StepText(t session.StepText) Frame {
	return Frame{"step_text", stepTextFrame{"step_text", t.Thread, t.Turn, t.Agent, t.Step, t.Index, t.Text}}
}

// lifecycle projects the events that begin and end threads and turns. Each turn that
// started ends with exactly one of response, error and the status "Interrupted". An observed
// one may end with the status "Completed" instead, and then have a response all the same.
func lifecycle(e session.Event, head func(string) frameHead) []Frame {
	status := func(message string, state session.State, id string) []Frame {
		return []Frame{{"status", statusFrame{head("status"), message, state, id, Interruption{}}}}
	}
	switch b := e.Body.(type) {
	case session.ThreadOpened:
		return status("Thread opened", "", "")
	case session.TurnQueued:
		return status("Waiting for the turn before it", session.Queued, b.Message)
	case session.TurnStarted:
		begins := thinkingFrame{
			frameHead: head("thinking"), Message: safety.Literal("Thinking…"), MessageID: b.Message,
			Input: orNull(b.Input), Asked: askedInfo(b.Asked), Workflow: workflowInfo(b.Workflow),
		}
		return []Frame{{"thinking", begins}}
	case session.TurnCompleted:
		return completed(b, head)
	case session.Answered:
		return answered(b, head)
	case session.TurnFailed:
		return []Frame{{"error", errorFrame{head("error"), b.Error, stopInfo(b.Stop)}}}
	case session.TurnInterrupted:
		if !b.Restart {
			return status("Interrupted", session.Interrupted, "")
		}
		f := statusFrame{frameHead: head("status"), State: session.Interrupted}
		f.Message = "Interrupted: the server restarted"
		f.Interruption = Interruption{"restart", timeOrNull(cmp.Or(b.Heard, e.At))}
		return []Frame{{"status", f}}
	case session.Dropped:
		return []Frame{{"dropped", dropped(e, b)}}
	case session.Erased:
		return []Frame{{"thread_deleted", threadDeletedFrame{head("thread_deleted"), b.Expired}}}
	}
	return nil
}

// toolStarted tells why a tool is being called.
func toolStarted(c session.Call, head func(string) frameHead) Frame {
	return Frame{"tool_started", toolStartedFrame{
		head("tool_started"), c.Tool, orNull(c.To), c.ID, orNull(c.Before), c.Rationale.Text, c.Rationale.Source,
		c.Group, brief.Object(c.Params), confident(c),
	}}
}

// toolReturned tells first that the call completed, so that clients can show its
// outcome, then what it returned, if anything.
func toolReturned(t session.Turn, b session.ToolReturned, head func(string) frameHead) []Frame {
	c, _ := t.Call(b.Call)
	done := toolCompletedFrame{
		head("tool_completed"), c.Tool, b.Call, b.Outcome == session.Success, b.Outcome, brief.Outcome(c),
		orNull(b.Error), b.Took.Milliseconds(), c.Decides, truncate(c.Decision(), maxPreview), "",
	}
	if c.Decides {
		done.Value = truncate(c.Approval.Said(), maxPreview)
	}
	frames := []Frame{{"tool_completed", done}}
	if !b.Result.Null() {
		preview := truncate(string(b.Result.Raw()), maxPreview)
		frames = append(frames, Frame{"tool_result", toolResultFrame{
			head("tool_result"), c.Tool, b.Call, preview, brief.Shape(b.Result),
		}})
	}
	return frames
}

// reasoningUpdate lists every decision of the turn so far, without parameters.
func reasoningUpdate(t session.Turn, head frameHead) Frame {
	text, _ := t.Narrative()
	data := reasoningUpdateFrame{
		frameHead: head, Narrative: orNull(text), NarrativeBlocked: narrativeBlocked(t.Steps),
		ToolDecisions: []ToolDecisionPayload{}, Cost: t.Spent.Words(),
		StepStops: stepStops(t),
	}
	for c := range t.Calls() {
		data.ToolDecisions = append(data.ToolDecisions, decisionPayload(c))
	}
	return Frame{"reasoning_update", data}
}

// ChatEvents has a value of the data of each event of the chat stream, by the event's name, for
// descriptions of the API. Streams also have those of [JobsEvents].
func ChatEvents() map[string]any {
	return map[string]any{
		"status": statusFrame{}, "thinking": thinkingFrame{}, "tool_started": toolStartedFrame{},
		"tool_completed": toolCompletedFrame{}, "tool_result": toolResultFrame{},
		"reasoning_update": reasoningUpdateFrame{}, "approval_needed": approvalNeededFrame{},
		"approval_answered": approvalAnsweredFrame{}, "handoff": handoffFrame{}, "step_text": stepTextFrame{},
		"response": responseFrame{}, "error": errorFrame{}, "note": noteFrame{}, "conclusion": conclusionFrame{},
		"dropped": droppedFrame{}, "thread_deleted": threadDeletedFrame{},
		"decision_rated": decisionRatedFrame{}, "sealed_reasoning": sealedFrame{},
	}
}

// JobsEvents has a value of the data of each event of a job, by the event's name.
func JobsEvents() map[string]any {
	return map[string]any{
		"job_started": jobStartedFrame{}, "job_message": jobMessageFrame{}, "job_tool_use": jobToolUseFrame{},
		"job_tool_result": jobToolResultFrame{}, "job_reasoning": jobReasoningFrame{},
		"job_status": jobStatusFrame{}, "job_result": jobResultFrame{}, "job_deleted": jobDeletedFrame{},
	}
}

// The frames that tell what is there no more.
type (
	// droppedFrame tells what was dropped from memory to make room: the first turns of threads
	// and the first runs of jobs. A client that shows them fetches them anew.
	droppedFrame struct {
		Type      string         `json:"type"`
		SessionID string         `json:"session_id"`
		At        time.Time      `json:"at"`
		Threads   []droppedTurns `json:"threads"`
		Jobs      []droppedRuns  `json:"jobs"`
	}
	// droppedTurns says how many of the thread's turns are gone, of all that it had.
	droppedTurns struct {
		ThreadID string `json:"thread_id"`
		Turns    int    `json:"turns"`
	}
	// droppedRuns says how many of the job's runs are gone. Whole says that the job is.
	droppedRuns struct {
		JobID string `json:"job_id"`
		Runs  int    `json:"runs"`
		Whole bool   `json:"whole,omitempty"`
	}
	// threadDeletedFrame tells that the thread is gone, and all its turns. Expired says that the server
	// deleted it because of its age, and not its user.
	threadDeletedFrame struct {
		frameHead
		Expired bool `json:"expired,omitempty"`
	}
)

func dropped(e session.Event, b session.Dropped) droppedFrame {
	f := droppedFrame{"dropped", e.Session, e.At, []droppedTurns{}, []droppedRuns{}}
	for _, t := range b.Threads {
		f.Threads = append(f.Threads, droppedTurns{t.Thread, t.Turns})
	}
	for _, j := range b.Jobs {
		f.Jobs = append(f.Jobs, droppedRuns{j.Job, j.Runs, j.Whole})
	}
	return f
}
