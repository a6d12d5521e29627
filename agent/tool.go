package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Tool is something a model can call. Run gets arguments that fit the schema and
// returns JSON; it is called from many turns at once and stops when ctx ends.
type Tool interface {
	Spec() Spec
	Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error)
}

// Spec describes a tool to a model. Schema is of type object.
type Spec struct {
	Name        string
	Description string
	Schema      *jsonschema.Schema
}

// Toolbox is a fixed set of tools with their schemas made ready. It is safe for
// concurrent use.
type Toolbox struct {
	byName map[string]bound
	specs  []Spec
}

// bound is a tool with what was worked out about it once.
type bound struct {
	tool        Tool
	args        *jsonschema.Resolved
	ownsReason  bool // it has a rationale property of its own, which stays
	description Spec
}

// NewToolbox checks the tools and puts the rationale property first into each
// schema. It fails when a name is empty or taken, or a schema cannot be used.
func NewToolbox(tools ...Tool) (*Toolbox, error) {
	box := &Toolbox{byName: make(map[string]bound, len(tools))}
	for _, t := range tools {
		spec := t.Spec()
		if spec.Name == "" {
			return nil, errors.New("a tool has no name")
		}
		if _, taken := box.byName[spec.Name]; taken {
			return nil, fmt.Errorf("two tools are called %q", spec.Name)
		}
		b, err := bind(t, spec)
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", spec.Name, err)
		}
		box.byName[spec.Name] = b
		box.specs = append(box.specs, b.description)
	}
	return box, nil
}

// Specs is what the model is shown, in the order the tools were given.
func (b *Toolbox) Specs() []Spec { return slices.Clone(b.specs) }

// Names are the tools' names, sorted.
func (b *Toolbox) Names() []string { return slices.Sorted(maps.Keys(b.byName)) }

func bind(t Tool, spec Spec) (bound, error) {
	if spec.Schema == nil {
		spec.Schema = &jsonschema.Schema{Type: "object"}
	}
	args, err := spec.Schema.CloneSchemas().Resolve(nil)
	if err != nil {
		return bound{}, fmt.Errorf("schema: %w", err)
	}
	_, owns := spec.Schema.Properties[rationaleProperty]
	if !owns {
		spec.Schema = withRationale(spec.Schema)
	}
	return bound{tool: t, args: args, ownsReason: owns, description: spec}, nil
}

// check validates arguments against the schema. They have to be one object.
func (b bound) check(args json.RawMessage) error {
	var v map[string]any
	if err := json.Unmarshal(args, &v); err != nil || v == nil {
		return errors.New("invalid arguments: they have to be one JSON object")
	}
	if err := b.args.Validate(v); err != nil {
		return fmt.Errorf("invalid arguments: %w", err)
	}
	return nil
}
