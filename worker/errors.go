package worker

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// ErrOver says that the server does not take this token for this job: the job has
// ended, was cancelled, was begun anew with another token, or never was; or the
// token is wrong. The server does not say which. Nothing is to be gained by trying
// again.
var ErrOver = errors.New("the job is over for this token: it has ended, was cancelled or restarted, or the token is wrong")

// ErrReplaced says that another worker has asked for the job since and goes on with
// it. It is an ErrOver, too.
var ErrReplaced error = replaced{}

type replaced struct{}

// Error implements error.
func (replaced) Error() string { return "another worker has taken the job over" }

// Is reports whether the target is ErrOver.
func (replaced) Is(target error) bool { return target == ErrOver }

// over is the bare error of one that is an ErrOver.
func over(err error) error {
	if errors.Is(err, ErrReplaced) {
		return ErrReplaced
	}
	return ErrOver
}

// ErrFailed ends a Runtime whose job was posted as failed.
var ErrFailed = errors.New("the job failed; its result in the log says why")

// Error is a server's refusal, or the lack of its answer. Its text never holds what
// was sent, what the server said in words, or the token.
type Error struct {
	Status     int           // of HTTP; 0 when there was no answer
	Code       string        // the server's word for what was wrong, such as bad_batch; may be empty
	RetryAfter time.Duration // how long the server asks us to wait; 0 when it does not
	Err        error         // why there was no answer, or none that makes sense
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

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed later: there was no answer,
// the server is in trouble (5xx), or we are to slow down (429).
func (e *Error) Temporary() bool {
	switch e.Status {
	case 0, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusOK: // an answer that is not one of ours: something stands between
		return true
	}
	return e.Status >= 500
}

// temporary is the error if waiting helps.
func temporary(err error) (*Error, bool) {
	e, ok := errors.AsType[*Error](err)
	return e, ok && e.Temporary()
}

// refusal reports whether an error is about what was posted, not about the way there.
func refusal(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || full(err) {
		return false
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// full reports whether the job's run has posted as much as the server lets it: all
// that is left to do is to end it.
func full(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == "job_full"
}
