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

// deleteThread handles DELETE /api/chat/threads/:id: the thread and its turns are gone for good, and every
// stream says so. It answers 204, or 202 if the storage has yet to be cleared.
//
// Errors: no_thread; turn_open while a turn of the thread runs or waits; storage_failed.
func (s *Server) deleteThread(c echo.Context, own *session.Session) error {
	if err := own.EraseThread(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// maxThreads is how many threads one page of the list has.
const maxThreads = 200

// ThreadList is a page of a user's threads, the most recently used first: the answer to GET
// /api/chat/threads. ActiveThread is the thread that a message without a thread_id goes to, null
// if there is none. For the page after it, send the updated_at of its last thread as before.
type ThreadList struct {
	Threads      []view.ThreadInfo `json:"threads"` // never null
	ActiveThread *string           `json:"active_thread"`
	HasMore      bool              `json:"has_more,omitempty"`
}

// threads handles GET /api/chat/threads?before=. It answers with a [ThreadList] of those that
// were last used before that time.
//
// Errors: bad_cursor unless before is a time of RFC 3339.
func (s *Server) threads(c echo.Context, own *session.Session) error {
	before, err := BeforeParam(c.Request())
	if err != nil {
		return err
	}
	out := ThreadList{Threads: []view.ThreadInfo{}}
	for _, t := range own.Threads() {
		if !before.IsZero() && !t.UpdatedAt.Before(before) {
			continue
		}
		if out.HasMore = len(out.Threads) == maxThreads; out.HasMore {
			break
		}
		out.Threads = append(out.Threads, view.Thread(t))
	}
	if id := own.Active(); id != "" {
		out.ActiveThread = &id
	}
	return c.JSON(http.StatusOK, out)
}
