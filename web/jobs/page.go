package jobs

import (
	"net/http"
	"strconv"

	"candor/session"
	"candor/web/problem"
	"candor/web/sse"
	"candor/web/view"
)

// afterParam parses ?after=, the id of an event; absent means 0.
func afterParam(r *http.Request) (uint64, error) {
	raw := r.URL.Query().Get("after")
	after, err := strconv.ParseUint(raw, 10, 64)
	if raw != "" && err != nil {
		return 0, problem.New(http.StatusBadRequest, "bad_cursor", "after has to be the id of an event of this list.")
	}
	return after, nil
}

// writePage answers with events of the job in the path. more says that the log has
// events after these.
func writePage(w http.ResponseWriter, r *http.Request, events []session.Event, more bool) error {
	page := map[string]any{"job_id": r.PathValue("id"), "events": view.JobEvents(events), "has_more": more}
	if len(events) > 0 {
		last := events[len(events)-1]
		// A stream that resumes from this id continues the list.
		page["event_id"] = sse.Cursor{Session: last.Session, Seq: last.Seq}.String()
	}
	return problem.WriteJSON(w, r, http.StatusOK, page)
}
