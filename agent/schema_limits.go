package agent

import (
	"errors"
	"fmt"
	"strings"
)

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
