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

// ErrNoCall says that no call of that name waits for the user's front end: it was
// answered, it was too late, or its turn is over.
var ErrNoCall = errors.New("no such call waits for its result")

// ToolError says which of the tools that a turn was to be given it cannot have, and
// why, in words that repeat nothing of the tool.
type ToolError struct {
	Place int // from 0
	Why   string
}

// Error implements error.
func (e *ToolError) Error() string { return fmt.Sprintf("tool %d: %s", e.Place, e.Why) }

var (
	errNoFrontEnd = errors.New("this tool runs in the user's front end, and there is none here")
	errLate       = errors.New("the user's front end was given this call and did not answer in time")
)

// FrontEndTool is a tool that the user's front end runs. A call of it waits until
// Chat.Return gives its result.
type FrontEndTool struct {
	Name, Description string
	Parameters        json.RawMessage // a JSON Schema of type object; empty means any object
}

// Spec implements Tool. A schema that cannot be read takes any object; Chat.Post
// refuses it before.
func (f FrontEndTool) Spec() Spec {
	schema, _ := f.schema()
	return Spec{Name: f.Name, Description: f.Description, Schema: schema, MayWait: true, FrontEnd: true}
}

func (f FrontEndTool) schema() (*jsonschema.Schema, error) {
	schema := &jsonschema.Schema{}
	if len(f.Parameters) > 0 {
		if err := checkDepth(f.Parameters); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(f.Parameters, schema); err != nil {
			return nil, err
		}
	}
	switch schema.Type {
	case "":
		schema.Type = "object"
	case "object":
	default:
		return nil, errors.New("arguments are an object")
	}
	return schema, nil
}

// Run implements Tool. It is called only where there is no front end.
func (FrontEndTool) Run(context.Context, json.RawMessage) (json.RawMessage, error) {
	return nil, errNoFrontEnd
}

// hand gives a call to the front end.
func (b *batch) hand(a *attempt) {
	f, ok := b.rec.(FrontEnd)
	if !ok {
		a.refuse(session.Rejected, errNoFrontEnd)
		return
	}
	a.fetch = f.Hand(a.id)
}

// errands are the calls that wait for a front end. Whoever takes one out of the map
// answers it, so each is answered once.
type errands struct {
	patience time.Duration

	mu   sync.Mutex
	open map[string]chan returned
}

type returned struct {
	result json.RawMessage
	err    error
}

func errand(user, thread string, turn int, call string) string {
	return user + "\x00" + thread + "\x00" + strconv.Itoa(turn) + "\x00" + call
}

// put opens an errand and returns what waits for it.
func (es *errands) put(id string) func(context.Context) (json.RawMessage, error) {
	es.mu.Lock()
	defer es.mu.Unlock()
	if es.open == nil {
		es.open = map[string]chan returned{}
	}
	answer := make(chan returned, 1)
	es.open[id] = answer
	return func(ctx context.Context) (json.RawMessage, error) { return es.wait(ctx, id, answer) }
}

// take removes an errand and gives where its answer goes, or nil.
func (es *errands) take(id string) chan<- returned {
	es.mu.Lock()
	defer es.mu.Unlock()
	answer := es.open[id]
	delete(es.open, id)
	return answer
}

func (es *errands) wait(ctx context.Context, id string, answer <-chan returned) (json.RawMessage, error) {
	late := time.NewTimer(es.patience)
	defer late.Stop()
	none := errLate
	select {
	case r := <-answer:
		return r.result, r.err
	case <-late.C:
	case <-ctx.Done():
		none = ctx.Err()
	}
	if es.take(id) != nil {
		return nil, none
	}
	r := <-answer // it came just then
	return r.result, r.err
}

// Return gives the result of a call that a front end ran, which has to be JSON, or
// why there is none. It fails with ErrNoCall if the user has no such call waiting.
func (c *Chat) ReturnResult(user, thread string, turn int, call string, result json.RawMessage, failure string) error {
	answer := c.errands.take(errand(user, thread, turn, call))
	if answer == nil {
		return ErrNoCall
	}
	if failure != "" {
		answer <- returned{err: errors.New(failure)}
		return nil
	}
	answer <- returned{result: result}
	return nil
}

// Allow says whether a turn may have these tools of its own: nil, or a *ToolError.
func (c *Chat) CheckTools(own []FrontEndTool) error { return c.dispatcher.checkTools(own) }

func (d *Dispatcher) checkTools(own []FrontEndTool) error {
	taken := d.Tools.set().byName
	seen := make(map[string]bool, len(own))
	for i, t := range own {
		if _, is := taken[t.Name]; is || seen[t.Name] {
			return &ToolError{i, "its name is taken"}
		}
		seen[t.Name] = true
		schema, err := t.schema()
		if err == nil {
			_, err = bind(t, Spec{Name: t.Name, Schema: schema}, false)
		}
		if err != nil {
			return &ToolError{i, "its parameters are no JSON Schema of an object"}
		}
	}
	return nil
}
