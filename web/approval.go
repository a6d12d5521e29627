package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/web/problem"
)

// ApprovalRequest is the body of POST /api/chat/approval. The first answer to a request
// counts.
type ApprovalRequest struct {
	RequestID string         `json:"request_id"` // of an approval_needed event
	Action    session.Answer `json:"action"`     // approve, always or deny
}

// approval handles POST /api/chat/approval. It answers 202 with the turn of the call as
// soon as the answer is in the log; whether the call then succeeds is shown by the stream.
//
// Errors: bad_action if the action is not one of the three; no_approval if the caller has
// no such request open, also if it was answered or its turn has ended; not_always if the
// tool must be approved each time.
func (s *Server) approval(c echo.Context) error {
	var in ApprovalRequest
	if err := problem.Decode(c.Request(), &in); err != nil {
		return err
	}
	switch in.Action {
	case session.Approve, session.Always, session.Deny:
	default:
		return problem.New(http.StatusBadRequest, "bad_action", "action has to be approve, always or deny.")
	}
	ref, err := s.options.Chat.Approve(c.Request().Context(), callerOf(c).User, in.RequestID, in.Action)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, map[string]any{
		"status": "accepted", "thread_id": ref.Thread, "turn_number": ref.Turn,
	})
}
