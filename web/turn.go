package web

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/web/view"
)

// turn handles GET /api/chat/turn?thread_id=&turn=&render=: one turn with the
// complete results of its calls, as a [view.TurnDetail]. The thread defaults to the one
// used last.
//
// Errors: bad_turn if turn is not a number; bad_render; no_thread, no_turn.
func (s *Server) turn(c echo.Context, own *session.Session) error {
	render, err := ReadRender(c.Request())
	if err != nil {
		return err
	}
	t, err := turnParam(c, own, cmp.Or(c.QueryParam("thread_id"), own.Active()))
	if err != nil {
		return err
	}
	d := view.Detail(t)
	render.Turn(&d.TurnInfo)
	return c.JSON(http.StatusOK, d)
}
