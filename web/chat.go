package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"candor/session"
)

// SendRequest is the body of POST /api/chat/send. An empty ThreadID means the
// thread used last, or a new one.
type SendRequest struct {
	Content  string `json:"content"`
	ThreadID string `json:"thread_id"`
}

// SendResponse says which turn the message became. ThreadID is the canonical id
// that every event of the turn carries.
type SendResponse struct {
	MessageID  string        `json:"message_id"`
	SessionID  string        `json:"session_id"`
	ThreadID   string        `json:"thread_id"`
	TurnNumber int           `json:"turn_number"`
	Status     string        `json:"status"` // always "accepted"
	State      session.State `json:"state"`  // processing, or queued behind another turn
}

// send: POST /api/chat/send.
func (s *Server) send(c echo.Context) error {
	var in SendRequest
	if err := decode(c, &in); err != nil {
		return err
	}
	if strings.TrimSpace(in.Content) == "" {
		return problem(http.StatusBadRequest, "empty_content", "content is missing or blank. Say something to the agent.")
	}
	e, err := s.Chat.Send(c.Request().Context(), userOf(c), in.ThreadID, in.Content)
	if err != nil {
		return err
	}
	out := SendResponse{SessionID: e.Session, ThreadID: e.Thread, TurnNumber: e.Turn, Status: "accepted"}
	switch b := e.Body.(type) {
	case session.TurnStarted:
		out.MessageID, out.State = b.Message, session.Processing
	case session.TurnQueued:
		out.MessageID, out.State = b.Message, session.Queued
	}
	return c.JSON(http.StatusAccepted, out)
}

// interrupt: POST /api/chat/interrupt.
func (s *Server) interrupt(c echo.Context) error {
	var in struct {
		ThreadID string `json:"thread_id"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	ref, err := s.Chat.Interrupt(c.Request().Context(), userOf(c), in.ThreadID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, map[string]any{
		"status": "interrupting", "thread_id": ref.Thread, "turn_number": ref.Turn,
	})
}

// decode reads one JSON object from the body into v. It refuses what it would
// have to guess at.
func decode(c echo.Context, v any) error {
	kind, _, err := mime.ParseMediaType(c.Request().Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return problem(http.StatusUnsupportedMediaType, "not_json", "Send a JSON object with Content-Type: application/json.")
	}
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		if _, ok := errors.AsType[*echo.HTTPError](err); ok {
			return err
		}
		return problem(http.StatusBadRequest, "body_unreadable", "The body broke off before its end. Send it again.")
	}
	switch {
	case len(body) == 0:
		return problem(http.StatusBadRequest, "empty_body", "The body is empty. Send a JSON object.")
	case !utf8.Valid(body):
		return problem(http.StatusBadRequest, "invalid_utf8", "The body is not valid UTF-8.")
	}
	if err := json.Unmarshal(body, v); err != nil {
		return badJSON(err)
	}
	return nil
}

// badJSON says where a body went wrong, without repeating any of it.
func badJSON(err error) *Problem {
	p := problem(http.StatusBadRequest, "invalid_json", "The body is not a JSON object of the expected form.")
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return p.with("offset", syntax.Offset)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return p.with("offset", wrong.Offset).with("expected", wrong.Type.String())
	}
	return p
}
