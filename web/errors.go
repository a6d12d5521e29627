package web

import (
	"errors"
	"maps"
	"net/http"

	"github.com/labstack/echo/v4"

	"candor/session"
)

// Problem is the body of every answer that is not a success. Message says what
// was wrong and what to do. It never repeats input, which may hold a secret.
type Problem struct {
	Status  int            `json:"-"`
	Code    string         `json:"error"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// Error implements error.
func (p *Problem) Error() string { return p.Code + ": " + p.Message }

func problem(status int, code, message string) *Problem {
	return &Problem{Status: status, Code: code, Message: message, Details: map[string]any{}}
}

// NewProblem is a problem of another protocol's. Message says what was wrong and what
// to do, and repeats no input.
func NewProblem(status int, code, message string) *Problem { return problem(status, code, message) }

// With is a copy with a detail more.
func (p *Problem) With(key string, value any) *Problem { return p.at(key, value) }

// with adds a detail.
func (p *Problem) with(key string, value any) *Problem {
	p.Details[key] = value
	return p
}

// at is a copy with a detail more, for problems that are shared.
func (p *Problem) at(key string, value any) *Problem {
	moved := *p
	moved.Details = maps.Clone(p.Details)
	return moved.with(key, value)
}

var (
	noThread = problem(http.StatusNotFound, "no_thread",
		"You have no such thread. List yours with GET /api/chat/threads.")
	noTurn = problem(http.StatusNotFound, "no_turn",
		"The thread has no turn of this number. List its turns with GET /api/chat/history.")
	unauthorized = problem(http.StatusUnauthorized, "unauthorized",
		"Invalid or missing auth token. Send it as Authorization: Bearer <token>.")
	limitedToken = problem(http.StatusForbidden, "limited_token",
		"This token is for front ends that are shown a part of the reasoning. Use it with /agui.")
	notRunning = problem(http.StatusConflict, "not_running",
		"No turn is running in this thread, so there is nothing to interrupt.")
	noApproval = problem(http.StatusNotFound, "no_approval",
		"You have no such approval open. It may have been answered, have expired, or its turn may have ended.")
	notAlways = problem(http.StatusConflict, "not_always",
		"This tool has to be approved each time. Answer with approve or deny.")
	noJob = problem(http.StatusNotFound, "no_job",
		"You have no such job. List yours with GET /api/jobs.")
	jobEnded = problem(http.StatusConflict, "job_ended",
		"The job has ended. Restart it, or open another.")
	jobBusy = problem(http.StatusTooManyRequests, "job_busy",
		"As many prompts wait as the job holds. The worker has to fetch some first.").with("max_waiting", maxFollowUps)
	jobFull = problem(http.StatusRequestEntityTooLarge, "job_full",
		"The job has posted as much as a run may. Complete it; its log keeps what there is.")
	replaced = problem(http.StatusUnauthorized, "replaced",
		"Another worker has taken this job over, and this one is not heard any more. Stop it.")
	jobOpen = problem(http.StatusConflict, "job_open",
		"The job has not ended, so it cannot begin anew. Cancel it first.")
	tooManyJobs = problem(http.StatusTooManyRequests, "too_many_jobs",
		"You have as many open jobs as the server allows. Cancel one, or let one end.").with("max", session.MaxOpenJobs)
	closing = problem(http.StatusServiceUnavailable, "shutting_down",
		"The server is stopping and takes no new turn. Try again once it is back.")
	gone = problem(http.StatusServiceUnavailable, "session_evicted",
		"The session had been idle for too long and was dropped. Send again to begin a new one.")
	busy = problem(http.StatusTooManyRequests, "thread_busy",
		"A turn is running and as many messages wait as the thread holds. Wait for one to end, or interrupt.").
		with("max_waiting", session.MaxWaiting)
)

// handleError maps an error to its answer. It is the only place that does.
func (s *Server) handleError(err error, c echo.Context) {
	if c.Response().Committed {
		s.Log.Warn("request failed after its answer began", "path", c.Path(), "error", err)
		return
	}
	p := asProblem(err)
	if p.Status == http.StatusInternalServerError {
		s.Log.Error("request failed", "path", c.Path(), "error", err)
	}
	if p.Status == http.StatusUnauthorized {
		c.Response().Header().Set("WWW-Authenticate", "Bearer")
	}
	if p.Status == http.StatusTooManyRequests {
		c.Response().Header().Set("Retry-After", "2")
	}
	if err := c.JSON(p.Status, p); err != nil {
		s.Log.Debug("answer not written", "path", c.Path(), "error", err)
	}
}

func asProblem(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	for _, known := range []struct {
		is error
		as *Problem
	}{
		{session.ErrNoThread, noThread}, {session.ErrNoTurn, noTurn}, {session.ErrBusy, busy}, {session.ErrNotRunning, notRunning},
		{session.ErrNoJob, noJob}, {session.ErrJobEnded, jobEnded}, {session.ErrJobOpen, jobOpen},
		{session.ErrTooManyJobs, tooManyJobs}, {session.ErrNoApproval, noApproval}, {session.ErrNotAlways, notAlways},
		{session.ErrClosed, closing}, {session.ErrEvicted, gone},
	} {
		if errors.Is(err, known.is) {
			return known.as
		}
	}
	if h, ok := errors.AsType[*echo.HTTPError](err); ok {
		return fromEcho(h.Code)
	}
	return problem(http.StatusInternalServerError, "internal",
		"Something went wrong on our side. The server's log says what.")
}

// fromEcho words the errors that the router and its middleware raise.
func fromEcho(status int) *Problem {
	switch status {
	case http.StatusNotFound:
		return problem(status, "no_route", "There is nothing at this path.")
	case http.StatusMethodNotAllowed:
		return problem(status, "method_not_allowed", "This path does not take this method.")
	case http.StatusRequestEntityTooLarge:
		return problem(status, "body_too_large", "The body is larger than 1 MiB. Send less.").with("max_bytes", maxBody)
	case http.StatusTooManyRequests:
		return problem(status, "rate_limited", "Too many messages in a minute. Wait a little and send again.")
	}
	return problem(status, "http_"+http.StatusText(status), "The request could not be served.")
}
