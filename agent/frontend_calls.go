package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"candor/session"
)

// ErrNoCall says that no such call waits for the user's front end: it was answered
// already, its time was up, its turn is over, or it never existed.
var ErrNoCall = errors.New("no such call waits for its result")

var errNoResult = errors.New("the user's front end was given this call and did not answer in time")

// frontEndCalls holds the calls that wait for a front end's result. Whoever removes a
// call from the map answers it, so each is answered at most once. The zero value with a
// timeout is ready to use.
type frontEndCalls struct {
	timeout time.Duration

	mu   sync.Mutex
	open map[string]chan frontEndResult // by callKey
}

// frontEndResult is a call's result, or the error that replaces it.
type frontEndResult struct {
	result json.RawMessage
	err    error
}

// callKey identifies a call among all users' calls.
func callKey(user, thread string, turn int, call string) string {
	return user + "\x00" + thread + "\x00" + strconv.Itoa(turn) + "\x00" + call
}

// put opens a call and returns the function that waits for its result.
func (f *frontEndCalls) put(key string) func(context.Context) (json.RawMessage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		f.open = map[string]chan frontEndResult{}
	}
	returned := make(chan frontEndResult, 1)
	f.open[key] = returned
	return func(ctx context.Context) (json.RawMessage, error) { return f.wait(ctx, key, returned) }
}

// take removes a call and returns the channel for its result, or nil if no such call is
// open.
func (f *frontEndCalls) take(key string) chan<- frontEndResult {
	f.mu.Lock()
	defer f.mu.Unlock()
	returned := f.open[key]
	delete(f.open, key)
	return returned
}

// wait returns a call's result. If there is none before the timeout or before ctx ends,
// wait closes the call and fails.
func (f *frontEndCalls) wait(
	ctx context.Context, key string, returned <-chan frontEndResult,
) (json.RawMessage, error) {
	timeout := time.NewTimer(f.timeout)
	defer timeout.Stop()
	cause := errNoResult
	select {
	case r := <-returned:
		return r.result, r.err
	case <-timeout.C:
	case <-ctx.Done():
		cause = ctx.Err()
	}
	if f.take(key) != nil {
		return nil, cause
	}
	r := <-returned // the front end took the call first
	return r.result, r.err
}

// ReturnResult delivers the result of a call that the user's front end ran: result,
// which must be JSON, or failure if that is not empty. It fails with ErrNoCall if the
// user has no such call waiting.
func (c *Chat) ReturnResult(
	user, thread string, turn int, call string, result json.RawMessage, failure string,
) error {
	err := c.returnHere(callKey(user, thread, turn, call), result, failure)
	if err == ErrNoCall {
		ref := session.Ref{Thread: thread, Turn: turn}
		return c.sendTo(c.ctx, ref, turnCommand{Return: &returnCommand{user, call, result, failure}}, ErrNoCall)
	}
	return err
}

// returnHere delivers the result of a call that waits in this process.
func (c *Chat) returnHere(key string, result json.RawMessage, failure string) error {
	waiting := c.frontEndCalls.take(key)
	if waiting == nil {
		return ErrNoCall
	}
	if failure != "" {
		waiting <- frontEndResult{err: errors.New(failure)}
		return nil
	}
	waiting <- frontEndResult{result: result}
	return nil
}
