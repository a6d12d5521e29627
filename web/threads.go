package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"candor/session"
)

// ThreadInfo describes a conversation.
type ThreadInfo struct {
	ID        string    `json:"id"`
	State     string    `json:"state"` // idle or processing
	TurnCount int       `json:"turn_count"`
	Title     string    `json:"title,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// maxTitle is how many characters of the first message name a thread.
const maxTitle = 80

func threadInfo(t session.Thread) ThreadInfo {
	state := "idle"
	if t.State == session.Processing {
		state = "processing"
	}
	return ThreadInfo{
		ID: t.ID, State: state, TurnCount: t.Turns, Title: cut(t.Title.String(), maxTitle),
		CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt,
	}
}

// newThread: POST /api/chat/thread/new.
func (s *Server) newThread(c echo.Context) error {
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	e, err := own.OpenThread()
	if err != nil {
		return err
	}
	t, err := own.Thread(e.Thread)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, threadInfo(t))
}

// threads: GET /api/chat/threads, the one used last first.
func (s *Server) threads(c echo.Context) error {
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	list := []ThreadInfo{}
	for _, t := range own.Threads() {
		list = append(list, threadInfo(t))
	}
	var active *string
	if id := own.Active(); id != "" {
		active = &id
	}
	return c.JSON(http.StatusOK, map[string]any{"threads": list, "active_thread": active})
}

// cut shortens text to a number of characters, marking that it did.
func cut(text string, max int) string {
	if len(text) <= max {
		return text
	}
	n := 0
	for i := range text {
		if n++; n > max {
			return text[:i] + "…"
		}
	}
	return text
}
