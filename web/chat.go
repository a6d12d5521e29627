package web

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/web/problem"
)

// SendRequest is the body of POST /api/chat/send. An empty ThreadID means the
// thread that was used last, or a new one if there is none.
type SendRequest struct {
	Content  string `json:"content"`
	ThreadID string `json:"thread_id"`
}

// SendResponse says which turn the message became. ThreadID is the id that every
// event of the turn carries.
type SendResponse struct {
	MessageID  string        `json:"message_id"`
	SessionID  string        `json:"session_id"`
	ThreadID   string        `json:"thread_id"`
	TurnNumber int           `json:"turn_number"`
	Status     string        `json:"status"` // "accepted"
	State      session.State `json:"state"`  // processing, or queued behind another turn
}

// CommandResponse answers a message that was a command, such as /reasoning 2. The message
// became no turn.
type CommandResponse struct {
	SessionID string `json:"session_id"`
	ThreadID  string `json:"thread_id"` // empty if the user has no thread
	Status    string `json:"status"`    // "answered"
	Content   string `json:"content"`   // plain text of several lines
}

// send handles POST /api/chat/send. It answers 202 with a [SendResponse] once the message
// is in the log and does not wait for the turn, whose events the stream shows. A command
// is answered with 200 and a [CommandResponse]; it reaches neither the model nor the log.
//
// Errors: empty_content if the message is blank; no_thread; thread_busy if a turn runs and
// as many messages wait as the thread holds; rate_limited; shutting_down.
func (s *Server) send(c echo.Context) error {
	var in SendRequest
	if err := problem.Decode(c.Request(), &in); err != nil {
		return err
	}
	if strings.TrimSpace(in.Content) == "" {
		return problem.New(http.StatusBadRequest, "empty_content",
			"content is missing or blank. Write a message to the agent.")
	}
	answer, err := s.command(c, in)
	if err != nil {
		return err
	}
	if answer != nil {
		return c.JSON(http.StatusOK, answer)
	}
	e, err := s.options.Chat.Send(c.Request().Context(), callerOf(c).User, in.ThreadID, in.Content)
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

// command answers a message that is a command. It returns nil for every other message. A command is no turn: one would
// take a number, so that /reasoning 3 after /reasoning 2 meant another turn than a person counts, and it would be in
// what the model sees. Nor is it an event, which every client of the session and every replay would be shown.
func (s *Server) command(c echo.Context, in SendRequest) (*CommandResponse, error) {
	if s.options.Command == nil || !strings.HasPrefix(strings.TrimSpace(in.Content), "/") {
		return nil, nil
	}
	own, err := s.options.Store.Open(c.Request().Context(), callerOf(c).User)
	if err != nil {
		return nil, err
	}
	thread := cmp.Or(in.ThreadID, own.Active())
	answer, ok, err := s.options.Command(own, thread, in.Content)
	if err != nil || !ok {
		return nil, err
	}
	return &CommandResponse{
		SessionID: own.ID(), ThreadID: thread, Status: "answered", Content: strings.TrimRight(answer, "\n"),
	}, nil
}

// interrupt handles POST /api/chat/interrupt {thread_id}. It answers 202 with the turn that
// is being stopped; the stream shows when it has ended. Messages that wait behind the turn
// are interrupted with it.
//
// Errors: no_thread; not_running if the thread has no running turn.
func (s *Server) interrupt(c echo.Context) error {
	var in interruptRequest
	if err := problem.Decode(c.Request(), &in); err != nil {
		return err
	}
	ref, err := s.options.Chat.Interrupt(c.Request().Context(), callerOf(c).User, in.ThreadID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, TurnAnswer{"interrupting", ref.Thread, ref.Turn})
}
