package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

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
