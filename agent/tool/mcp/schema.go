package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"candor/agent"
)

// maxDefinition bounds a tool's description and its schema, each in bytes: every request
// to the model contains them.
const maxDefinition = 128 << 10

// maxSchemas bounds what the schemas of a server's tools cost together once they are compiled,
// in bytes, as [agent.SchemaCost] estimates it.
const maxSchemas = 64 << 20

// oddSchema is the error for a schema against which no arguments could be validated.
type oddSchema struct{ why string }

// Error implements error.
func (e *oddSchema) Error() string { return e.why }

// schemaOf converts a server's schema for the model. It keeps all keywords but patterns
// that Go cannot compile and values that the keyword cannot have, and cleans the texts that
// only explain. It fails with an *oddSchema if arguments could not be validated against the
// schema, for example because it refers to another document, which is never fetched. If that
// is so for some properties only, it returns a schema in which these take anything, too.
// pay is called with the schema's cost, and may refuse, before anything is compiled.
func schemaOf(raw []byte, clean func(string) string, pay func(cost int) error) (*jsonschema.Schema, error) {
	if len(raw) > maxDefinition {
		return nil, fmt.Errorf("its schema has %d bytes, more than %d", len(raw), maxDefinition)
	}
	cost, err := agent.SchemaCost(raw)
	if err != nil {
		return nil, err
	}
	if err := pay(cost); err != nil {
		return nil, err
	}
	if raw, err = cleanNotes(raw, clean); err != nil {
		return nil, &oddSchema{"it has no schema"}
	}
	s, err := compiled(raw)
	if err == nil {
		return s, nil
	}
	if mended, n := withoutOdd(raw); n > 0 {
		if s, err := compiled(mended); err == nil {
			return s, &oddSchema{fmt.Sprintf("%d of its properties take anything", n)}
		}
	}
	return nil, &oddSchema{err.Error()}
}

// maxAlone bounds the properties of a schema that are tried by themselves.
const maxAlone = 64

// withoutOdd returns a schema in which the properties that cannot be read by themselves take anything, and how many
// these are, unless there are too many properties to try.
func withoutOdd(raw json.RawMessage) (mended json.RawMessage, odd int) {
	var whole, properties map[string]json.RawMessage
	if json.Unmarshal(raw, &whole) != nil || json.Unmarshal(whole["properties"], &properties) != nil ||
		len(properties) > maxAlone {
		return nil, 0
	}
	for name, schema := range properties {
		alone := maps.Clone(whole)
		alone["properties"] = encoded(map[string]json.RawMessage{name: schema})
		if _, err := compiled(encoded(alone)); err != nil {
			properties[name] = json.RawMessage("{}")
			odd++
		}
	}
	whole["properties"] = encoded(properties)
	return encoded(whole), odd
}

// compiled parses a schema, and makes sure that it can be resolved.
func compiled(raw json.RawMessage) (*jsonschema.Schema, error) {
	s, err := without(raw, func(pattern string) bool { return !parses(pattern) })
	if err != nil {
		return nil, err
	}
	// The toolbox will compile the patterns; here they only need to be out of the way.
	plain, err := without(raw, func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	if _, err := plain.Resolve(nil); err != nil {
		return nil, errors.New("its schema cannot be resolved")
	}
	return s, nil
}

// without parses a schema without the patterns that drop selects.
func without(raw []byte, drop func(pattern string) bool) (*jsonschema.Schema, error) {
	var loose any
	if err := json.Unmarshal(raw, &loose); err != nil {
		return nil, err
	}
	dropPatterns(loose, drop)
	kept, err := json.Marshal(loose)
	if err != nil {
		return nil, err
	}
	return parseSchema(kept)
}

// cleanNotes tidies a schema, and cleans its titles, descriptions and comments.
func cleanNotes(raw json.RawMessage, clean func(string) string) (json.RawMessage, error) {
	var schema any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // numbers stay as they came
	if err := decoder.Decode(&schema); err != nil {
		return nil, err
	}
	if _, ok := schema.(map[string]any); !ok {
		return nil, errors.New("it is no object")
	}
	schema = tidy(schema, false)
	cleanNote(schema, false, clean)
	return json.Marshal(schema)
}

// cleanNote cleans the notes of a schema or a part of one. If its members are names of the
// schema's own choice, no member is a note.
func cleanNote(schema any, named bool, clean func(string) string) {
	switch v := schema.(type) {
	case []any:
		for _, one := range v {
			cleanNote(one, false, clean)
		}
	case map[string]any:
		for key, one := range v {
			note, ok := one.(string)
			switch {
			case named:
				cleanNote(one, false, clean)
			case ok && slices.Contains(notes, key):
				v[key] = clean(note)
			case !slices.Contains(instances, key):
				cleanNote(one, slices.Contains(namings, key), clean)
			}
		}
	}
}

// The members of a schema that only explain, those that contain no schemas, and those that
// contain schemas by names.
var (
	notes     = []string{"title", "description", "$comment"}
	instances = []string{"default", "const", "enum", "examples"}
	namings   = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)

// parseSchema parses a schema, which must be of type object.
func parseSchema(raw []byte) (*jsonschema.Schema, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, errors.New("its schema cannot be read")
	}
	if s.Type == "" && s.Types == nil || slices.Contains(s.Types, "object") {
		s.Type, s.Types = "object", nil // some servers omit it for tools without arguments, or allow none of them
	}
	if s.Type != "object" {
		return nil, errors.New("its schema is not of type object")
	}
	return &s, nil
}

