package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"candor/session"
)

// ToolError says which of a turn's own tools cannot be offered, and why. Its text never
// quotes the tool's definition.
type ToolError struct {
	Place int // index among the tools, from 0
	Why   string
}

// Error implements error.
func (e *ToolError) Error() string { return fmt.Sprintf("tool %d: %s", e.Place, e.Why) }

var errNoFrontEnd = errors.New("this tool runs in the user's front end, and there is none here")

// FrontEndTool is a tool that the user's front end runs. A call of it waits until
// Chat.ReturnResult delivers the result.
type FrontEndTool struct {
	Name, Description string
	Parameters        json.RawMessage // a JSON Schema of type object; empty allows any object
}

// Spec implements Tool. It has no schema, as if the tool took any object: a turn compiles
// Parameters once, and keeps what Chat.SendWith compiled when it checked them.
func (f FrontEndTool) Spec() Spec {
	return Spec{Name: f.Name, Description: f.Description, MayWait: true, FrontEnd: true}
}

// parseSchema parses Parameters. The schema's type must be object, or absent.
func (f FrontEndTool) parseSchema() (*jsonschema.Schema, error) {
	schema := &jsonschema.Schema{}
	if len(f.Parameters) > 0 {
		if err := json.Unmarshal(f.Parameters, schema); err != nil {
			return nil, err
		}
	}
	switch schema.Type {
	case "":
		schema.Type = "object"
	case "object":
	default:
		return nil, fmt.Errorf("the schema's type is %q, not object", schema.Type)
	}
	return schema, nil
}

// Run implements Tool. It always fails, because it is called only where there is no
// front end.
func (FrontEndTool) Run(context.Context, json.RawMessage) (json.RawMessage, error) {
	return nil, errNoFrontEnd
}

// forwardToFrontEnd forwards a call of a front-end tool, or refuses it where there is no
// front end. It ignores other calls and those that were refused already.
func (b *batch) forwardToFrontEnd(a *attempt) {
	if a.outcome != "" || !a.tool.spec.FrontEnd {
		return
	}
	f, ok := b.rec.(FrontEndRunner)
	if !ok {
		a.refuse(session.Rejected, errNoFrontEnd)
		return
	}
	a.awaitFrontEnd = f.Forward(a.id)
}

// recall closes a call that was forwarded and is not to run, so that it waits for no result.
func (a *attempt) recall() {
	if a.awaitFrontEnd != nil {
		over, stop := context.WithCancel(context.Background())
		stop()
		_, _ = a.awaitFrontEnd(over)
	}
}

// CheckTools returns nil if a turn may have these tools of its own, else a *ToolError
// for the first that it may not have. It stops with the error of ctx once that has ended.
func (c *Chat) CheckTools(ctx context.Context, own []FrontEndTool) error {
	return c.dispatcher.checkTools(ctx, own)
}

func (d *Dispatcher) checkTools(ctx context.Context, own []FrontEndTool) error {
	taken := d.Tools.current().byName
	seen := make(map[string]bool, len(own))
	together := costOf{limit: maxToolSchemas}
	for i, t := range own {
		if _, exists := taken[t.Name]; exists || seen[t.Name] {
			return &ToolError{i, "its name is taken"}
		}
		seen[t.Name] = true
		_, err := d.schemas.compileOnce(ctx, t, together.add)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return &ToolError{i, err.Error()}
		}
	}
	return nil
}

// bindOwn prepares a turn's own tools, once for all of its steps. Tools with an invalid schema
// are left out; they were refused when the turn was asked for.
func (d *Dispatcher) bindOwn(ctx context.Context, own []Tool) []boundTool {
	var bound []boundTool
	for _, t := range own {
		spec := t.Spec()
		var schema *compiledSchema
		var err error
		if f, ok := t.(FrontEndTool); ok {
			schema, err = d.schemas.compileOnce(ctx, f, func(int) error { return nil })
		} else {
			schema, err = compile(spec.Schema, false)
		}
		if err == nil {
			bound = append(bound, bind(t, spec, schema))
		}
	}
	return bound
}

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
