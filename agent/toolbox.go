package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/google/jsonschema-go/jsonschema"
)

// Toolbox is the set of tools that a model is offered. It may be replaced while turns
// run: each step keeps the set it began with. It is safe for concurrent use, and its
// zero value is empty.
type Toolbox struct {
	// RequireRationale makes the rationale a required property of every schema, from the
	// next Replace on. Models that follow schemas then always give a reason, but some
	// models call tools worse for it. A call without a reason still runs.
	RequireRationale bool

	tools atomic.Pointer[toolset]
}

// toolset is the content of a toolbox at one time. It is immutable.
type toolset struct {
	byName map[string]boundTool
	specs  []Spec // as models see them, in the order the tools were given
}

// boundTool is a tool with its schema prepared.
type boundTool struct {
	tool          Tool
	schema        *jsonschema.Resolved // nil if validation could run for ever
	ownsRationale bool                 // the tool has a rationale property of its own
	spec          Spec                 // with the rationale in its schema
}

// Replace exchanges all tools, from the next step of every turn on. It fails, and
// changes nothing, if a name is empty or used twice or a schema is invalid.
func (b *Toolbox) Replace(tools ...Tool) error {
	set := &toolset{byName: make(map[string]boundTool, len(tools))}
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
		set.specs = append(set.specs, bound.spec)
	}
	b.tools.Store(set)
	return nil
}

// current returns the toolbox's content, which is never nil.
func (b *Toolbox) current() *toolset {
	if s := b.tools.Load(); s != nil {
		return s
	}
	return &toolset{}
}

// with returns the set extended by a turn's own tools. Tools whose name is taken or
// whose schema is invalid are left out: they were checked when the turn began, and the
// toolbox has changed since.
func (s *toolset) with(own []Tool) *toolset {
	if len(own) == 0 {
		return s
	}
	extended := &toolset{byName: maps.Clone(s.byName), specs: slices.Clone(s.specs)}
	if extended.byName == nil {
		extended.byName = map[string]boundTool{}
	}
	for _, t := range own {
		spec := t.Spec()
		b, err := bind(t, spec, false)
		if _, taken := extended.byName[spec.Name]; taken || err != nil {
			continue
		}
		extended.byName[spec.Name] = b
		extended.specs = append(extended.specs, b.spec)
	}
	return extended
}

// Specs returns the tools as models see them now, in the order they were given.
func (b *Toolbox) Specs() []Spec { return slices.Clone(b.current().specs) }

// Names returns the tools' names, sorted.
func (b *Toolbox) Names() []string { return slices.Sorted(maps.Keys(b.current().byName)) }

// bind prepares a tool's schema: resolved for validation, and with the rationale as its
// first property unless the tool has such a property itself.
func bind(t Tool, spec Spec, requireRationale bool) (boundTool, error) {
	if spec.Schema == nil {
		spec.Schema = &jsonschema.Schema{Type: "object"}
	}
	resolved, err := spec.Schema.CloneSchemas().Resolve(nil)
	if err != nil {
		return boundTool{}, fmt.Errorf("schema: %w", err)
	}
	if !finite(spec.Schema) {
		resolved = nil
	}
	_, owns := spec.Schema.Properties[rationaleProperty]
	if !owns {
		spec.Schema = withRationale(spec.Schema, requireRationale)
	}
	return boundTool{tool: t, schema: resolved, ownsRationale: owns, spec: spec}, nil
}

// validate checks arguments, which must be one JSON object, against the schema.
func (b boundTool) validate(args json.RawMessage) error {
	var v map[string]any
	if err := json.Unmarshal(args, &v); err != nil || v == nil {
		return errors.New("invalid arguments: they have to be one JSON object")
	}
	if b.schema == nil {
		return nil
	}
	if err := b.schema.Validate(v); err != nil {
		return fmt.Errorf("invalid arguments: %w", err)
	}
	return nil
}
