package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"candor/session"
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

	asksConfidence bool // the schemas in specs ask for a confidence
}

// boundTool is a tool with its schema prepared; the spec's has the rationale.
type boundTool struct {
	tool   Tool
	schema *compiledSchema
	spec   Spec
}

// Replace exchanges all tools, from the next step of every turn on. It fails, and
// changes nothing, if a name is empty or used twice or a schema is invalid.
func (b *Toolbox) Replace(tools ...Tool) error {
	set, before := &toolset{byName: make(map[string]boundTool, len(tools))}, b.current()
	for _, t := range tools {
		spec := t.Spec()
		if spec.Name == "" {
			return errors.New("a tool has no name")
		}
		if _, taken := set.byName[spec.Name]; taken {
			return fmt.Errorf("two tools are called %q", spec.Name)
		}
		schema := before.compiled(spec)
		if schema == nil {
			var err error
			if schema, err = compile(spec.Schema, b.RequireRationale); err != nil {
				return fmt.Errorf("tool %q: schema: %w", spec.Name, err)
			}
		}
		bound := bind(t, spec, schema)
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

// compiled returns the compiled schema of the tool of that name if it has this very schema; it
// need not be compiled again. It is nil for every other.
func (s *toolset) compiled(spec Spec) *compiledSchema {
	if known, ok := s.byName[spec.Name]; ok && spec.Schema != nil && known.schema.given == spec.Schema {
		return known.schema
	}
	return nil
}

// with returns the set extended by a turn's own tools, as far as their names are not taken:
// they were free when the turn began, but the toolbox may have changed since.
func (s *toolset) with(own []boundTool) *toolset {
	if len(own) == 0 {
		return s
	}
	extended := &toolset{byName: maps.Clone(s.byName), specs: slices.Clone(s.specs)}
	if extended.byName == nil {
		extended.byName = map[string]boundTool{}
	}
	for _, b := range own {
		if _, taken := extended.byName[b.spec.Name]; taken {
			continue
		}
		extended.byName[b.spec.Name] = b
		extended.specs = append(extended.specs, b.spec)
	}
	return extended
}

// The dress in which models and servers put the names of tools: the markup of channels behind them, the kind of thing
// before them, a number or a call's parentheses behind them.
var (
	behindName = regexp.MustCompile(`(?s)(<[|｜].*|\(\)|:\d+)$`)
	beforeName = regexp.MustCompile(`(?i)^(to=|<\|[^|]*\|>|functions?[./:=]|tools?[./:]|default_api[./:])+`)
	recipient  = regexp.MustCompile(`<\|.*\bto=([\w.:/-]+)`)
	notInName  = regexp.MustCompile(`[^\pL\pN]+`)
)

// resolve returns the tool that a model calls by a name. A name that no tool has may be dressed: it means the one tool
// that is left when the dress is taken off, and then the one that differs in case and separators only.
func (s *toolset) resolve(name string) (boundTool, bool) {
	if b, ok := s.byName[name]; ok {
		return b, true
	}
	bare := strings.Trim(name, " \t\r\n`'\"")
	if to := recipient.FindStringSubmatch(bare); to != nil {
		bare = to[1]
	}
	bare = strings.TrimSpace(behindName.ReplaceAllString(beforeName.ReplaceAllString(bare, ""), ""))
	if b, ok := s.byName[bare]; ok {
		return b, true
	}
	var found []boundTool
	plain := func(name string) string { return notInName.ReplaceAllString(name, "_") }
	for other, b := range s.byName {
		if bare != "" && strings.EqualFold(plain(other), plain(bare)) {
			found = append(found, b)
		}
	}
	if len(found) != 1 {
		return boundTool{}, false
	}
	return found[0], true
}

// Specs returns the tools as models see them now, in the order they were given.
func (b *Toolbox) Specs() []Spec { return slices.Clone(b.current().specs) }

// Names returns the tools' names, sorted.
func (b *Toolbox) Names() []string { return slices.Sorted(maps.Keys(b.current().byName)) }

// bind joins a tool, its spec and its compiled schema.
func bind(t Tool, spec Spec, schema *compiledSchema) boundTool {
	spec.Schema = schema.shown
	return boundTool{tool: t, schema: schema, spec: spec}
}

// validate checks arguments, which must be one JSON object, against the schema.
func (b boundTool) validate(ctx context.Context, args json.RawMessage) error {
	var v map[string]any
	if err := json.Unmarshal(args, &v); err != nil || v == nil {
		return errors.New("invalid arguments: they have to be one JSON object")
	}
	if b.schema.resolved == nil {
		return nil
	}
	if err := b.schema.tree.check(ctx, v); err != nil {
		return err
	}
	if err := b.schema.resolved.Validate(v); err != nil {
		return fmt.Errorf("invalid arguments: %w", err)
	}
	return nil
}

// Tool is a function that a model can call. Run receives arguments that are valid
// against the schema, without the rationale, and returns JSON. Turns call it
// concurrently, and it must return soon after ctx has ended.
type Tool interface {
	Spec() Spec
	Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error)
}

// Spec describes a tool. Models see its name, description and schema.
type Spec struct {
	Name        string
	Description string
	Schema      *jsonschema.Schema // of type object; nil allows any object
	Approval    Approval
	MayWait     bool // a call may wait for somebody
	FrontEnd    bool // the user's front end runs the tool
	Decides     bool // a call states a decision and touches nothing
	ReadOnly    bool // the tool changes nothing and sends nothing, so no person has to review a call
	HTTP        bool // a call is a request to a server
	Origin      Origin

	// Takes is how long a call takes, for tools of which it is known. Calls of one step whose tools
	// have it are recorded in the order of these times, so that a script plays the same way always.
	Takes *time.Duration
}

// transport returns by what way calls reach the tool, and nothing for a tool that does not exist.
func (s Spec) transport() session.Transport {
	switch {
	case s.Name == "":
		return ""
	case s.Origin.Server != "":
		return session.MCP
	case s.HTTP:
		return session.HTTP
	}
	return session.Native
}

// Origin says where a tool comes from that a server brought, so that rules hold for the tool and
// not for a name that it may lose. It is empty for tools of our own.
type Origin struct {
	Server     string   // as the operator calls it
	Tool       string   // the server's own name for it, as it came: text of others
	Names      []string // every name that models may know it by
	Definition string   // a digest of the server's name and of the tool's own name, description and schema
}