// dropPatterns removes regular expressions that drop selects, such as those that Go cannot
// compile: the lookaheads of JavaScript are common for e-mail addresses. The server still checks
// its arguments itself.
func dropPatterns(schema any, drop func(pattern string) bool) {
	switch v := schema.(type) {
	case []any:
		for _, one := range v {
			dropPatterns(one, drop)
		}
	case map[string]any:
		if p, ok := v["pattern"].(string); ok && drop(p) {
			delete(v, "pattern")
		}
		if all, ok := v["patternProperties"].(map[string]any); ok {
			for p := range all {
				if drop(p) {
					delete(all, p)
				}
			}
		}
		for key, inner := range v {
			if !slices.Contains(untouched, key) {
				dropPatterns(inner, drop)
			}
		}
	}
}

// untouched are the members that dropPatterns does not enter: those that contain no
// schemas, and "not", which would refuse everything if its schema accepted everything.
var untouched = append([]string{"not"}, instances...)

// parses reports whether Go accepts a regular expression.
func parses(pattern string) bool {
	_, err := syntax.Parse(pattern, syntax.Perl)
	return err == nil
}

// tidy returns a schema, or a part of one, without what its keywords cannot have: nulls, empty arrays where an object
// belongs, numbers as texts, what older drafts allowed. If its members are names of the schema's own choice, they are
// schemas.
func tidy(schema any, named bool) any {
	switch v := schema.(type) {
	case []any:
		for i := range v {
			v[i] = tidy(v[i], false)
		}
	case map[string]any:
		for key, one := range v {
			switch {
			case named:
				v[key] = tidy(asSchema(one), false)
			case slices.Contains(instances, key) && (key != "enum" || isArray(one)):
			case !fits(key, one):
				delete(v, key)
			case slices.Contains(namings, key):
				v[key] = tidy(asSchema(one), true)
			case slices.Contains(holding, key) && !isFilled(one):
				v[key] = asSchema(one)
			default:
				v[key] = tidy(one, false)
			}
		}
	}
	return schema
}

// The keywords of schemas by what they have.
var (
	holding = []string{"additionalProperties", "unevaluatedProperties", "items", "unevaluatedItems", "contains",
		"propertyNames", "not", "if", "then", "else"}
	lists   = []string{"anyOf", "allOf", "oneOf", "prefixItems"}
	wordy   = []string{"title", "description", "$comment", "pattern", "format", "$ref", "$id", "$anchor", "$schema"}
	numbers = []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum",
		"maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minContains", "maxContains"}
	types = []string{"object", "array", "string", "number", "integer", "boolean", "null"}
)

// asSchema returns a schema, and one that takes anything for what is none.
func asSchema(v any) any {
	switch v.(type) {
	case map[string]any, bool:
		return v
	}
	return map[string]any{}
}

func isArray(v any) bool  { _, ok := v.([]any); return ok }
func isFilled(v any) bool { all, ok := v.([]any); return ok && len(all) > 0 }

// fits reports whether a keyword can have a value, of which it removes what it cannot have.
func fits(key string, v any) bool {
	text, isText := v.(string)
	_, isNumber := v.(json.Number)
	switch {
	case v == nil:
		return false
	case slices.Contains(wordy, key):
		return isText
	case slices.Contains(numbers, key):
		return isNumber
	case slices.Contains(lists, key):
		return isFilled(v)
	case key == "enum", key == "required" && !isArray(v):
		return false
	case key == "required":
		return !slices.ContainsFunc(v.([]any), func(one any) bool { _, ok := one.(string); return !ok })
	case key == "type" && isArray(v):
		return isFilled(v) && !slices.ContainsFunc(v.([]any), func(one any) bool {
			name, ok := one.(string)
			return !ok || !slices.Contains(types, name)
		})
	case key == "type":
		return isText && slices.Contains(types, text)
	}
	return true
}
