package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/web/problem"
	"candor/web/sse"
	"candor/web/view"
)

// The number of turns on a page of history.
const (
	defaultPage = 50
	maxPage     = 200
)

// HistoryResponse is the answer to GET /api/chat/history, oldest turn first. For the
// page before it, send OldestTimestamp as before.
type HistoryResponse struct {
	ThreadID         string                 `json:"thread_id"`
	Turns            []view.TurnInfo        `json:"turns"` // never null
	HasMore          bool                   `json:"has_more"`
	OldestTimestamp  *time.Time             `json:"oldest_timestamp,omitempty"`
	DroppedTurns     int                    `json:"dropped_turns,omitempty"` // the oldest, gone from memory
	PendingApprovals []view.PendingApproval `json:"pending_approvals,omitempty"`
	EventID          string                 `json:"event_id"` // resume the stream from here
}

// history handles GET /api/chat/history?thread_id=&limit=&before=&render=. It answers with
// a [HistoryResponse]: the newest turns created before that time, at most limit of them and
// [view.MaxPage] bytes. Pending approvals are those of as many turns as limit says.
// The thread defaults to the one used last.
//
// Errors: bad_limit unless limit is 1 to 200; bad_cursor unless before is a time of
// RFC 3339; bad_render; no_thread, also if the caller has no thread at all.
func (s *Server) history(c echo.Context, own *session.Session) error {
	page, err := pageOf(c)
	if err != nil {
		return err
	}
	render, err := ReadRender(c.Request())
	if err != nil {
		return err
	}
	id := cmp.Or(c.QueryParam("thread_id"), own.Active())
	h, err := own.History(id, page)
	if err != nil {
		return err
	}
	out := HistoryResponse{
		ThreadID: h.Thread, Turns: make([]view.TurnInfo, 0, len(h.Turns)), HasMore: h.HasMore, DroppedTurns: h.Dropped,
		PendingApprovals: view.PendingApprovals(h.Turns),
		EventID:          sse.Cursor{Session: own.ID(), Seq: h.Head}.String(),
	}
	if fit := view.Newest(len(h.Turns), func(i int) int { return view.TurnSize(h.Turns[i]) }); fit < len(h.Turns) {
		h.Turns, out.HasMore = h.Turns[len(h.Turns)-fit:], true
	}
	for _, t := range h.Turns {
		out.Turns = append(out.Turns, view.Turn(t))
	}
	for i := range slices.Backward(out.Turns) { // newest first, in case the budget runs out
		render.Turn(&out.Turns[i])
	}
	if len(h.Turns) > 0 {
		out.OldestTimestamp = &h.Turns[0].CreatedAt
	}
	return c.JSON(http.StatusOK, out)
}

// pageOf parses ?limit= and ?before=.
func pageOf(c echo.Context) (session.Page, error) {
	p := session.Page{Limit: defaultPage}
	if raw := c.QueryParam("limit"); raw != "" {
		n, err := strconv.Atoi(raw)
		if err != nil || n < 1 || n > maxPage {
			return p, problem.New(http.StatusBadRequest, "bad_limit", "limit has to be a whole number from 1 to 200.").
				With("min", 1).With("max", maxPage)
		}
		p.Limit = n
	}
	var err error
	p.Before, err = BeforeParam(c.Request())
	return p, err
}

// BeforeParam parses ?before=, the time before which a page ends; the zero time if it is absent.
// Its error is the problem bad_cursor.
func BeforeParam(r *http.Request) (at time.Time, err error) {
	raw := r.URL.Query().Get("before")
	if raw == "" {
		return at, nil
	}
	if at, err = time.Parse(time.RFC3339Nano, raw); err != nil {
		return at, problem.New(http.StatusBadRequest, "bad_cursor",
			"before has to be a time such as 2026-02-21T10:00:00Z, from the previous page.")
	}
	return at, nil
}

// ReadRender returns the renderer that a request asks for with ?render=html; without it,
// one that adds nothing. Its error is the problem bad_render.
func ReadRender(r *http.Request) (*view.Renderer, error) {
	switch r.URL.Query().Get("render") {
	case "":
		return &view.Renderer{}, nil
	case "html":
		return view.NewRenderer(), nil
	}
	return nil, problem.New(http.StatusBadRequest, "bad_render", "render has to be html, or be left out.")
}
