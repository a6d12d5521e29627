package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/web/view"
)

// newThread handles POST /api/chat/thread/new. It answers 201 with a [view.ThreadInfo] of
// the new thread, and counts as a message against the caller's limit per minute.
func (s *Server) newThread(c echo.Context, own *session.Session) error {
	e, err := own.OpenThread()
	if err != nil {
		return err
	}
	t, err := own.Thread(e.Thread)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, view.Thread(t))
}

// threads handles GET /api/chat/threads, most recently used first. active_thread is the
// thread that a message without a thread_id goes to, null if the caller has none.
func (s *Server) threads(c echo.Context, own *session.Session) error {
	list := []view.ThreadInfo{}
	for _, t := range own.Threads() {
		list = append(list, view.Thread(t))
	}
	var active *string
	if id := own.Active(); id != "" {
		active = &id
	}
	return c.JSON(http.StatusOK, map[string]any{"threads": list, "active_thread": active})
}
