package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/google/jsonschema-go/jsonschema"
)

// Tool is something a model can call. Run gets arguments that fit the schema and
// returns JSON; it is called from many turns at once and stops when ctx ends.
type Tool interface {
	Spec() Spec
	Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error)
}

// Spec describes a tool. Schema is of type object. Models see the first three.
type Spec struct {
	Name        string
	Description string
	Schema      *jsonschema.Schema
	Approval    Approval
	MayWait     bool // a call may wait for somebody: the rest of its batch is recorded without it
	FrontEnd    bool // the user's front end runs it
}

// Approval says whether a person is asked before a tool runs.
type Approval int

const (
	// ApprovalNever: it runs.
	ApprovalNever Approval = iota
	// ApprovalAsk: a person is asked, and may answer for the rest of the session.
	ApprovalAsk
	// ApprovalAlways: a person is asked each time.
	ApprovalAlways
)

// ParseApproval reads never, ask or always.
func ParseApproval(s string) (Approval, error) {
	for a, name := range []string{"never", "ask", "always"} {
		if s == name {
			return Approval(a), nil
		}
	}
	return 0, fmt.Errorf("%q is none of never, ask, always", s)
}

// Toolbox is a set of tools with their schemas made ready. It may be replaced
// while turns run: a step keeps the set it began with. It is safe for concurrent
// use, and its zero value is empty.
type Toolbox struct {
	// Demand makes the rationale a required property of every schema, from the next
	// Replace on. Models that follow schemas then always give a reason; others call
	// tools worse for it. A call without one runs all the same.
	RequireRationale bool

	now atomic.Pointer[toolset]
}

// toolset is what a toolbox holds at one time. It never changes.
type toolset struct {
	byName map[string]bound
	specs  []Spec
}

// bound is a tool with what was worked out about it once.
type bound struct {
	tool        Tool
	args        *jsonschema.Resolved // nil where checking could go on for ever
	ownsReason  bool                 // it has a rationale property of its own, which stays
	description Spec
}

// Replace exchanges all tools, from the next step of every turn on. It fails
// when a name is empty or taken or a schema cannot be used, and then changes nothing.
func (b *Toolbox) Replace(tools ...Tool) error {
	set := &toolset{byName: make(map[string]bound, len(tools))}
	for _, t := range tools {
		spec := t.Spec()
		if spec.Name == "" {
			return errors.New("a tool has no name")
		}
		if _, taken := set.byName[spec.Name]; taken {
			return fmt.Errorf("two tools are called %q", spec.Name)
		}
		bound, err := bind(t, spec, b.RequireRationale)
		if err != nil {
			return fmt.Errorf("tool %q: %w", spec.Name, err)
		}
		set.byName[spec.Name] = bound
		set.specs = append(set.specs, bound.description)
	}
	b.now.Store(set)
	return nil
}

// set is what the toolbox holds now; an empty toolbox holds nothing.
func (b *Toolbox) set() *toolset {
	if s := b.now.Load(); s != nil {
		return s
	}
	return &toolset{}
}

// with is the set and a turn's own tools. One that has the name of another, or that
// cannot be bound, is left out: it was fine when the turn began.
func (s *toolset) with(own []Tool) *toolset {
	if len(own) == 0 {
		return s
	}
	all := &toolset{byName: maps.Clone(s.byName), specs: slices.Clone(s.specs)}
	if all.byName == nil {
		all.byName = map[string]bound{}
	}
	for _, t := range own {
		spec := t.Spec()
		b, err := bind(t, spec, false)
		if _, taken := all.byName[spec.Name]; taken || err != nil {
			continue
		}
		all.byName[spec.Name] = b
		all.specs = append(all.specs, b.description)
	}
	return all
}

// Specs is what a model is shown now, in the order the tools were given.
func (b *Toolbox) Specs() []Spec { return slices.Clone(b.set().specs) }

// Names are the tools' names, sorted.
func (b *Toolbox) Names() []string { return slices.Sorted(maps.Keys(b.set().byName)) }

func bind(t Tool, spec Spec, demand bool) (bound, error) {
	if spec.Schema == nil {
		spec.Schema = &jsonschema.Schema{Type: "object"}
	}
	args, err := spec.Schema.CloneSchemas().Resolve(nil)
	if err != nil {
		return bound{}, fmt.Errorf("schema: %w", err)
	}
	if !finite(spec.Schema) {
		args = nil
	}
	_, owns := spec.Schema.Properties[rationaleProperty]
	if !owns {
		spec.Schema = withRationale(spec.Schema, demand)
	}
	return bound{tool: t, args: args, ownsReason: owns, description: spec}, nil
}

// check validates arguments against the schema. They have to be one object.
func (b bound) check(args json.RawMessage) error {
	var v map[string]any
	if err := json.Unmarshal(args, &v); err != nil || v == nil {
		return errors.New("invalid arguments: they have to be one JSON object")
	}
	if b.args == nil {
		return nil
	}
	if err := b.args.Validate(v); err != nil {
		return fmt.Errorf("invalid arguments: %w", err)
	}
	return nil
}
