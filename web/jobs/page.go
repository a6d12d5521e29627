package jobs

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"

	"candor/session"
	"candor/web"
	"candor/web/problem"
	"candor/web/sse"
	"candor/web/view"
)

// afterParam parses ?after=, the id of an event; absent means 0.
func afterParam(r *http.Request) (uint64, error) {
	raw := r.URL.Query().Get("after")
	after, err := strconv.ParseUint(raw, 10, 64)
	if raw != "" && err != nil {
		return 0, problem.New(http.StatusBadRequest, "bad_cursor", "after has to be the id of an event in this list.")
	}
	return after, nil
}

// writePage answers with the first of these events of the job in the path that fit into a page.
// more says that the log has events after these.
func writePage(w http.ResponseWriter, r *http.Request, events []session.Event, more bool) error {
	if fit := view.First(len(events), func(i int) int { return view.JobEventSize(events[i]) }); fit < len(events) {
		events, more = events[:fit], true
	}
	page := EventPage{JobID: r.PathValue("id"), Events: view.JobEvents(events), HasMore: more}
	if len(events) > 0 {
		last := events[len(events)-1]
		// A stream that resumes from this id continues the list.
		page.EventID = sse.Cursor{Session: last.Session, Seq: last.Seq}.String()
	}
	return problem.WriteJSON(w, r, http.StatusOK, page)
}

// maxJobs is how many jobs one page of the list has.
const maxJobs = 200

// list handles GET /api/jobs?limit=&before=: the newest jobs that were created before that
// time, at most limit of them and [view.MaxPage] bytes.
//
// Errors: bad_limit unless limit is 1 to 200; bad_cursor unless before is a time of RFC 3339.
func (s *Server) list(w http.ResponseWriter, r *http.Request, own *session.Session) error {
	limit, err := limitParam(r, maxJobs)
	if err != nil {
		return err
	}
	before, err := web.BeforeParam(r)
	if err != nil {
		return err
	}
	all := own.Jobs()
	if !before.IsZero() {
		all = slices.DeleteFunc(all, func(j session.Job) bool { return !j.CreatedAt.Before(before) })
	}
	shown := all[:min(limit, view.First(len(all), func(i int) int { return view.JobSize(all[i]) }))]
	out := view.JobList{Jobs: []view.JobInfo{}, HasMore: len(shown) < len(all), DroppedJobs: own.DroppedJobs()}
	for _, j := range shown {
		out.Jobs = append(out.Jobs, s.info(j))
	}
	return problem.WriteJSON(w, r, http.StatusOK, out)
}

// maxTurns is how many turns one page of a job has.
const maxTurns = 200

// detailPage parses ?limit= and ?before= of a job's turns. Without before, the page ends with the
// latest turn.
func detailPage(r *http.Request) (limit int, before view.JobPlace, err error) {
	if limit, err = limitParam(r, maxTurns); err != nil {
		return 0, before, err
	}
	raw := r.URL.Query().Get("before")
	if raw == "" {
		return limit, view.JobPlace{Turn: math.MaxInt, Pieces: -1}, nil
	}
	before, ok := view.ParseJobPlace(raw)
	if !ok {
		return 0, before, problem.New(http.StatusBadRequest, "bad_cursor",
			"before has to be the before value of another page of this job. Leave it out for the latest turns.")
	}
	return limit, before, nil
}

// limitParam parses ?limit=; absent means maximum.
func limitParam(r *http.Request, maximum int) (int, error) {
	raw := r.URL.Query().Get("limit")
	if raw == "" {
		return maximum, nil
	}
	n, err := strconv.Atoi(raw)
	if err != nil || n < 1 || n > maximum {
		return 0, problem.New(http.StatusBadRequest, "bad_limit",
			fmt.Sprintf("limit has to be a whole number from 1 to %d.", maximum)).With("min", 1).With("max", maximum)
	}
	return n, nil
}
