package web

import (
	"bytes"
	"encoding/json"
	"fmt"
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

	// Value is another decision than the agent's, beside approve, for a call that is a decision;
	// or why the call is denied, beside deny, as a string that the model gets to read. It is JSON
	// of at most maxValue bytes, and may be absent.
	Value json.RawMessage `json:"value"`
}

// maxValue bounds what a person says beside an answer, in bytes of JSON.
const maxValue = 4096

// approval handles POST /api/chat/approval. It answers 202 with the turn of the call as
// soon as the answer is in the log; whether the call then succeeds is shown by the stream.
//
// Errors: bad_action if the action is not one of the three; bad_value if there is a value where
// none is taken, a long one, or beside deny one that is no string; no_approval if the caller has
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
	if err := s.checkValue(c, &in); err != nil {
		return err
	}
	ref, err := s.options.Chat.Answer(c.Request().Context(), callerOf(c).User, in.RequestID, in.Action, in.Value)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, TurnAnswer{"accepted", ref.Thread, ref.Turn})
}

// ApprovalEdit is the body of POST /api/chat/approval/edit. It has a route of its own: a server that
// does not know it must not take it for an approval of the arguments as they were.
type ApprovalEdit struct {
	RequestID string         `json:"request_id"` // of an approval_needed event
	Action    session.Answer `json:"action"`     // approve, or always, which allows the tool and not the change

	// Arguments are the parameters of the approval_needed event as the person changed them. A mask in
	// them stands for its secret where it was, and nowhere else.
	Arguments json.RawMessage `json:"arguments"`
}

// approvalEdit handles POST /api/chat/approval/edit. It answers as POST /api/chat/approval does; the
// tool then runs with the changed arguments.
//
// Errors, after each of which the request is still open: bad_action if the action is neither approve
// nor always; bad_arguments if the tool does not take the arguments; denied_arguments if the
// policy does not allow them; no_edit if those of this call cannot be changed; and no_approval and
// not_always as above.
func (s *Server) approvalEdit(c echo.Context) error {
	var in ApprovalEdit
	if err := problem.Decode(c.Request(), &in); err != nil {
		return err
	}
	if !in.Action.Allows() {
		return problem.New(http.StatusBadRequest, "bad_action",
			"action has to be approve or always. A call that is denied needs no arguments.")
	}
	ref, err := s.options.Edit(c.Request().Context(), callerOf(c).User, in.RequestID, in.Action, in.Arguments)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, TurnAnswer{"accepted", ref.Thread, ref.Turn})
}

// editProblem returns the answer to changed arguments that were not taken. Its words are cleaned.
func editProblem(e *session.EditError) *problem.Problem {
	if e.Denied {
		return problem.New(http.StatusUnprocessableEntity, "denied_arguments",
			"The rules do not allow this call with these arguments: "+e.Reason.String()+
				". Change them, or deny the call.")
	}
	return problem.New(http.StatusUnprocessableEntity, "bad_arguments",
		"The arguments were refused: "+e.Reason.String()+". Change them, or deny the call.")
}

// checkValue refuses a value that the call would not take. A value of null is none.
func (s *Server) checkValue(c echo.Context, in *ApprovalRequest) error {
	if in.Value = bytes.TrimSpace(in.Value); len(in.Value) == 0 || string(in.Value) == "null" {
		in.Value = nil
		return nil
	}
	bad := func(why string) error { return problem.New(http.StatusBadRequest, "bad_value", why) }
	switch {
	case in.Action == session.Always:
		return bad("value goes with approve or deny. Leave it out, or approve with it.")
	case len(in.Value) > maxValue:
		return bad(fmt.Sprintf("value is longer than %d bytes. Shorten it.", maxValue))
	case in.Action == session.Deny && in.Value[0] != '"':
		return bad("value beside deny says why, so it has to be a string. Leave it out, or say why.")
	case in.Action == session.Deny:
		return nil
	}
	own, err := s.options.Store.Open(c.Request().Context(), callerOf(c).User)
	if err != nil {
		return err
	}
	if call, open := openRequest(own, in.RequestID); open && !call.Decides {
		return bad("value is another decision, and this call is none. Leave it out, or deny the call.")
	}
	return nil
}

// openRequest returns the call that an open request is about, and whether there is one.
func openRequest(own *session.Session, request string) (session.Call, bool) {
	for _, t := range own.Threads() {
		if t.State != session.Processing {
			continue
		}
		h, err := own.History(t.ID, session.Page{Limit: session.MaxWaiting + 2})
		if err != nil {
			continue // it was dropped in the meantime
		}
		for _, turn := range h.Turns {
			for call := range turn.Calls() {
				if a := call.Approval; a != nil && a.Request == request && a.Answer == "" {
					return call, true
				}
			}
		}
	}
	return session.Call{}, false
}
