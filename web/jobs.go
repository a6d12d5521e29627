package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"candor/safety"
	"candor/session"
)

// JobRequest is the body of POST /api/jobs.
type JobRequest struct {
	Title    string          `json:"title"`
	Prompt   string          `json:"prompt"`
	Metadata json.RawMessage `json:"metadata"`
}

// JobInfo describes a job. Token is there only in the answer that made it.
type JobInfo struct {
	JobID     string           `json:"job_id"`
	SessionID string           `json:"session_id"`
	Token     string           `json:"token,omitempty"`
	Title     safety.Text      `json:"title"`
	Prompt    safety.Text      `json:"prompt"`
	Metadata  safety.JSON      `json:"metadata"`
	State     session.JobState `json:"state"`
	Message   *safety.Text     `json:"message"`
	Run       int              `json:"run"`
	Events    int              `json:"events"`
	CreatedAt time.Time        `json:"created_at"`
	UpdatedAt time.Time        `json:"updated_at"`
	EndedAt   *time.Time       `json:"ended_at"`
	Found     []safety.Finding `json:"redactions,omitempty"`
}

func jobInfo(j session.Job) JobInfo {
	return JobInfo{
		JobID: j.ID, SessionID: j.Session, Title: j.Title, Prompt: j.Prompt, Metadata: j.Metadata,
		State: j.State, Message: orNull(j.Message), Run: j.Run, Events: j.Events,
		CreatedAt: j.CreatedAt, UpdatedAt: j.UpdatedAt, EndedAt: timeOrNull(j.EndedAt), Found: j.Findings,
	}
}

// openJob: POST /api/jobs.
func (s *Server) openJob(c echo.Context) error {
	var in JobRequest
	if err := decode(c, &in); err != nil {
		return err
	}
	if strings.TrimSpace(in.Prompt) == "" {
		return problem(http.StatusBadRequest, "empty_prompt", "prompt is missing or blank. Say what the worker is to do.")
	}
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	b := session.JobOpened{}
	var found [3]safety.Report
	b.Title, found[0] = s.Safety.Limit(maxJobTitle).Mask(in.Title)
	b.Prompt, found[1] = s.Safety.Mask(in.Prompt)
	if len(in.Metadata) > 0 {
		b.Metadata, found[2] = s.Safety.CleanJSON(in.Metadata)
	}
	b.Findings = session.Merge(found[0].Findings, found[1].Findings, found[2].Findings)
	j, err := own.OpenJob(b)
	if err != nil {
		return err
	}
	s.desk.forget(userOf(c), func(id string) bool { _, err := own.Job(id); return err == nil })
	info := jobInfo(j)
	info.Token = s.desk.open(j.ID, userOf(c), in.Prompt)
	return c.JSON(http.StatusCreated, info)
}

// maxJobTitle bounds a job's title, in bytes.
const maxJobTitle = 512

// jobs: GET /api/jobs, the newest first.
func (s *Server) jobs(c echo.Context) error {
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	list := []JobInfo{}
	for _, j := range own.Jobs() {
		list = append(list, jobInfo(j))
	}
	return c.JSON(http.StatusOK, map[string]any{"jobs": list})
}

// jobSummary: GET /api/jobs/summary, how many jobs there are in each state.
func (s *Server) jobSummary(c echo.Context) error {
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	count := map[string]int{"total": 0}
	for _, state := range []session.JobState{session.JobPending, session.JobRunning, session.JobCompleted, session.JobFailed, session.JobStopped} {
		count[string(state)] = 0
	}
	for _, j := range own.Jobs() {
		count["total"]++
		count[string(j.State)]++
	}
	return c.JSON(http.StatusOK, count)
}

// job: GET /api/jobs/:id.
func (s *Server) job(c echo.Context) error {
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	j, err := own.Job(c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, jobInfo(j))
}

// cancelJob: POST /api/jobs/:id/cancel. The worker learns of it because its token
// is worth nothing any more.
func (s *Server) cancelJob(c echo.Context) error {
	j, err := s.changeJob(c, session.JobCancelled{})
	if err != nil {
		return err
	}
	s.desk.close(j.ID)
	return c.JSON(http.StatusAccepted, jobInfo(j))
}

// restartJob: POST /api/jobs/:id/restart, with a new token.
func (s *Server) restartJob(c echo.Context) error {
	var j session.Job
	token, err := s.desk.reopen(c.Param("id"), userOf(c), func() (prompt string, err error) {
		j, err = s.changeJob(c, session.JobRestarted{})
		// The raw prompt went with the old token; what was kept of it is cleaned.
		return j.Prompt.String(), err
	})
	if err != nil {
		return err
	}
	info := jobInfo(j)
	info.Token = token
	return c.JSON(http.StatusAccepted, info)
}

// promptJob: POST /api/jobs/:id/prompt, a further prompt for the worker to fetch.
func (s *Server) promptJob(c echo.Context) error {
	var in followUp
	if err := decode(c, &in); err != nil {
		return err
	}
	if strings.TrimSpace(in.Content) == "" && !in.Done {
		return problem(http.StatusBadRequest, "empty_content", "content is missing or blank. Say something, or set done.")
	}
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	j, err := own.Job(c.Param("id"))
	if err != nil {
		return err
	}
	desk := s.desk.job(j.ID)
	if desk == nil {
		return jobEnded
	}
	text, report := s.Safety.Mask(in.Content)
	err = desk.add(in, func() error {
		j, err = own.ChangeJob(j.ID, session.JobPrompted{Text: text, Done: in.Done, Findings: report.Findings})
		return err
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, jobInfo(j))
}

func (s *Server) changeJob(c echo.Context, b session.Body) (session.Job, error) {
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return session.Job{}, err
	}
	return own.ChangeJob(c.Param("id"), b)
}

// JobEventInfo is one event of a job's log.
type JobEventInfo struct {
	ID        uint64    `json:"id"`
	EventType string    `json:"event_type"`
	Data      any       `json:"data"`
	CreatedAt time.Time `json:"created_at"`
}

// maxJobEvents is how many events a page of a job's log has.
const maxJobEvents = 500

// jobEvents: GET /api/jobs/:id/events?after=, as a JSON list, or, to who accepts
// text/event-stream, as the stream of this job.
func (s *Server) jobEvents(c echo.Context) error {
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	if wantsStream(c) {
		return s.stream(c, own, nil, []string{c.Param("id")})
	}
	after, err := afterParam(c)
	if err != nil {
		return err
	}
	events, more, err := own.JobEvents(c.Param("id"), after, maxJobEvents)
	if err != nil {
		return err
	}
	return jobPage(c, events, more)
}

func afterParam(c echo.Context) (uint64, error) {
	after, err := strconv.ParseUint(c.QueryParam("after"), 10, 64)
	if c.QueryParam("after") != "" && err != nil {
		return 0, problem(http.StatusBadRequest, "bad_cursor", "after has to be the id of an event of this list.")
	}
	return after, nil
}

func jobPage(c echo.Context, events []session.Event, more bool) error {
	list := make([]JobEventInfo, 0, len(events))
	for _, e := range events {
		for _, f := range projectJob(e) {
			list = append(list, JobEventInfo{ID: e.Seq, EventType: f.name, Data: f.data, CreatedAt: e.At})
		}
	}
	page := map[string]any{"job_id": c.Param("id"), "events": list, "has_more": more}
	if len(events) > 0 {
		last := events[len(events)-1]
		page["event_id"] = Cursor{Session: last.Session, Seq: last.Seq}.String() // where a stream goes on
	}
	return c.JSON(http.StatusOK, page)
}
