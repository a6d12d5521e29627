package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/web/problem"
)

// sessionProblems are the answers to the errors of package session. Their codes are part
// of the API. Every 429, 503 and 507 is sent with a Retry-After header, and every 401 with
// WWW-Authenticate.
var sessionProblems = []struct {
	is     error
	answer *problem.Problem
}{
	{session.ErrNoThread, problem.New(http.StatusNotFound, "no_thread",
		"You have no such thread. List yours with GET /api/chat/threads.")},
	{session.ErrNoTurn, problem.New(http.StatusNotFound, "no_turn",
		"The thread has no turn with this number. List its turns with GET /api/chat/history.")},
	{session.ErrNoCall, problem.New(http.StatusNotFound, "no_call",
		"The turn has no call with this id. GET /api/chat/turn lists its calls.")},
	{session.ErrTooManyRatings, problem.New(http.StatusConflict, "too_many_ratings",
		"This decision, or all your decisions together, have reached the limit of ratings. "+
			"The latest rating stands.").
		With("max_of_decision", session.MaxCallRatings).With("max", session.MaxRatings)},
	{session.ErrManySightings, problem.New(http.StatusConflict, "too_many_sightings",
		"The attached agent has reached the limit of facts in a turn, or of turns in its session.").
		With("max_of_turn", session.MaxSightings).With("max_turns", session.MaxAttachedTurns)},
	{session.ErrObserved, problem.New(http.StatusConflict, "observed_thread",
		"This thread shows what another program's agent does, so you cannot send messages in it.")},
	{session.ErrBusy, problem.New(http.StatusTooManyRequests, "thread_busy",
		"A turn is running and the thread's queue of messages is full. Wait until a turn ends, or interrupt it.").
		With("max_waiting", session.MaxWaiting)},
	{session.ErrDropped, problem.New(http.StatusGone, "turn_dropped",
		"The turn was dropped from memory to make room for newer ones. The history says how many were dropped.")},
	{session.ErrDiskFull, problem.New(http.StatusInsufficientStorage, "session_full",
		"Your conversations and jobs take as much of the server's disk as yours may. Delete some, and try again.")},
	{session.ErrFull, problem.New(http.StatusInsufficientStorage, "session_full",
		"Your session is full, and nothing in it has ended that could be dropped. "+
			"Cancel open jobs, or wait for turns to end, and try again.")},
	{session.ErrServerFull, problem.New(http.StatusServiceUnavailable, "server_full",
		"The server's memory for all users is full. Try again later, or end some of your jobs.")},
	{session.ErrNotRunning, problem.New(http.StatusConflict, "not_running",
		"No turn is running in this thread, so there is nothing to interrupt.")},
	{session.ErrNoJob, problem.New(http.StatusNotFound, "no_job",
		"You have no such job. If it ended, it may have been dropped from memory. List yours with GET /api/jobs.")},
	{session.ErrJobEnded, problem.New(http.StatusConflict, "job_ended",
		"The job has ended. Restart it, or open another.")},
	{session.ErrJobOpen, problem.New(http.StatusConflict, "job_open",
		"The job has not ended, so it can be neither restarted nor deleted. Cancel it first.")},
	{session.ErrTooManyJobs, problem.New(http.StatusTooManyRequests, "too_many_jobs",
		"You have as many open jobs as the server allows. Cancel one, or wait until one ends.").
		With("max", session.MaxOpenJobs)},
	{session.ErrNoApproval, problem.New(http.StatusNotFound, "no_approval",
		"No such approval is open. It may have been answered or have expired, or its turn may have ended.")},
	{session.ErrNotAlways, problem.New(http.StatusConflict, "not_always",
		"This tool has to be approved each time. Answer with approve or deny.")},
	{session.ErrUncleared, problem.New(http.StatusAccepted, "clearing",
		"It is deleted, but not yet erased from the storage; the server does that as soon as it can.")},
	{session.ErrDamaged, problem.New(http.StatusInternalServerError, "session_damaged",
		"The storage lost or altered a part of your session that this needs. What is whole can still be read, and "+
			"nothing is added. Ask the operator, whose log names the place, to restore a backup or salvage the rest.")},
	{session.ErrStorage, problem.New(http.StatusServiceUnavailable, "storage_failed",
		"Reading or writing the storage failed, and nothing was recorded. Try again, or tell the operator.")},
	{session.ErrNoEdit, problem.New(http.StatusConflict, "no_edit",
		"The arguments of this call cannot be changed here. Approve it as it is, or deny it and say why.")},
	{session.ErrTurnOpen, problem.New(http.StatusConflict, "turn_open",
		"A turn of this thread has not ended. Wait for it, or stop it with POST /api/chat/interrupt, and try again.")},
	{session.ErrClosed, problem.New(http.StatusServiceUnavailable, "shutting_down",
		"The server is stopping and accepts no new turn. Try again once it is back.")},
	{session.ErrEvicted, problem.New(http.StatusServiceUnavailable, "session_evicted",
		"The session was idle for too long and was dropped. Send again to begin a new one.")},
}

