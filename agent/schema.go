package agent

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schemas come from front ends and MCP servers, and a schema is a program: one that
// refers to itself can keep its validator busy for ever, or make it overflow the
// stack, which ends the process.
const (
	maxSchemaDepth = 64     // of what a front end sends
	maxSchemaSize  = 10_000 // nodes, every reference counted as often as it is followed
)

// errDeepSchema refuses a schema that takes long only to be read.
var errDeepSchema = errors.New("the schema is nested too deeply")

// checkDepth counts brackets, those in strings left out.
func checkDepth(raw []byte) error {
	depth, text, escaped := 0, false, false
	for _, b := range raw {
		switch {
		case escaped:
			escaped = false
		case text && b == '\\':
			escaped = true
		case b == '"':
			text = !text
		case text:
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

// finite reports whether checking against a schema takes a bounded effort: its
// references, followed to their ends, make a tree of at most maxSchemaSize nodes. A
// schema that is not is still good to be shown to a model.
func finite(s *jsonschema.Schema) bool {
	raw, err := json.Marshal(s)
	if err != nil {
		return false
	}
	var root any
	if json.Unmarshal(raw, &root) != nil {
		return false
	}
	e := expansion{root: root, left: maxSchemaSize, open: map[string]bool{}}
	return e.follow(root)
}

// expansion is a walk through a schema along its references.
type expansion struct {
	root any
	left int
	open map[string]bool // references that are being followed
}

func (e *expansion) follow(node any) bool {
	if e.left--; e.left < 0 {
		return false
	}
	switch node := node.(type) {
	case []any:
		for _, v := range node {
			if !e.follow(v) {
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

func (e *expansion) member(name string, v any) bool {
	text, ok := v.(string)
	if !ok {
		return e.follow(v)
	}
	switch name {
	case "$dynamicRef", "$dynamicAnchor", "$anchor", "$id":
		return false // where these lead cannot be told from here
	case "$ref":
		target, found := e.at(text)
		if !found || e.open[text] {
			return false
		}
		e.open[text] = true
		defer delete(e.open, text)
		return e.follow(target)
	}
	return true
}

// at finds what a reference within the document points to.
func (e *expansion) at(ref string) (node any, ok bool) {
	path, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil, false
	}
	node = e.root
	if path == "" {
		return node, true
	}
	for _, name := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		members, is := node.(map[string]any)
		if !is {
			return nil, false
		}
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		if node, ok = members[name]; !ok {
			return nil, false
		}
	}
	return node, true
}
