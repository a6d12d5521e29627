package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// maxCheckCost bounds the work of checking one call's arguments against a schema, and the
// memory that it takes: bytes of errors, and steps of regular expressions.
const maxCheckCost = 64 << 20

// valueWeight is what each value of the arguments counts in addition to its text.
const valueWeight = 64

var errTooMuchToCheck = errors.New("invalid arguments: they are too large to be checked against the tool's schema")

// checking adds up, without doing it, what the validator would do at most: it visits the
// schemas that apply to each value. The validator quotes a value in the error of every schema
// that it does not fit, and the errors of those below in the error of the one above.
type checking struct {
	*schemaTree
	left int // of maxCheckCost
}

// check returns nil if arguments can be checked against the schema at bounded cost.
func (t *schemaTree) check(ctx context.Context, args any) error {
	c := checking{schemaTree: t, left: maxCheckCost}
	c.visit(ctx, t.root, args)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case c.left < 0:
		return errTooMuchToCheck
	}
	return nil
}

// visit charges a schema's validation of a value, and returns the length of the error that it
// may result in.
func (c *checking) visit(ctx context.Context, schema, v any) (text int) {
	node, ok := schema.(map[string]any)
	if !ok || c.left < 0 || ctx.Err() != nil {
		return 0
	}
	text = weight(v)
	for name, under := range node {
		text += c.keyword(ctx, name, under, v)
	}
	c.left -= text
	return text
}

// keyword charges what one keyword of a schema does with a value.
func (c *checking) keyword(ctx context.Context, name string, under, v any) (text int) {
	switch name {
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else":
		return c.visitAll(ctx, under, v)
	case "dependentSchemas", "dependencies":
		if members, ok := under.(map[string]any); ok {
			for _, one := range members {
				text += c.visit(ctx, one, v)
			}
		}
		return text
	case "$ref":
		ref, _ := under.(string)
		target, _ := c.resolve(ref)
		return c.visit(ctx, target, v)
	case "enum", "const":
		return weight(under)
	case "pattern":
		p, _ := under.(string)
		s, _ := v.(string)
		c.left -= c.patterns[p] * len(s)
		return len(p)
	}
	switch v := v.(type) {
	case map[string]any:
		return c.members(ctx, name, under, v)
	case []any:
		return c.items(ctx, name, under, v)
	}
	return 0
}

// visitAll charges a schema, or each of a list, for the same value.
func (c *checking) visitAll(ctx context.Context, under, v any) (text int) {
	list, ok := under.([]any)
	if !ok {
		return c.visit(ctx, under, v)
	}
	for _, one := range list {
		text += valueWeight + c.visit(ctx, one, v)
	}
	return text
}

// members charges a keyword about the members of an object.
func (c *checking) members(ctx context.Context, name string, under any, v map[string]any) (text int) {
	schemas, _ := under.(map[string]any)
	switch name {
	case "properties":
		for member, schema := range schemas {
			if value, ok := v[member]; ok {
				text += c.visit(ctx, schema, value)
			}
		}
	case "patternProperties":
		for p, schema := range schemas {
			for member, value := range v {
				c.left -= c.patterns[p] * len(member)
				text += c.visit(ctx, schema, value)
			}
		}
	case "propertyNames":
		for member := range v {
			text += c.visit(ctx, under, member)
		}
	case "additionalProperties", "unevaluatedProperties":
		for _, value := range v {
			text += c.visit(ctx, under, value)
		}
	}
	return text
}

// items charges a keyword about the elements of an array.
func (c *checking) items(ctx context.Context, name string, under any, v []any) (text int) {
	switch name {
	case "prefixItems", "items", "additionalItems", "contains", "unevaluatedItems":
	default:
		return 0
	}
	list, each := under.([]any)
	for i, value := range v {
		switch {
		case !each:
			text += c.visit(ctx, under, value)
		case i < len(list):
			text += c.visit(ctx, list[i], value)
		}
	}
	return text
}

// weight returns about how long a value is when it is printed.
func weight(v any) (n int) {
	switch v := v.(type) {
	case string:
		return valueWeight + len(v)
	case []any:
		for _, one := range v {
			n += weight(one)
		}
	case map[string]any:
		for name, one := range v {
			n += len(name) + weight(one)
		}
	}
	return valueWeight + n
}

// Schemas come from front ends and MCP servers and are not trusted. A schema that refers
// to itself can keep its validator busy for ever, or overflow the stack, which ends the
// process; a few bytes of a regular expression can take gigabytes. These limits exclude both.
const (
	maxSchemaDepth = 64      // nesting of a schema
	maxSchemaSize  = 10_000  // nodes, with every reference expanded
	maxToolSchemas = 8 << 20 // bytes that the schemas of a turn's own tools cost together, compiled
)

var (
	errDeepSchema = fmt.Errorf("its schema is nested more than %d levels deep", maxSchemaDepth)
	errNoSchema   = errors.New("its parameters are no JSON Schema of an object")
)

// checkDepth fails if JSON text is nested deeper than maxSchemaDepth. It counts brackets
// outside of strings and does not parse the text, so deep text costs nothing more.
func checkDepth(raw []byte) error {
	depth, inString, escaped := 0, false, false
	for _, b := range raw {
		switch {
		case escaped:
			escaped = false
		case inString && b == '\\':
			escaped = true
		case b == '"':
			inString = !inString
		case inString:
		case b == '{' || b == '[':
			if depth++; depth > maxSchemaDepth {
				return errDeepSchema
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return nil
}

// finite reports whether validation against a schema is bounded: with all references
// expanded, the schema is a tree of at most maxSchemaSize nodes. A schema that is not
// finite may still be shown to a model.
func (t *schemaTree) finite() bool {
	e := expansion{schemaTree: t, left: maxSchemaSize, open: map[string]bool{}}
	return e.expand(t.root)
}

// expansion walks a schema and follows its references.
type expansion struct {
	*schemaTree
	left int             // nodes that may still be visited
	open map[string]bool // references that are being followed
}

// expand visits a node and all below it. It returns false when the walk must end.
func (e *expansion) expand(node any) bool {
	if e.left--; e.left < 0 {
		return false
	}
	switch node := node.(type) {
	case []any:
		for _, v := range node {
			if !e.expand(v) {
				return false
			}
		}
	case map[string]any:
		for name, v := range node {
			if !e.member(name, v) {
				return false
			}
		}
	}
	return true
}

// member visits one member of an object, which is a reference if name and v say so.
func (e *expansion) member(name string, v any) bool {
	text, ok := v.(string)
	if !ok {
		return e.expand(v)
	}
	switch name {
	case "$dynamicRef", "$dynamicAnchor", "$anchor", "$id":
		return false // their targets cannot be resolved here
	case "$ref":
		target, found := e.resolve(text)
		if !found || e.open[text] {
			return false
		}
		e.open[text] = true
		defer delete(e.open, text)
		return e.expand(target)
	}
	return true
}

// resolve returns the node that a reference within the document points to.
func (t *schemaTree) resolve(ref string) (node any, ok bool) {
	path, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil, false
	}
	node = t.root
	if path == "" {
		return node, true
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		members, isObject := node.(map[string]any)
		if !isObject {
			return nil, false
		}
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		if node, ok = members[name]; !ok {
			return nil, false
		}
	}
	return node, true
}
