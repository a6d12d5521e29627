package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/web/problem"
)

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
