package jobs

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"

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
func (s *Server) admitOpen(r *http.Request) (context.Context, error) { return s.admit(r, false) }

// admitPost accepts the token of the job, even after the job has ended: a worker that
// did not receive the answer to its last post repeats the post.
func (s *Server) admitPost(r *http.Request) (context.Context, error) { return s.admit(r, true) }

func (s *Server) admit(r *http.Request, orEnded bool) (context.Context, error) {
	if r.URL.Query().Has("token") {
		return nil, problem.TokenInQuery
	}
	current := s.registry.authenticate(r.PathValue("id"), access.Bearer(r))
	if current == nil || (!orEnded && current.isOver()) {
		return nil, problem.Unauthorized
	}
	return context.WithValue(r.Context(), runKey{}, current), nil
}

// workerCall is an authenticated request of a worker.
type workerCall struct {
	w   http.ResponseWriter
	r   *http.Request
	own *session.Session // of the job's user
	run *run
	by  workerName
	id  string // of the job
}

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
		return h(&workerCall{w: w, r: r, own: own, run: current, by: by, id: r.PathValue("id")})
	}
}

// PostResponse lists the sequence numbers of the posted events in the log, in the
// order of the post. A repeated post gets the numbers that it got first.
type PostResponse struct {
	JobID string   `json:"job_id"`
	Seqs  []uint64 `json:"seqs"`
}

// postEvents handles POST /api/jobs/:id/events and POST /worker/:id/event. It answers with
// a [PostResponse]. A batch is stored as a whole or, if any event is invalid, not at all;
// the problem's details then name the index of the event.
//
// Errors: unauthorized, replaced; bad_batch, no_kind, no_tool_name, bad_role, bad_outcome,
// too_many_decisions, other_job; job_full once the run has used up its budget.
func (s *Server) postEvents(c *workerCall) error {
	body, err := problem.ReadBody(c.r)
	if err != nil {
		return err
	}
	posts, raws, batch, err := readPosts(body)
	if err != nil {
		return err
	}
	ready, costs := make([]session.Post, len(posts)), make([]int, len(posts))
	for i := range posts {
		if id := posts[i].JobID; id != "" && id != c.id {
			return otherJob.With("index", i)
		}
		ready[i].Key = posts[i].key(c.r.Header.Get("Idempotency-Key"), batch, i)
		costs[i] = len(raws[i]) + eventCost
	}
	known, err := c.own.Repeats(c.id, ready)
	if err != nil {
		return hideEnd(err)
	}
	for i := range posts {
		if known[i] {
			continue // the log keeps the event as first posted
		}
		b, bad := cleaner{s.safety}.body(&posts[i], raws[i])
		if bad != nil {
			return bad.With("index", i)
		}
		ready[i].Body = b
	}
	return c.record(ready, costs)
}

// record appends posts to the job's log and answers with their sequence numbers.
func (c *workerCall) record(posts []session.Post, costs []int) error {
	events, err := c.appendPosts(posts, costs)
	if err != nil {
		return err
	}
	out := PostResponse{JobID: c.id, Seqs: make([]uint64, len(events))}
	for i, e := range events {
		out.Seqs[i] = e.Seq
	}
	return c.answer(out)
}

// appendPosts appends posts to the job's log. Each that is not a repeat adds its cost to
// the run's.
func (c *workerCall) appendPosts(posts []session.Post, costs []int) (events []session.Event, err error) {
	err = c.run.serve(c.by, func() error {
		known, err := c.own.Repeats(c.id, posts)
		if err != nil {
			return err
		}
		spent := c.run.spent
		for i := range posts {
			if !known[i] {
				spent += costs[i]
			}
		}
		if spent > maxRunCost && !c.run.ended {
			return jobFull
		}
		if events, err = c.own.PostToJob(c.id, posts); err != nil {
			return err
		}
		c.run.spent = spent
		for _, e := range events {
			if _, ended := e.Body.(session.JobEnded); ended {
				c.run.finish()
			}
		}
		return nil
	})
	return events, hideEnd(err)
}

// hideEnd answers a post to a job that has ended or is gone like one with an invalid
// token, so that a token does not reveal which.
func hideEnd(err error) error {
	if errors.Is(err, session.ErrJobEnded) || errors.Is(err, session.ErrNoJob) {
		return problem.Unauthorized
	}
	return err
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
		State: j.State, Run: j.Run, Posted: j.Posted,
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
			"after has to be the number of the prompt that you had last, or 0.")
	}
	var f followUp
	var ok bool
	err = c.run.serve(c.by, func() error {
		if query.Has("after") {
			f, ok = c.run.followUpAfter(after)
		} else {
			f, ok = c.run.nextFollowUp()
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

// postStatus handles POST /worker/:id/status {state, message, iteration}. It answers with a
// [PostResponse]. The iteration is ignored.
func (s *Server) postStatus(c *workerCall) error {
	var in postFields
	if err := problem.Decode(c.r, &in); err != nil {
		return err
	}
	b := cleaner{s.safety}.status(in.State, in.Message)
	return c.record([]session.Post{{Body: b}}, []int{len(in.State) + len(in.Message) + eventCost})
}

// complete handles POST /worker/:id/complete {success, message, iterations}. It
// costs nothing, because a run that has used up its budget must still be able to end.
func (s *Server) complete(c *workerCall) error {
	var in post
	if err := problem.Decode(c.r, &in.postFields); err != nil {
		return err
	}
	if _, err := c.appendPosts([]session.Post{{Body: cleaner{s.safety}.result(&in)}}, []int{0}); err != nil {
		return err
	}
	return c.answer(map[string]string{"status": "ok"})
}
