package session

import "errors"

// The errors of this package. They come wrapped with what they are about; test
// for them with errors.Is.
var (
	// ErrNoThread: the session has no such thread. Another user's thread gives
	// the same error.
	ErrNoThread = errors.New("no such thread")
	// ErrNoTurn: the thread has no such turn.
	ErrNoTurn = errors.New("no such turn")
	// ErrTurnEnded: the turn is over, so nothing can be added to it.
	ErrTurnEnded = errors.New("turn has ended")
	// ErrNoJob: the session has no such job. Another user's job gives the same error.
	ErrNoJob = errors.New("no such job")
	// ErrJobEnded: the job is over, so nothing can be added to it.
	ErrJobEnded = errors.New("job has ended")
	// ErrJobOpen: the job is not over, so it cannot be started again.
	ErrJobOpen = errors.New("job has not ended")
	// ErrTooManyJobs: the user has as many open jobs as a session holds.
	ErrTooManyJobs = errors.New("too many open jobs")
	// ErrBusy: as many messages as the thread holds are waiting already.
	ErrBusy = errors.New("too many messages are waiting")
	// ErrNotRunning: the thread has no turn that could be interrupted.
	ErrNotRunning = errors.New("no turn is running")
	// ErrNoApproval: no such question is open. One that was answered already, or
	// that another user was asked, gives the same error.
	ErrNoApproval = errors.New("no such approval is open")
	// ErrNotAlways: "always" is no answer to this question; each call of the tool
	// has to be allowed by itself.
	ErrNotAlways = errors.New("this tool has to be approved each time")
	// ErrUnknownCursor: the log never gave out that number.
	ErrUnknownCursor = errors.New("unknown cursor")
	// ErrEvicted: the session was idle for too long and is gone.
	ErrEvicted = errors.New("session was evicted")
	// ErrClosed: the store is shutting down and takes nothing more.
	ErrClosed = errors.New("store is closed")
)
