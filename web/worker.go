package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"candor/session"
)

// authenticateJob lets in who has the token of the job in the path. A wrong token,
// another job's, one of a job that has ended and none at all are answered alike.
func (s *Server) authenticateJob(next echo.HandlerFunc) echo.HandlerFunc {
	return s.admitJob(next, false)
}

// authenticatePost also lets in the token of a job that has ended: its worker may
// not have heard that its last post was taken, and repeats it.
func (s *Server) authenticatePost(next echo.HandlerFunc) echo.HandlerFunc {
	return s.admitJob(next, true)
}

func (s *Server) admitJob(next echo.HandlerFunc, orEnded bool) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.QueryParams().Has("token") {
			return tokenInQuery
		}
		user, ended, ok := s.desk.admit(c.Param("id"), bearer(c))
		if !ok || (ended && !orEnded) {
			return unauthorized
		}
		c.Set(userKey, user)
		return next(c)
	}
}

// PostResponse says which numbers the posted events have in the log, in their order.
// A repeated post has those it was given first.
type PostResponse struct {
	JobID string   `json:"job_id"`
	Seqs  []uint64 `json:"seqs"`
}

// postEvents: POST /api/jobs/:id/events and /worker/:id/event.
func (s *Server) postEvents(c echo.Context) error {
	body, err := readBody(c)
	if err != nil {
		return err
	}
	posts, raws, batch, err := readPosts(body)
	if err != nil {
		return err
	}
	if !s.desk.spend(c.Param("id"), len(body)+eventCost*len(posts)) {
		return problem(http.StatusRequestEntityTooLarge, "job_full", "The job has posted as much as a run may. Complete it; its log keeps what there is.")
	}
	clean, ready := jobCleaner{s.Safety}, make([]session.Post, len(posts))
	for i := range posts {
		b, problem := clean.body(&posts[i], raws[i])
		if problem != nil {
			return problem.at("index", i)
		}
		if id := posts[i].JobID; id != "" && id != c.Param("id") {
			return otherJob.at("index", i)
		}
		ready[i] = session.Post{Key: posts[i].key(c.Request().Header.Get("Idempotency-Key"), batch, i), Body: b}
	}
	return s.take(c, ready)
}

var otherJob = problem(http.StatusBadRequest, "other_job", "The event names another job than the path does.")

// take adds posts to the job in the path and answers with their numbers.
func (s *Server) take(c echo.Context, posts []session.Post) error {
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	events, err := own.PostToJob(c.Param("id"), posts)
	if errors.Is(err, session.ErrJobEnded) || errors.Is(err, session.ErrNoJob) {
		return unauthorized // as to every token of a job that is over
	}
	if err != nil {
		return err
	}
	out := PostResponse{JobID: c.Param("id"), Seqs: make([]uint64, len(events))}
	for i, e := range events {
		out.Seqs[i] = e.Seq
		if _, ended := e.Body.(session.JobEnded); ended {
			s.desk.finish(c.Param("id"))
		}
	}
	return c.JSON(http.StatusOK, out)
}

// WorkerJob is what a worker is told of its job. Posted is how many of its events
// of this run the log has: a worker that was cut off goes on behind them.
type WorkerJob struct {
	JobID       string           `json:"job_id"`
	Title       string           `json:"title"`
	Description string           `json:"description"` // the prompt, under IronClaw's name
	Prompt      string           `json:"prompt"`
	State       session.JobState `json:"state"`
	Run         int              `json:"run"`
	Posted      int              `json:"posted"`
}

// workerJob: GET /worker/:id/job. The prompt is in the user's own words.
func (s *Server) workerJob(c echo.Context) error {
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	j, err := own.Job(c.Param("id"))
	if err != nil {
		return err
	}
	prompt, ok := s.desk.prompt(j.ID)
	if !ok {
		return unauthorized
	}
	return c.JSON(http.StatusOK, WorkerJob{
		JobID: j.ID, Title: j.Title.String(), Description: prompt, Prompt: prompt,
		State: j.State, Run: j.Run, Posted: j.Posted,
	})
}

// workerEvents: GET /worker/:id/events?after=, the events of the current run in the
// shape of the user's list: from them a worker sees what another left undone.
func (s *Server) workerEvents(c echo.Context) error {
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	after, err := afterParam(c)
	if err != nil {
		return err
	}
	j, err := own.Job(c.Param("id"))
	if err != nil {
		return err
	}
	events, _, err := own.JobEvents(j.ID, 0, j.Events)
	if err != nil {
		return err
	}
	from := 0
	for i, e := range events {
		if _, again := e.Body.(session.JobRestarted); again || e.Seq <= after {
			from = i + 1
		}
	}
	page := events[from:min(from+maxJobEvents, len(events))]
	return jobPage(c, page, from+len(page) < len(events))
}

// workerPrompt: GET /worker/:id/prompt, the next follow-up, or 204.
func (s *Server) workerPrompt(c echo.Context) error {
	f, ok := s.desk.next(c.Param("id"))
	if !ok {
		return c.NoContent(http.StatusNoContent)
	}
	return c.JSON(http.StatusOK, f)
}

// workerStatus: POST /worker/:id/status {state, message, iteration}.
func (s *Server) workerStatus(c echo.Context) error {
	var in jobPostFields
	if err := decode(c, &in); err != nil {
		return err
	}
	return s.take(c, []session.Post{{Body: jobCleaner{s.Safety}.report(in.State, in.Message)}})
}

// workerComplete: POST /worker/:id/complete {success, message, iterations}.
func (s *Server) workerComplete(c echo.Context) error {
	var in jobPost
	if err := decode(c, &in.jobPostFields); err != nil {
		return err
	}
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	if _, err := own.PostToJob(c.Param("id"), []session.Post{{Body: jobCleaner{s.Safety}.result(&in)}}); err != nil {
		return err
	}
	s.desk.finish(c.Param("id"))
	return c.JSON(http.StatusOK, map[string]string{"status": "ok"})
}
