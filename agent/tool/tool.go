package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"candor/agent"
	"candor/safety"
)

// New makes a tool from a function. The schema of its arguments is derived from In, which
// must be a struct: JSON tags name the properties, omitempty makes a property optional,
// and a jsonschema tag describes it. The result is Out as JSON, without HTML escapes. The
// tool does not run if its context has already ended.
//
// New panics if In has no schema, which is a mistake in the program.
func New[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) agent.Tool {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %q: no schema for its arguments: %v", name, err))
	}
	if schema.Type != "object" {
		panic(fmt.Sprintf("tool %q: its arguments are of type %q, not a struct", name, schema.Type))
	}
	return &typed[In, Out]{
		spec: agent.Spec{Name: name, Description: description, Schema: schema},
		fn:   fn,
	}
}

// typed adapts a typed function to agent.Tool.
type typed[In, Out any] struct {
	spec agent.Spec
	fn   func(context.Context, In) (Out, error)
}

// Spec implements agent.Tool.
func (t *typed[In, Out]) Spec() agent.Spec { return t.spec }

// Run implements agent.Tool. Missing arguments count as an empty object, so that a tool
// without required properties can be called without any.
func (t *typed[In, Out]) Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var in In
	if len(bytes.TrimSpace(args)) > 0 {
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, fmt.Errorf("the arguments of %s cannot be read: %w", t.spec.Name, err)
		}
	}
	out, err := t.fn(ctx, in)
	if err != nil {
		return nil, err
	}
	return encode(out)
}

// encode returns v as JSON in which <, > and & are not escaped.
func encode(v any) (json.RawMessage, error) {
	raw, err := safety.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("the result cannot be encoded: %w", err)
	}
	return raw, nil
}

// ReadOnly returns t, marked as a tool that changes nothing and sends nothing.
func ReadOnly(t agent.Tool) agent.Tool { return readOnly{t} }

// readOnly is a tool that only reads.
type readOnly struct{ agent.Tool }

// Spec implements agent.Tool.
func (r readOnly) Spec() agent.Spec {
	s := r.Tool.Spec()
	s.ReadOnly = true
	return s
}

// WithApproval returns t with the given approval mode instead of its own.
func WithApproval(t agent.Tool, mode agent.Approval) agent.Tool { return needsApproval{t, mode} }

// needsApproval is a tool with another approval mode.
type needsApproval struct {
	agent.Tool
	mode agent.Approval
}

// Spec implements agent.Tool.
func (n needsApproval) Spec() agent.Spec {
	s := n.Tool.Spec()
	s.Approval = n.mode
	return s
}

// WithTimeout returns t with a limit on the duration of each run. A run that exceeds it
// fails with an error that names the tool and the limit and wraps
// context.DeadlineExceeded. The limit works through the context, so a tool that ignores
// its context is not stopped; a result that it still returns counts.
func WithTimeout(t agent.Tool, limit time.Duration) agent.Tool {
	return &timeLimited{Tool: t, limit: limit}
}

// timeLimited is a tool with a time limit for each run.
type timeLimited struct {
	agent.Tool
	limit time.Duration
}

// Run implements agent.Tool.
func (l *timeLimited) Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	exceeded := fmt.Errorf("%s was stopped after %s, its time limit: %w",
		l.Spec().Name, l.limit, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeoutCause(ctx, l.limit, exceeded)
	defer cancel()
	out, err := l.Tool.Run(ctx, args)
	// The cause distinguishes this limit from a deadline of the caller.
	if err != nil && context.Cause(ctx) == exceeded {
		return nil, exceeded
	}
	return out, err
}
