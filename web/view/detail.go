package view

import (
	"io"

	"candor/safety"
	"candor/session"
	"candor/session/brief"
	"candor/session/export"
)

// TurnDetail is a turn with the complete result of every call, and its address. It is the
// answer to GET /api/chat/turn and a line of a JSONL export.
type TurnDetail struct {
	SessionID string `json:"session_id"`
	ThreadID  string `json:"thread_id"` // empty for a job's turn, which has JobID and Run
	JobID     string `json:"job_id,omitempty"`
	Run       int    `json:"run,omitempty"`
	TurnInfo
	ToolCalls        []ToolCallDetail  `json:"tool_calls"` // shadows TurnInfo's
	PendingApprovals []PendingApproval `json:"pending_approvals,omitempty"`
}

// ToolCallDetail is a call with its complete result instead of a preview. Result is absent
// while the call runs, if it returned null, and in an export that omits results.
type ToolCallDetail struct {
	ToolCallInfo
	Result *safety.JSON `json:"result,omitempty"`
}

// Detail describes t with the complete results of its calls, in the order in which the
// calls began. PendingApprovals has those of this turn.
func Detail(t session.Turn) TurnDetail {
	d := TurnDetail{
		SessionID: t.Session, ThreadID: t.Thread, JobID: t.Job, Run: t.Run,
		TurnInfo: Turn(t), ToolCalls: []ToolCallDetail{},
		PendingApprovals: PendingApprovals([]session.Turn{t}),
	}
	for c := range t.Calls() {
		call := ToolCallDetail{ToolCallInfo: toolCallInfo(c)}
		if !c.Result.Null() {
			call.Result, call.ResultPreview = &c.Result, ""
		}
		d.ToolCalls = append(d.ToolCalls, call)
	}
	return d
}

// JSONLines writes a document as JSON Lines: one turn per line, each as [Detail]
// describes it, without what the document omits.
func JSONLines(w io.Writer, doc export.Document) error {
	for _, t := range doc.Turns {
		d := Detail(t)
		d.omit(doc.Omit)
		line, err := safety.Marshal(d)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// omit removes the parts that an export leaves out.
func (d *TurnDetail) omit(o export.Omit) {
	for i := range d.ToolCalls {
		c := &d.ToolCalls[i]
		if o.Results {
			c.Result, c.Line = nil, brief.Line{}
		}
		if o.Parameters || o.Reasoning {
			c.Object = brief.Line{}
		}
	}
	if d.Reasoning != nil && o.Parameters {
		for i := range d.Reasoning.ToolDecisions {
			c := &d.Reasoning.ToolDecisions[i]
			c.Parameters, c.Decision, c.ApprovalValue = safety.JSON{}, "", ""
			c.EditedInfo.Edited = nil
		}
		for i := range d.PendingApprovals {
			d.PendingApprovals[i].Parameters, d.PendingApprovals[i].Decision = safety.JSON{}, ""
		}
	}
	if o.Reasoning {
		d.Reasoning, d.Answer, d.Sealed, d.StepStops = nil, nil, nil, nil
		d.PendingApprovals = nil // a question repeats the reason
	}
}
