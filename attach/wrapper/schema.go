package wrapper

import (
	"encoding/json"
	"slices"
)

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

// The bounds of what is known of a server's tools. What does not fit is passed on as it is.
const (
	maxTools    = 4096
	maxToolName = 256 // in bytes
)

// tools are the tools that a server has listed, by name: whether the client knows them with our property.
type tools struct {
	known map[string]knownTool
	// Whether the client may know tools that are not among these, without our property.
	others bool
	// Counts the lists that began anew. A list comes in pages, each of which adds to it.
	list int
}

// ours reports whether the client knows a tool with our property. It may have a list that an earlier process gave it,
// so a tool of which nothing is known has the property, unless a list that passed here may have had it without.
func (t *tools) ours(name string) bool {
	if one, ok := t.known[name]; ok {
		return one.ours
	}
	return !t.others
}

// allOurs reports whether the client knows no tool without our property.
func (t *tools) allOurs() bool {
	for _, one := range t.known {
		if !one.ours && one.list == t.list {
			return false
		}
	}
	return !t.others
}

// forget says that the client may know other tools than those that were listed, all without our property.
func (t *tools) forget() { t.known, t.others = nil, true }

// knownTool is a tool as the client knows it.
type knownTool struct {
	list int // in which it was seen last
	ours bool
	// What it wants in headers.
	headers []paramHeader
}

// listed returns the edits that add the property to the tools of the list at s, a page of a list. fresh says that the
// list begins anew with it.
func (t *tools) listed(raw []byte, s span, fresh, required bool) (edits []edit) {
	if fresh {
		t.list++
		t.others = false
	}
	if !json.Valid(raw) {
		t.forget() // whatever the client makes of it, it has no property of ours
		return nil
	}
	// Names are counted first: the twin of a tool may stand behind it.
	names := map[string]int{}
	each := func(visit func(name string, schema span)) {
		elements(raw, s.from, func(v span) {
			parts, ok := find(raw, v.from, "name", "inputSchema")
			if name := parts["name"]; ok && name.found() && raw[name.from] == '"' {
				visit(decoded(name.of(raw)), parts["inputSchema"])
			} else {
				t.others = t.others || name.found()
			}
		})
	}
	each(func(name string, _ span) { names[name]++ })
	each(func(name string, schema span) {
		change, state := addProperty(raw, schema, required)
		// Of two tools with one name nobody knows which one a call means.
		// Its bytes are then those of the server.
		if t.note(name, state == added && names[name] == 1, headersIn(raw, schema, nil)) {
			edits = append(edits, change...)
		}
	})
	return edits
}

// note notes whether a tool of this name may have the property, and what it wants in headers, and reports whether it
// may.
func (t *tools) note(name string, add bool, headers []paramHeader) bool {
	before, known := t.known[name]
	if known && before.list == t.list && before.ours != add {
		add = false // an earlier page has another tool of this name
	}
	if !known && !t.room(name) {
		t.others = true
		return false
	}
	if t.known == nil {
		t.known = map[string]knownTool{}
	}
	t.known[name] = knownTool{t.list, add, headers}
	return add
}

// room reports whether one more name can be kept. Tools that the latest list no longer has are forgotten for it.
func (t *tools) room(name string) bool {
	if len(name) > maxToolName {
		return false
	}
	// A server may change its list as often as it likes.
	if len(t.known) >= maxTools {
		for n, one := range t.known {
			if one.list != t.list {
				delete(t.known, n)
			}
		}
	}
	return len(t.known) < maxTools
}
