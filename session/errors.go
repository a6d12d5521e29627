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
