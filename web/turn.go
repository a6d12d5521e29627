package web

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"

	"candor/safety"
	"candor/session"
	"candor/session/export"
)

// TurnDetail is a turn with the whole of every call's result, and where it is.
type TurnDetail struct {
	SessionID string `json:"session_id"`
	ThreadID  string `json:"thread_id"`
	TurnInfo
	ToolCalls        []ToolCallDetail  `json:"tool_calls"`
	PendingApprovals []PendingApproval `json:"pending_approvals,omitempty"`
}

// ToolCallDetail is a call with the whole of its result.
type ToolCallDetail struct {
	ToolCallInfo
	Result *safety.JSON `json:"result,omitempty"`
}

// turn: GET /api/chat/turn?thread_id=&turn=&render=, one turn with full results.
func (s *Server) turn(c echo.Context) error {
	render, err := rendererOf(c)
	if err != nil {
		return err
	}
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	id := cmp.Or(c.QueryParam("thread_id"), own.Active())
	t, err := turnParam(c, own, id)
	if err != nil {
		return err
	}
	d := turnDetail(t)
	render.turn(&d.TurnInfo)
	return c.JSON(http.StatusOK, d)
}

func turnDetail(t session.Turn) TurnDetail {
	d := TurnDetail{
		SessionID: t.Session, ThreadID: t.Thread, TurnInfo: turnInfo(t), ToolCalls: []ToolCallDetail{},
		PendingApprovals: pendingApprovals([]session.Turn{t}),
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

// omit takes out what an export is to be without.
func (d *TurnDetail) omit(o export.Omit) {
	if o.Results {
		for i := range d.ToolCalls {
			d.ToolCalls[i].Result = nil
		}
	}
	if d.Reasoning != nil && o.Parameters {
		for i := range d.Reasoning.ToolDecisions {
			d.Reasoning.ToolDecisions[i].Parameters = safety.JSON{}
		}
	}
	if o.Reasoning {
		d.Reasoning = nil
	}
}
