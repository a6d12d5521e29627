package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

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

// Rater records what users think of decisions.
type Rater interface {
	// Rate records a rating of a call, with a note in the user's words, which may be empty.
	Rate(
		ctx context.Context, user string, turn session.Ref, call string, rating session.Rating, note string,
	) error
}

// FeedbackRequest is the body of POST /api/chat/feedback. The latest rating of a decision stands.
type FeedbackRequest struct {
	ThreadID   string         `json:"thread_id"`
	TurnNumber int            `json:"turn_number"`
	CallID     string         `json:"call_id"`
	Rating     session.Rating `json:"rating"` // good, bad, or none, which withdraws the one before
	Note       string         `json:"note"`   // why, of at most maxNote characters; may be absent
}

// FeedbackResponse says that a rating is recorded, and of which decision.
type FeedbackResponse struct {
	CallID     string         `json:"call_id"`
	Rating     session.Rating `json:"rating"`
	Status     string         `json:"status"` // recorded
	ThreadID   string         `json:"thread_id"`
	TurnNumber int            `json:"turn_number"`
}

// maxNote bounds the note beside a rating, in characters.
const maxNote = 500

// feedback handles POST /api/chat/feedback. It answers 200 once the rating is in the log; the
// stream and the history show it. A turn may be rated while it runs and after it has ended.
//
// Errors: bad_rating if the rating is not one of the three; bad_note if the note is too long, or
// beside none; no_thread, no_turn, no_call; turn_dropped; too_many_ratings.
func (s *Server) feedback(c echo.Context) error {
	var in FeedbackRequest
	if err := problem.Decode(c.Request(), &in); err != nil {
		return err
	}
	in.Note = strings.TrimSpace(in.Note)
	if err := in.check(); err != nil {
		return err
	}
	ref := session.Ref{Thread: in.ThreadID, Turn: in.TurnNumber}
	err := s.options.Feedback.Rate(c.Request().Context(), callerOf(c).User, ref, in.CallID, in.Rating, in.Note)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, FeedbackResponse{in.CallID, in.Rating, "recorded", in.ThreadID, in.TurnNumber})
}

// check refuses a rating that nobody could read.
func (in FeedbackRequest) check() error {
	switch {
	case !in.Rating.Known():
		return problem.New(http.StatusBadRequest, "bad_rating", "rating has to be good, bad or none.")
	case in.Rating == session.Unrated && in.Note != "":
		return problem.New(http.StatusBadRequest, "bad_note",
			"A note needs the rating good or bad. Leave it out to withdraw the rating, or rate the decision.")
	case utf8.RuneCountInString(in.Note) > maxNote:
		return problem.New(http.StatusBadRequest, "bad_note",
			fmt.Sprintf("note is longer than %d characters. Shorten it.", maxNote)).
			With("max_characters", maxNote)
	}
	return nil
}
