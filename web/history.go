package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"candor/session"
)

// How many turns a page of history has: by default, and at most.
const (
	defaultPage = 50
	maxPage     = 200
)

// HistoryResponse is the answer of GET /api/chat/history, oldest turn first. To
// read on, ask again with before set to OldestTimestamp.
type HistoryResponse struct {
	ThreadID         string            `json:"thread_id"`
	Turns            []TurnInfo        `json:"turns"`
	HasMore          bool              `json:"has_more"`
	OldestTimestamp  *time.Time        `json:"oldest_timestamp,omitempty"`
	PendingApprovals []PendingApproval `json:"pending_approvals,omitempty"`
	EventID          string            `json:"event_id"` // the stream's place: events after it are not in this answer
}

// history: GET /api/chat/history?thread_id=&limit=&before=&render=.
func (s *Server) history(c echo.Context) error {
	page, err := pageOf(c)
	if err != nil {
		return err
	}
	render, err := rendererOf(c)
	if err != nil {
		return err
	}
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	id := cmp.Or(c.QueryParam("thread_id"), own.Active())
	// Read before the turns: an event between the two is then seen twice, not never.
	head := Cursor{Session: own.ID(), Seq: own.Head()}
	h, err := own.History(id, page)
	if err != nil {
		return err
	}
	out := HistoryResponse{ThreadID: h.Thread, Turns: make([]TurnInfo, 0, len(h.Turns)), HasMore: h.HasMore, EventID: head.String()}
	out.PendingApprovals = pendingApprovals(h.Turns)
	for _, t := range h.Turns {
		out.Turns = append(out.Turns, turnInfo(t))
	}
	for i := range slices.Backward(out.Turns) { // the newest first, should the budget not last
		render.turn(&out.Turns[i])
	}
	if len(h.Turns) > 0 {
		out.OldestTimestamp = &h.Turns[0].CreatedAt
	}
	return c.JSON(http.StatusOK, out)
}

func pageOf(c echo.Context) (session.Page, error) {
	p := session.Page{Limit: defaultPage}
	if raw := c.QueryParam("limit"); raw != "" {
		n, err := strconv.Atoi(raw)
		if err != nil || n < 1 || n > maxPage {
			return p, problem(http.StatusBadRequest, "bad_limit", "limit has to be a whole number from 1 to 200.").
				with("min", 1).with("max", maxPage)
		}
		p.Limit = n
	}
	if raw := c.QueryParam("before"); raw != "" {
		at, err := time.Parse(time.RFC3339Nano, raw)
		if err != nil {
			return p, problem(http.StatusBadRequest, "bad_cursor",
				"before has to be a time such as 2026-02-21T10:00:00Z. Use oldest_timestamp of the page you have.")
		}
		p.Before = at
	}
	return p, nil
}
