package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxDefinition bounds a tool's description and schema together, in bytes:
// every request to the model carries them.
const maxDefinition = 128 << 10

// schemaOf turns a schema as a server gives it into one for a model, with all
// its keywords, patterns that Go cannot read excepted. It fails where arguments
// could not be checked against it, such as for a reference to somewhere else,
// which is never fetched.
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

func parseSchema(raw []byte) (*jsonschema.Schema, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, errors.New("its schema cannot be read")
	}
	if s.Type == "" && s.Types == nil {
		s.Type = "object" // some servers leave it out for a tool without arguments
	}
	if s.Type != "object" {
		return nil, errors.New("its schema is not of type object")
	}
	return &s, nil
}

func resolves(s *jsonschema.Schema) bool {
	_, err := s.CloneSchemas().Resolve(nil)
	return err == nil
}

// dropPatterns takes out of a schema the regular expressions that Go's do not
// know: those of JavaScript have lookaheads, and are common for e-mail addresses.
// The server checks what it is given by itself.
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

// untouched are the members that hold no schemas, and not, which would refuse
// everything once what is in it takes everything.
var untouched = []string{"default", "const", "enum", "examples", "not"}

func compiles(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil
}
