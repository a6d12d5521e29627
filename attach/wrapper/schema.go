package wrapper

import "slices"

// Property is the name of the property that is added to a tool's schema, and its schema: those of package agent.
const (
	Property       = "rationale"
	propertySchema = `{"type":"string",` +
		`"description":"One sentence: why this call now, and what you expect it to show."}`
)

// maxSchemaDepth bounds the nesting of a schema that is changed, as package agent bounds that of its own tools. Deeper
// ones are left as they are.
const maxSchemaDepth = 64

// addition is what the schema of a tool says of the property.
type addition int

const (
	impossible addition = iota // the schema is none of an object, or cannot be read
	owned                      // the tool has such a property itself
	added
)

// addProperty returns the edits that make the property the first one of the schema at s, and whether that is possible.
func addProperty(raw []byte, s span, required bool) ([]edit, addition) {
	properties, demanded, ok := readSchema(raw, s)
	if !ok || required && demanded.found() && raw[demanded.from] != '[' && !isNull(raw, demanded) {
		return nil, impossible
	}
	if properties.found() && raw[properties.from] == '{' {
		if mine, _ := find(raw, properties.from, Property); mine[Property].found() {
			return nil, owned
		}
	}
	// A property without the demand for it stays optional, and models leave it out now and then.
	// What the schema lacks is put first into it, in one edit; what it has gains an entry.
	const entry = `"` + Property + `":` + propertySchema
	var edits []edit
	missing := ""
	switch {
	case properties.found() && raw[properties.from] == '{':
		edits = append(edits, insertFirst(raw, properties, entry))
	case properties.found(): // an empty array, which PHP writes for no properties, or null
		edits = append(edits, edit{properties, `{` + entry + `}`})
	default:
		missing = `"properties":{` + entry + `}`
	}
	switch {
	case required && demanded.found() && isNull(raw, demanded):
		edits = append(edits, edit{demanded, `["` + Property + `"]`})
	case required && demanded.found():
		edits = append(edits, insertFirst(raw, demanded, `"`+Property+`"`))
	case required && missing != "":
		missing += `,"required":["` + Property + `"]`
	case required:
		missing = `"required":["` + Property + `"]`
	}
	if missing != "" {
		edits = append(edits, insertFirst(raw, s, missing))
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	return edits, added
}

// readSchema returns the properties of the schema at s and its list of those that are required, and whether it is the
// schema of an object in which something can be added.
func readSchema(raw []byte, s span) (properties, required span, ok bool) {
	if !s.found() || raw[s.from] != '{' || deep(s.of(raw)) {
		return span{}, span{}, false
	}
	parts, ok := find(raw, s.from, "type", "properties", "required")
	if typ := parts["type"]; !ok || typ.found() && !allows(raw, typ, "object") {
		return span{}, span{}, false
	}
	properties = parts["properties"]
	ok = !properties.found() || raw[properties.from] == '{' || isNull(raw, properties) ||
		raw[properties.from] == '[' && blank(raw, properties.from+1) == properties.to-1
	return properties, parts["required"], ok
}

// allows reports whether the type at s, or one of the types, is a given one.
func allows(raw []byte, s span, name string) (ok bool) {
	ok = decoded(s.of(raw)) == name
	elements(raw, s.from, func(one span) { ok = ok || decoded(one.of(raw)) == name })
	return ok
}

// isNull reports whether a value is null.
func isNull(raw []byte, s span) bool { return string(s.of(raw)) == "null" }

// insertFirst returns the edit that makes text the first entry of the object or array at s.
func insertFirst(raw []byte, s span, text string) edit {
	// The value has been walked, so its end is there.
	if next := raw[blank(raw, s.from+1)]; next != '}' && next != ']' {
		text += ","
	}
	return edit{span{s.from + 1, s.from + 1}, text}
}

// deep reports whether a value is nested too deeply to be a schema.
func deep(raw []byte) bool {
	// Brackets within texts do not nest.
	depth := 0
	for at := 0; at < len(raw); at++ {
		switch raw[at] {
		case '"':
			if at = closing(raw, at); at < 0 {
				return true
			}
		case '{', '[':
			if depth++; depth > maxSchemaDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}
