package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

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
