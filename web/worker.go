package web

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

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
		j := s.desk.admit(c.Param("id"), bearer(c))
		if j == nil || (!orEnded && j.over()) {
			return unauthorized
		}
		c.Set(userKey, j.user)
		c.Set(deskKey, j)
		return next(c)
	}
}

// WorkerHeader is the request header with the name of a worker: any text that no
// other worker of the job has. Of those that have one, the worker that was the last
// to ask GET /worker/{id}/job is heard, and those before it are answered with 401.
// A worker without a name is always heard.
const WorkerHeader = "Candor-Worker"

const deskKey = "candor.desk"

// deskOf is the job that the request speaks for; admitJob set it.
func deskOf(c echo.Context) *deskJob { return c.Get(deskKey).(*deskJob) }

func workerOf(c echo.Context) workerName { return nameWorker(c.Request().Header.Get(WorkerHeader)) }

// PostResponse says which numbers the posted events have in the log, in their order.
// A repeated post has those it was given first.
type PostResponse struct {
	JobID string   `json:"job_id"`
	Seqs  []uint64 `json:"seqs"`
}

// postEvents: POST /api/jobs/:id/events and /worker/:id/event.
func (s *Server) postEvents(c echo.Context) error {
	body, err := ReadBody(c.Request())
	if err != nil {
		return err
	}
	posts, raws, batch, err := readPosts(body)
	if err != nil {
		return err
	}
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	ready, costs := make([]session.Post, len(posts)), make([]int, len(posts))
	for i := range posts {
		if id := posts[i].JobID; id != "" && id != c.Param("id") {
			return otherJob.at("index", i)
		}
		ready[i].Key = posts[i].key(c.Request().Header.Get("Idempotency-Key"), batch, i)
		costs[i] = len(raws[i]) + eventCost
	}
	known, err := own.Repeats(c.Param("id"), ready)
	if err != nil {
		return asOver(err)
	}
	for i := range posts {
		if known[i] {
			continue // it has its event, whatever it says now
		}
		b, problem := jobCleaner{s.Safety}.body(&posts[i], raws[i])
		if problem != nil {
			return problem.at("index", i)
		}
		ready[i].Body = b
	}
	return s.take(c, own, ready, costs)
}

var otherJob = problem(http.StatusBadRequest, "other_job", "The event names another job than the path does.")

// take adds posts to the job in the path and answers with their numbers.
func (s *Server) take(c echo.Context, own *session.Session, posts []session.Post, costs []int) error {
	events, err := add(c, own, posts, costs)
	if err != nil {
		return err
	}
	out := PostResponse{JobID: c.Param("id"), Seqs: make([]uint64, len(events))}
	for i, e := range events {
		out.Seqs[i] = e.Seq
	}
	return c.JSON(http.StatusOK, out)
}

// add puts posts into the log of the job in the path. What is new of them counts
// against the run's budget, each with its cost.
func add(c echo.Context, own *session.Session, posts []session.Post, costs []int) (events []session.Event, err error) {
	j, id := deskOf(c), c.Param("id")
	err = j.serve(workerOf(c), func() error {
		known, err := own.Repeats(id, posts)
		if err != nil {
			return err
		}
		spent := j.spent
		for i := range posts {
			if !known[i] {
				spent += costs[i]
			}
		}
		if spent > maxJobCost && !j.ended {
			return jobFull
		}
		if events, err = own.PostToJob(id, posts); err != nil {
			return err
		}
		j.spent = spent
		for _, e := range events {
			if _, ended := e.Body.(session.JobEnded); ended {
				j.finish()
			}
		}
		return nil
	})
	return events, asOver(err)
}

// asOver answers a post to a job that is over as every token of one is answered.
func asOver(err error) error {
	if errors.Is(err, session.ErrJobEnded) || errors.Is(err, session.ErrNoJob) {
		return unauthorized
	}
	return err
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

// workerJob: GET /worker/:id/job. The prompt is in the user's own words. The worker
// that asks, if it has a name and no other took over from it, is the one that is
// heard from here on; what the answer says of the log is therefore the last word.
func (s *Server) workerJob(c echo.Context) error {
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	prompt, err := deskOf(c).claim(workerOf(c))
	if err != nil {
		return err
	}
	j, err := own.Job(c.Param("id"))
	if err != nil {
		return err
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
	if err := deskOf(c).serve(workerOf(c), nil); err != nil {
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

// workerPrompt: GET /worker/:id/prompt, the next follow-up, or 204. It is handed out
// once; with ?after=, the number of the one that the worker had last, or 0, as often
// as it is asked for, since an answer can be lost.
func (s *Server) workerPrompt(c echo.Context) error {
	after, err := strconv.Atoi(cmp.Or(c.QueryParam("after"), "0"))
	if err != nil || after < 0 {
		return problem(http.StatusBadRequest, "bad_cursor", "after has to be the number of the prompt that you had last, or 0.")
	}
	j, f, ok := deskOf(c), followUp{}, false
	err = j.serve(workerOf(c), func() error {
		if c.QueryParams().Has("after") {
			f, ok = j.behind(after)
		} else {
			f, ok = j.next()
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case !ok:
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
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	b := jobCleaner{s.Safety}.report(in.State, in.Message)
	return s.take(c, own, []session.Post{{Body: b}}, []int{len(in.State) + len(in.Message) + eventCost})
}

// workerComplete: POST /worker/:id/complete {success, message, iterations}. It costs
// nothing, since a job that is full has no other end.
func (s *Server) workerComplete(c echo.Context) error {
	var in jobPost
	if err := decode(c, &in.jobPostFields); err != nil {
		return err
	}
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	if _, err := add(c, own, []session.Post{{Body: jobCleaner{s.Safety}.result(&in)}}, []int{0}); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]string{"status": "ok"})
}
