package mcp

import (
	"encoding/json"
	"slices"
)

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
