package jobs

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"slices"

	"candor/safety"
	"candor/session"
	"candor/session/export"
	"candor/web"
	"candor/web/access"
	"candor/web/problem"
	"candor/web/sse"
	"candor/web/view"
)

// Options configures a server. All fields but Key and Knows are required.
type Options struct {
	// Key signs the tokens of jobs: each server with the same key and the same sessions takes them.
	// Without it the server takes only its own.
	Key []byte
	// Knows reports whether somebody is still a user, for tokens of jobs that began in another process. Nil means
	// that everybody is.
	Knows func(user string) bool

	Store  session.Store
	Safety *safety.Layer // cleans everything that users and workers post
	Log    *slog.Logger  // never receives text of a user or a worker
	// Stream serves the events of the jobs with these ids, which own has, as
	// server-sent events; a [web.Server] provides it.
	Stream func(w http.ResponseWriter, r *http.Request, own *session.Session, ids ...string) error
}

// Server answers the job routes. It is safe for concurrent use and owns no goroutine.
type Server struct {
	store    session.Store
	safety   *safety.Layer
	log      *slog.Logger
	stream   func(w http.ResponseWriter, r *http.Request, own *session.Session, ids ...string) error
	knows    func(user string) bool
	tokens   tokens
	registry registry
}

// New returns a server without jobs.
func New(o Options) *Server {
	if len(o.Key) == 0 {
		o.Key = make([]byte, 32)
		_, _ = rand.Read(o.Key) // never fails
	}
	if o.Knows == nil {
		o.Knows = func(string) bool { return true }
	}
	return &Server{
		store: o.Store, safety: o.Safety, log: o.Log, stream: o.Stream, knows: o.Knows, tokens: tokens{o.Key},
	}
}

// Routes returns the routes that a [web.Server] mounts: those of users, then those
// of workers, which authenticate with the token of their job.
func (s *Server) Routes() []web.Route {
	return web.Describe([]web.Route{
		{Method: http.MethodPost, Path: "/api/jobs", Sends: true, Serve: s.forUser(s.open)},
		{Method: http.MethodGet, Path: "/api/jobs", Serve: s.forUser(s.list)},
		{Method: http.MethodGet, Path: "/api/jobs/summary", Serve: s.forUser(s.summary)},
		{Method: http.MethodGet, Path: "/api/jobs/:id", Serve: s.forUser(s.show)},
		{Method: http.MethodDelete, Path: "/api/jobs/:id", Serve: s.forUser(s.remove)},
		{Method: http.MethodGet, Path: "/api/jobs/:id/export", Serve: s.forUser(s.export)},
		{Method: http.MethodPost, Path: "/api/jobs/:id/cancel", Serve: s.forUser(s.cancel)},
		{Method: http.MethodPost, Path: "/api/jobs/:id/restart", Serve: s.forUser(s.restart)},
		{Method: http.MethodPost, Path: "/api/jobs/:id/prompt", Serve: s.forUser(s.prompt)},
		{Method: http.MethodGet, Path: "/api/jobs/:id/events", Streams: true, Serve: s.forUser(s.events)},

		{Method: http.MethodPost, Path: "/api/jobs/:id/events", Admit: s.admitPost, Serve: s.forWorker(s.postEvents)},
		{Method: http.MethodPost, Path: "/worker/:id/event", Admit: s.admitPost, Serve: s.forWorker(s.postEvents)},
		{Method: http.MethodPost, Path: "/worker/:id/status", Admit: s.admitOpen, Serve: s.forWorker(s.postStatus)},
		{Method: http.MethodPost, Path: "/worker/:id/complete", Admit: s.admitOpen, Serve: s.forWorker(s.complete)},
		{Method: http.MethodGet, Path: "/worker/:id/job", Admit: s.admitOpen, Serve: s.forWorker(s.claim)},
		{Method: http.MethodGet, Path: "/worker/:id/events", Admit: s.admitOpen, Serve: s.forWorker(s.runEvents)},
		{Method: http.MethodGet, Path: "/worker/:id/prompt", Admit: s.admitOpen, Serve: s.forWorker(s.fetchPrompt)},
	}, operations)
}

// userHandler answers a user's request. own is the user's session.
type userHandler func(w http.ResponseWriter, r *http.Request, own *session.Session) error

// forUser opens the caller's session for h.
func (s *Server) forUser(h userHandler) func(http.ResponseWriter, *http.Request, access.Caller) error {
	return func(w http.ResponseWriter, r *http.Request, who access.Caller) error {
		own, err := s.store.Open(r.Context(), who.User)
		if err != nil {
			return err
		}
		return h(w, r, own)
	}
}

// info describes a job, with when its worker was last heard.
func (s *Server) info(j session.Job) view.JobInfo {
	info := view.Job(j)
	if r := s.registry.current(j.ID); r != nil && r.number == j.Run {
		info.WorkerSeenAt = r.lastSeen()
	}
	return info
}

// summary handles GET /api/jobs/summary: how many jobs are in each state.
func (s *Server) summary(w http.ResponseWriter, r *http.Request, own *session.Session) error {
	count := map[string]int{"total": 0}
	for _, state := range []session.JobState{
		session.JobPending, session.JobRunning, session.JobCompleted, session.JobFailed, session.JobStopped,
	} {
		count[string(state)] = 0
	}
	for _, j := range own.Jobs() {
		count["total"]++
		count[string(j.State)]++
	}
	return problem.WriteJSON(w, r, http.StatusOK, count)
}

