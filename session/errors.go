package session

import (
	"errors"
	"fmt"

	"candor/safety"
)

// Errors returned by this package. They may be wrapped with more detail, so test for
// them with errors.Is.
var (
	// ErrNoThread means that the session has no such thread. Asking for another
	// user's thread gives the same error.
	ErrNoThread = errors.New("no such thread")
	// ErrNoTurn means that the thread has no turn with this number.
	ErrNoTurn = errors.New("no such turn")
	// ErrRepeated means that the request that should begin a run has begun one already.
	ErrRepeated = errors.New("the request has begun a run already")
	// ErrDropped means that the turn was dropped from memory to make room.
	ErrDropped = errors.New("turn was dropped from memory")
	// ErrFull means that the session holds as much as it may, and nothing of it is over and
	// could be dropped.
	ErrFull = errors.New("the session has reached its limit")
	// ErrDiskFull means that the session takes as much of its storage as it may. It wraps ErrFull. Erasing
	// threads and jobs makes room.
	ErrDiskFull = fmt.Errorf("%w of the storage", ErrFull)
	// ErrServerFull means that all sessions together hold as much as they may, and nothing
	// could be dropped for this one.
	ErrServerFull = errors.New("the server has reached its memory limit")
	// ErrTurnEnded means that the turn has ended and accepts no more events.
	ErrTurnEnded = errors.New("turn has ended")
	// ErrTurnOpen means that the turn has not ended.
	ErrTurnOpen = errors.New("turn has not ended")
	// ErrNoJob means that the session has no such job. Asking for another user's job
	// gives the same error.
	ErrNoJob = errors.New("no such job")
	// ErrJobEnded means that the job has ended and accepts no more events.
	ErrJobEnded = errors.New("job has ended")
	// ErrJobOpen means that the job cannot be restarted because it has not ended.
	ErrJobOpen = errors.New("job has not ended")
	// ErrTooManyJobs means that the session already has MaxOpenJobs open jobs.
	ErrTooManyJobs = errors.New("too many open jobs")
	// ErrObserved means that the thread has turns of somebody else's agent, which only their
	// observer can begin, or that a thread that should be observed is not.
	ErrObserved = errors.New("the turns of this thread are those of others")
	// ErrBusy means that MaxWaiting messages already wait in the thread.
	ErrBusy = errors.New("too many messages are waiting")
	// ErrNotRunning means that the thread has no turn to interrupt.
	ErrNotRunning = errors.New("no turn is running")
	// ErrNoApproval means that no such approval request is open: it never existed, was
	// already answered, or belongs to another user.
	ErrNoApproval = errors.New("no such approval is open")
	// ErrNotAlways means that the request cannot be answered with Always, because
	// each call of this tool has to be approved separately.
	ErrNotAlways = errors.New("this tool has to be approved each time")
	// ErrNoCall means that the turn has no call with this id.
	ErrNoCall = errors.New("no such call")
	// ErrAsked means that a question about the call was asked before, or that the call has ended.
	ErrAsked = errors.New("the call has ended or was asked about")
	// ErrTooManyRatings means that the decision was rated MaxCallRatings times, or those of the
	// session MaxRatings times.
	ErrTooManyRatings = errors.New("rated too often")
	// ErrNoEdit means that the arguments of the call cannot be changed by whom is asked: the
	// call is a decision, a front end runs its tool, or the process that runs the turn is older.
	ErrNoEdit = errors.New("the arguments of this call cannot be changed")
	// ErrUnknownCursor means that the log has not yet issued this event number.
	ErrUnknownCursor = errors.New("unknown cursor")
	// ErrEvicted means that the session was idle for too long and has been dropped.
	ErrEvicted = errors.New("session was evicted")
	// ErrStorage means that the storage beneath the log did not keep or give what it was asked
	// for: its disk is full or its machines do not answer. Nothing was recorded, unless the error says
	// that this is unknown.
	ErrStorage = errors.New("the storage failed")
	// ErrUncleared means that something was deleted, and is gone for every reader, but that the storage
	// still has its bytes. They are cleared as soon as it can be.
	ErrUncleared = errors.New("deleted, but the storage is not yet cleared of it")
	// ErrDamaged means that the storage gave something else than what was recorded, or lost it.
	ErrDamaged = errors.New("the session is damaged")
	// ErrClosed means that the store is shutting down and accepts no more events.
	ErrClosed = errors.New("store is closed")
)

// EditError says why arguments that a person wrote in place of a call's were not taken. The
// question stays open.
type EditError struct {
	Denied bool // by the policy; else the arguments are not what the tool takes
	Reason safety.Text
}

// Error implements error.
func (e *EditError) Error() string {
	return "the changed arguments were not taken: " + e.Reason.String()
}
