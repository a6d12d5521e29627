package view

import (
	"time"

	"candor/safety"
	"candor/session"
	"candor/session/brief"
)

// ToolCallInfo describes a call without its rationale and parameters, of which Object is the key
// one in a line. Line is what came of the call. Package session/brief chooses both. Inferred says that
// a worker named no call for the result, and that the tool's name and the order of events
// decided whose it is. ApartMS is for calls that nobody timed: the time between the server's
// receipt of the report that the call began and of the one that it ended.
type ToolCallInfo struct {
	CallID        string             `json:"call_id"`
	Name          safety.Text        `json:"name"`
	To            *safety.Text       `json:"to,omitempty"` // who runs the tool, if another participant does
	Object        brief.Line         `json:"object,omitzero"`
	Line          brief.Line         `json:"outcome_line,omitzero"`
	HasResult     bool               `json:"has_result"`
	HasError      bool               `json:"has_error"`
	ResultPreview string             `json:"result_preview,omitempty"` // at most maxPreview characters
	ResultSize    int                `json:"result_size,omitempty"`    // of the complete result, in bytes
	ResultShape   *brief.ResultShape `json:"result_shape,omitempty"`
	Error         *safety.Text       `json:"error,omitempty"`
	StartedAt     *time.Time         `json:"started_at"`  // null if a worker did not say
	DurationMS    *int64             `json:"duration_ms"` // null while it runs, or if a worker did not say
	ApartMS       int64              `json:"apart_ms,omitempty"`
	WaitedMS      int64              `json:"waited_ms,omitempty"` // for a person, from its start until it was answered
	Inferred      bool               `json:"inferred,omitempty"`
}

// toolCallInfo describes a call. One that is pending, or that nobody timed, has no duration.
func toolCallInfo(c session.Call) ToolCallInfo {
	info := ToolCallInfo{
		CallID: c.ID, Name: c.Tool, To: orNull(c.To), Object: brief.Object(c.Arguments()), Line: brief.Outcome(c),
		HasResult: !c.Result.Null(),
		HasError:  !c.Error.Empty(), Error: orNull(c.Error),
		StartedAt: timeOrNull(c.StartedAt), Inferred: c.ResultInferred, ApartMS: c.Apart.Milliseconds(),
	}
	if info.HasResult {
		info.ResultSize, info.ResultShape = len(c.Result.Raw()), brief.Shape(c.Result)
		info.ResultPreview = truncate(string(c.Result.Raw()), maxPreview)
	}
	if c.Approval != nil && !c.Approval.AnsweredAt.IsZero() {
		info.WaitedMS = max(0, c.Approval.AnsweredAt.Sub(c.StartedAt).Milliseconds())
	}
	if c.Outcome != session.Pending && !c.Untimed {
		info.DurationMS = new(c.Took.Milliseconds())
	}
	return info
}
