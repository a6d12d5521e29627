package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"
)

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
