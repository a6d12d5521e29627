package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxDefinition bounds a tool's description and its schema, each in bytes: every request
// to the model contains them.
const maxDefinition = 128 << 10

// schemaOf converts a server's schema for the model. It keeps all keywords but patterns
// that Go cannot compile. It fails if arguments could not be validated against the schema,
// for example because it refers to another document, which is never fetched.
func schemaOf(given any) (*jsonschema.Schema, error) {
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxDefinition {
		return nil, fmt.Errorf("its schema has %d bytes, more than %d", len(raw), maxDefinition)
	}
	s, err := parseSchema(raw)
	if err != nil || resolves(s) {
		return s, err
	}
	// The schema may only be invalid in Go, because of its patterns: try without them.
	var loose any
	if err := json.Unmarshal(raw, &loose); err != nil {
		return nil, err
	}
	dropPatterns(loose)
	if raw, err = json.Marshal(loose); err != nil {
		return nil, err
	}
	if s, err = parseSchema(raw); err == nil && !resolves(s) {
		return nil, errors.New("its schema cannot be resolved")
	}
	return s, err
}

// parseSchema parses a schema, which must be of type object.
func parseSchema(raw []byte) (*jsonschema.Schema, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, errors.New("its schema cannot be read")
	}
	if s.Type == "" && s.Types == nil {
		s.Type = "object" // some servers omit it for tools without arguments
	}
	if s.Type != "object" {
		return nil, errors.New("its schema is not of type object")
	}
	return &s, nil
}

// resolves reports whether arguments can be validated against a schema.
func resolves(s *jsonschema.Schema) bool {
	_, err := s.CloneSchemas().Resolve(nil)
	return err == nil
}

// dropPatterns removes the regular expressions that Go cannot compile, such as the
// lookaheads of JavaScript that are common for e-mail addresses. The server still checks
// its arguments itself.
func dropPatterns(schema any) {
	switch v := schema.(type) {
	case []any:
		for _, one := range v {
			dropPatterns(one)
		}
	case map[string]any:
		if p, ok := v["pattern"].(string); ok && !compiles(p) {
			delete(v, "pattern")
		}
		if all, ok := v["patternProperties"].(map[string]any); ok {
			for p := range all {
				if !compiles(p) {
					delete(all, p)
				}
			}
		}
		for key, inner := range v {
			if !slices.Contains(untouched, key) {
				dropPatterns(inner)
			}
		}
	}
}

// untouched are the members that dropPatterns does not enter: those that contain no
// schemas, and "not", which would refuse everything if its schema accepted everything.
var untouched = []string{"default", "const", "enum", "examples", "not"}

// compiles reports whether Go accepts a regular expression.
func compiles(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil
}