// handleError answers a request that failed. No other code writes problems.
func (s *Server) handleError(err error, c echo.Context) {
	if c.Response().Committed {
		s.options.Log.Warn("request failed after its answer began", "path", c.Path(), "error", err)
		return
	}
	p := toProblem(err)
	allowed := c.Response().Header().Get(echo.HeaderAllow)
	if p.Status == http.StatusMethodNotAllowed && allowed != "" {
		p = otherMethod(allowed)
	}
	switch {
	case p.Status == http.StatusInternalServerError:
		s.options.Log.Error("request failed", "path", c.Path(), "error", err)
	case errors.Is(err, session.ErrStorage):
		s.options.Log.Warn("the storage failed", "path", c.Path(), "error", err)
	}
	if p.Status == http.StatusUnauthorized {
		c.Response().Header().Set("WWW-Authenticate", "Bearer")
	}
	if after := retryAfter(p.Status); after != "" && c.Response().Header().Get("Retry-After") == "" {
		c.Response().Header().Set("Retry-After", after)
	}
	s.holdBack(c, p.Status)
	if err := c.JSON(p.Status, p); err != nil {
		s.options.Log.Debug("answer not written", "path", c.Path(), "error", err)
	}
}

// otherMethod answers a request with a method that a path does not take. allowed are those that it
// takes, as the header Allow lists them, which says OPTIONS as well.
func otherMethod(allowed string) *problem.Problem {
	methods := slices.DeleteFunc(strings.Split(allowed, ", "), func(m string) bool { return m == http.MethodOptions })
	return problem.New(http.StatusMethodNotAllowed, "method_not_allowed",
		"This path does not accept this method. It accepts "+strings.Join(methods, " and ")+".").With("allow", methods)
}

// retryAfter returns after how many seconds a request with this answer may succeed, "" if that
// depends on what its user does.
func retryAfter(status int) string {
	switch status {
	case http.StatusTooManyRequests:
		return "2"
	case http.StatusInsufficientStorage, http.StatusServiceUnavailable:
		return "10"
	}
	return ""
}

// toProblem returns the answer to an error. The text of an error that is not one of
// ours stays in the log.
func toProblem(err error) *problem.Problem {
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		return p
	}
	if e, ok := errors.AsType[*session.EditError](err); ok {
		return editProblem(e)
	}
	for _, known := range sessionProblems {
		if errors.Is(err, known.is) {
			return withPlace(known.answer, err)
		}
	}
	if h, ok := errors.AsType[*echo.HTTPError](err); ok {
		return echoProblem(h.Code)
	}
	return problem.New(http.StatusInternalServerError, "internal",
		"The server failed to handle the request. The cause is in the server's log.")
}

// withPlace adds to an answer which events of a session are damaged, if that is what happened.
func withPlace(p *problem.Problem, err error) *problem.Problem {
	d, ok := session.DamageOf(err)
	if !ok {
		return p
	}
	return p.With("session_id", d.Session).With("first_event", d.First).With("last_event", d.Last)
}

// echoProblem words the errors of Echo's router and middleware.
func echoProblem(status int) *problem.Problem {
	switch status {
	case http.StatusNotFound:
		return problem.New(status, "no_route", "There is nothing at this path.")
	case http.StatusMethodNotAllowed:
		return problem.New(status, "method_not_allowed", "This path does not accept this method.")
	case http.StatusTooManyRequests:
		return problem.New(status, "rate_limited", "Too many messages in a minute. Wait a little and send again.")
	}
	return problem.New(status, "http_"+http.StatusText(status), "The request could not be served.")
}

// jsonSerializer makes Echo write JSON like every other answer, indented for
// requests with ?pretty.
type jsonSerializer struct{ echo.DefaultJSONSerializer }

// Serialize implements echo.JSONSerializer.
func (jsonSerializer) Serialize(c echo.Context, v any, indent string) error {
	return problem.EncodeJSON(c.Response(), v, indent)
}
