package jobs

import (
	"cmp"
	"context"
	"net/http"
	"strconv"

	"candor/safety"
	"candor/session"
	"candor/web/access"
	"candor/web/problem"
)

// WorkerHeader is the request header with a worker's name: any text that no other
// worker of the job uses. Of the workers with a name, only the one that last sent
// GET /worker/{id}/job is current; those before it are answered with 401. A worker
// without a name is always served.
const WorkerHeader = "Candor-Worker"

// runKey is the context key of the run that a request is authenticated for. The
// handlers use that run, not the job's latest: the job may restart in between.
type runKey struct{}

// admitOpen admits the token of the job in the path while the job is open. A wrong
// token, another job's, one of a job that has ended, and none at all get the same
// answer.
func (s *Server) admitOpen(r *http.Request) (context.Context, string, error) {
	return s.admit(r, false)
}

// admitPost accepts the token of the job, even after the job has ended: a worker that
// did not receive the answer to its last post repeats the post.
func (s *Server) admitPost(r *http.Request) (context.Context, string, error) { return s.admit(r, true) }

// admit returns a context with the run, and the job's user.
func (s *Server) admit(r *http.Request, orEnded bool) (context.Context, string, error) {
	if r.URL.Query().Has("token") {
		return nil, "", problem.TokenInQuery
	}
	current, j, err := s.runOf(r.Context(), r.PathValue("id"), access.Bearer(r))
	if err != nil {
		return nil, "", err
	}
	if current == nil || (!orEnded && (current.isOver() || j.State.Ended())) {
		return nil, "", problem.Unauthorized
	}
	return context.WithValue(r.Context(), runKey{}, current), current.user, nil
}

// workerCall is an authenticated request of a worker.
type workerCall struct {
	*Server
	w   http.ResponseWriter
	r   *http.Request
	own *session.Session // of the job's user
	run *run
	by  workerName
	id  string // of the job
}

// layer returns the safety layer with the memory of the user's session.
func (c *workerCall) layer() *safety.Layer { return c.safety.Remember(c.own.Seen()) }

// answer writes v as JSON with status 200.
func (c *workerCall) answer(v any) error { return problem.WriteJSON(c.w, c.r, http.StatusOK, v) }

// forWorker opens the session of the job's user for h.
func (s *Server) forWorker(h func(*workerCall) error) func(http.ResponseWriter, *http.Request, access.Caller) error {
	return func(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
		current, ok := r.Context().Value(runKey{}).(*run)
		if !ok {
			return problem.Unauthorized
		}
		own, err := s.store.Open(r.Context(), current.user)
		if err != nil {
			return err
		}
		by := hashWorkerName(r.Header.Get(WorkerHeader))
		return h(&workerCall{Server: s, w: w, r: r, own: own, run: current, by: by, id: r.PathValue("id")})
	}
}

// WorkerJob describes a job to its worker. Posted counts the events of this run in
// the log: a worker that was cut off continues after them.
type WorkerJob struct {
	JobID       string           `json:"job_id"`
	Title       string           `json:"title"`
	Description string           `json:"description"` // the prompt, under IronClaw's name
	Prompt      string           `json:"prompt"`
	State       session.JobState `json:"state"`
	Run         int              `json:"run"`
	Posted      int              `json:"posted"`
	Calls       int              `json:"calls"` // highest number of a call in the job, of all runs
}

// claim handles GET /worker/:id/job. The prompt is the user's own text, not cleaned.
// A worker with a name that was not replaced becomes the current one, and no other
// worker's post reaches the log after Posted was read.
func (s *Server) claim(c *workerCall) error {
	prompt, err := c.run.claim(c.by)
	if err != nil {
		return err
	}
	j, err := c.own.Job(c.id)
	if err != nil {
		return err
	}
	return c.answer(WorkerJob{
		JobID: j.ID, Title: j.Title.String(), Description: prompt, Prompt: prompt,
		State: j.State, Run: j.Run, Posted: j.Posted, Calls: j.Calls,
	})
}

// runEvents handles GET /worker/:id/events?after=: the events of the current run, in
// the form of the user's list. From them a worker sees what its predecessor left
// undone.
func (s *Server) runEvents(c *workerCall) error {
	if err := c.run.serve(c.by, nil); err != nil {
		return err
	}
	after, err := afterParam(c.r)
	if err != nil {
		return err
	}
	j, err := c.own.Job(c.id)
	if err != nil {
		return err
	}
	events, _, err := c.own.JobEvents(j.ID, 0, j.Events)
	if err != nil {
		return err
	}
	from := 0
	for i, e := range events {
		if _, restarted := e.Body.(session.JobRestarted); restarted || e.Seq <= after {
			from = i + 1
		}
	}
	page := events[from:min(from+maxPage, len(events))]
	return writePage(c.w, c.r, page, from+len(page) < len(events))
}

// fetchPrompt handles GET /worker/:id/prompt: the next follow-up, or 204 if there is
// none. Without ?after= each is sent once. With ?after=, the number of the last one
// the worker received or 0, the next is sent as often as it is requested, because an
// answer can be lost.
func (s *Server) fetchPrompt(c *workerCall) error {
	query := c.r.URL.Query()
	after, err := strconv.Atoi(cmp.Or(query.Get("after"), "0"))
	if err != nil || after < 0 {
		return problem.New(http.StatusBadRequest, "bad_cursor",
			"after has to be the number of the last prompt that you received, or 0.")
	}
	var f followUp
	var ok bool
	err = c.run.serve(c.by, func() error {
		if query.Has("after") {
			f, ok = c.run.followUpAfter(c.own, c.id, after)
		} else {
			f, ok = c.run.nextFollowUp(c.own, c.id)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case !ok:
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return c.answer(f)
}