// show handles GET /api/jobs/:id?limit=&before=&render=. It answers with a [view.JobDetail]: the
// latest turns before that place, at most limit of them and [view.MaxPage] bytes. render=html
// adds the HTML of answers and narratives.
//
// Errors: no_job, bad_render; bad_limit unless limit is 1 to 200; bad_cursor unless before is
// that of another page.
func (s *Server) show(w http.ResponseWriter, r *http.Request, own *session.Session) error {
	render, err := web.ReadRender(r)
	if err != nil {
		return err
	}
	limit, before, err := detailPage(r)
	if err != nil {
		return err
	}
	head := sse.Cursor{Session: own.ID(), Seq: own.Head()} // read first: an event in between is streamed, too
	j, turns, err := jobTurns(r, own)
	if err != nil {
		return err
	}
	page, rest, more := view.PageBefore(turns, before, limit)
	d := view.JobDetail{JobInfo: s.info(j), Turns: view.JobTurns(page), HasMore: more, EventID: head.String()}
	if more {
		d.Before = rest.String()
	}
	for i := range slices.Backward(d.Turns) { // the budget goes to the latest
		render.Turn(&d.Turns[i].TurnInfo)
	}
	return problem.WriteJSON(w, r, http.StatusOK, d)
}

// export handles GET /api/jobs/:id/export?format=md|html|jsonl&omit=: the job's turns as a
// file, in the form in which threads are exported.
//
// Errors: no_job, and those of [web.WriteExport].
func (s *Server) export(w http.ResponseWriter, r *http.Request, own *session.Session) error {
	j, turns, err := jobTurns(r, own)
	if err != nil {
		return err
	}
	d := export.Document{Title: j.Title, Job: j.ID, Turns: turns}
	if d.Title.Empty() {
		d.Title = j.Prompt
	}
	return web.WriteExport(w, r, d, "candor-job-"+j.ID[:min(len(j.ID), sse.EpochLength)])
}

// jobTurns returns the job in the path, and its turns.
func jobTurns(r *http.Request, own *session.Session) (session.Job, []session.Turn, error) {
	j, err := own.Job(r.PathValue("id"))
	if err != nil {
		return j, nil, err
	}
	events, _, err := own.JobEvents(j.ID, 0, j.Events)
	return j, session.JobTurns(events), err
}

// cancel handles POST /api/jobs/:id/cancel. The worker learns of it when its token
// is refused.
func (s *Server) cancel(w http.ResponseWriter, r *http.Request, own *session.Session) error {
	j, err := own.ChangeJob(r.PathValue("id"), session.JobCancelled{})
	if err != nil {
		return err
	}
	s.registry.revoke(j.ID)
	return problem.WriteJSON(w, r, http.StatusAccepted, s.info(j))
}

// remove handles DELETE /api/jobs/:id: the job and its log are gone for good, and every stream says so. Its
// token is worthless from then on. It answers 204, or 202 if the storage has yet to be cleared.
//
// Errors: no_job; job_open until the job has ended; storage_failed.
func (s *Server) remove(w http.ResponseWriter, r *http.Request, own *session.Session) error {
	id := r.PathValue("id")
	err := own.EraseJob(r.Context(), id)
	if err == nil || errors.Is(err, session.ErrUncleared) {
		s.registry.revoke(id)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// restart handles POST /api/jobs/:id/restart. The answer contains a new token.
func (s *Server) restart(w http.ResponseWriter, r *http.Request, own *session.Session) error {
	j, err := s.registry.reopen(r.PathValue("id"), own.User(), func() (session.Job, error) {
		return own.ChangeJob(r.PathValue("id"), session.JobRestarted{})
	})
	if err != nil {
		return err
	}
	info := s.info(j)
	info.Token = s.tokens.of(j.ID, own.User(), j.Run)
	return problem.WriteJSON(w, r, http.StatusAccepted, info)
}

// maxPage is how many events one page of a job's log has.
const maxPage = 500

// events handles GET /api/jobs/:id/events?after=: a page of the job's log as JSON,
// or its stream for a client that accepts text/event-stream. A page has up to maxPage
// events after the one with that id, and says whether more follow.
//
// Errors: no_job; bad_cursor if after is not a number.
func (s *Server) events(w http.ResponseWriter, r *http.Request, own *session.Session) error {
	if sse.Requested(r) {
		return s.stream(w, r, own, r.PathValue("id"))
	}
	after, err := afterParam(r)
	if err != nil {
		return err
	}
	events, more, err := own.JobEvents(r.PathValue("id"), after, maxPage)
	if err != nil {
		return err
	}
	return writePage(w, r, events, more)
}

// The problems that only job routes answer with. A worker that gets a 401, of which
// "replaced" is one, has lost its job and should stop.
var (
	jobBusy = problem.New(http.StatusTooManyRequests, "job_busy",
		"The job's queue of prompts is full. The worker has to fetch some first.").
		With("max_waiting", maxFollowUps)
	jobFull = problem.New(http.StatusRequestEntityTooLarge, "job_full",
		"The job has posted as much as a run may. Complete it; its log keeps what was posted.")
	workerReplaced = problem.New(http.StatusUnauthorized, "replaced",
		"Another worker has taken over this job, and posts of this one are refused. Stop this worker.")
	noToolName = problem.New(http.StatusBadRequest, "no_tool_name",
		"tool_name is missing: every call and every decision names its tool.")
	otherJob = problem.New(http.StatusBadRequest, "other_job",
		"The event names a different job than the path.")
)
