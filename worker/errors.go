package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
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

// Bounds on what a server can make a client read and wait.
const (
	maxAnswer     = 64 << 20 // bytes of a successful answer
	maxRefusal    = 64 << 10 // bytes of an error
	maxRetryAfter = time.Hour
)

// nameHeader is the request header that carries the client's name.
const nameHeader = "Candor-Worker"

// errForeignAnswer is the cause of an Error for an answer that a Candor server would
// not give, such as the page of a proxy.
var errForeignAnswer = errors.New("the response is not that of a Candor server")

// do sends one request and decodes the answer into out, unless it is 204 No Content.
func (c *Client) do(ctx context.Context, method, path string, body []byte, out any) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, &Error{Err: errors.New("the request cannot be made")}
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set(nameHeader, c.name)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, unanswered(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return resp.StatusCode, readRefusal(resp)
	}
	if resp.StatusCode == http.StatusNoContent {
		return resp.StatusCode, nil
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return 0, unanswered(ctx, err)
	}
	if json.Unmarshal(raw, out) != nil { // the error's text could repeat the answer's
		return resp.StatusCode, &Error{Status: http.StatusOK, Err: errForeignAnswer}
	}
	return resp.StatusCode, nil
}

// unanswered returns the error of a request that got no answer: the context's if it has
// ended, else an *Error without the URL, which contains the job's id.
func unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return &Error{Err: err}
}

// errorCode matches the error codes that a server may put into our errors. Anything
// else could be text that it should not have sent.
var errorCode = regexp.MustCompile(`^[a-z][a-z_]{0,31}$`)

// readRefusal returns the error for an answer other than 2xx.
func readRefusal(resp *http.Response) error {
	e := &Error{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"))}
	var problem struct {
		Code string `json:"error"`
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	if err == nil && json.Unmarshal(raw, &problem) == nil && errorCode.MatchString(problem.Code) {
		e.Code = problem.Code
	}
	switch {
	case e.Status == http.StatusUnauthorized && e.Code == "replaced":
		return ErrReplaced
	case e.Status == http.StatusUnauthorized:
		return ErrOver
	}
	return e
}

// retryAfter parses a Retry-After header in either of its forms, seconds or a date. It
// returns at most maxRetryAfter, and 0 for anything else.
func retryAfter(header string) time.Duration {
	if s, err := strconv.Atoi(header); err == nil && s > 0 {
		return min(time.Duration(min(s, 3600))*time.Second, maxRetryAfter)
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(0, time.Until(at)), maxRetryAfter)
	}
	return 0
}
