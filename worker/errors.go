package worker

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// ErrOver means that the server no longer accepts this token for this job: the job has
// ended, was cancelled or was restarted with another token, never existed, or the
// token is wrong. The server does not say which. Retrying is useless.
var ErrOver = errors.New(
	"the job is over for this token: it has ended, was cancelled or restarted, or the token is wrong")

// ErrReplaced means that another worker has asked for the job since and continues it.
// It matches ErrOver, too.
var ErrReplaced error = replacedError{}

// replacedError is the type of ErrReplaced.
type replacedError struct{}

// Error implements error.
func (replacedError) Error() string { return "another worker has taken the job over" }

// Is makes errors.Is(ErrReplaced, ErrOver) true.
func (replacedError) Is(target error) bool { return target == ErrOver }

// bareOver returns the sentinel for an error that matches ErrOver.
func bareOver(err error) error {
	if errors.Is(err, ErrReplaced) {
		return ErrReplaced
	}
	return ErrOver
}

// ErrFailed means that the job ended with a failure, which its result describes.
var ErrFailed = errors.New("the job failed; its result in the log says why")

// Error means that the server refused a request or did not answer it. Its text never
// contains what was sent, prose from the server, or the token.
type Error struct {
	Status     int           // HTTP status; 0 if there was no answer
	Code       string        // the server's error code, such as bad_batch; may be empty
	RetryAfter time.Duration // how long the server asks to wait; 0 if it does not
	Err        error         // why there was no answer, or none from a Candor server
}

// Error implements error.
func (e *Error) Error() string {
	switch {
	case e.Status == 0:
		return fmt.Sprintf("no answer from the server: %v", e.Err)
	case e.Err != nil:
		return fmt.Sprintf("HTTP %d from the server: %v", e.Status, e.Err)
	case e.Code != "":
		return fmt.Sprintf("HTTP %d from the server: %s", e.Status, e.Code)
	}
	return fmt.Sprintf("HTTP %d from the server", e.Status)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed later: there was no answer,
// the server failed (5xx), or it asks to slow down (429).
func (e *Error) Temporary() bool {
	switch e.Status {
	case 0, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusOK: // not our answer, so a proxy or the like sent it
		return true
	}
	return e.Status >= 500
}

// asTemporary returns err as an *Error and whether it is a temporary one.
func asTemporary(err error) (*Error, bool) {
	e, ok := errors.AsType[*Error](err)
	return e, ok && e.Temporary()
}

// isRefusal reports whether the server rejected the content of a post.
func isRefusal(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || isFull(err) {
		return false
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// isFull reports whether the job's run has reached the server's limit for posts, so
// that it can only be ended.
func isFull(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == "job_full"
}
