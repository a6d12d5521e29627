package wrapper

import "encoding/json"

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
