package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is the longest name that providers accept, in bytes.
const maxName = 64

// origin identifies a tool by its server and the server's own name for it, both fit to be
// shown.
type origin struct{ server, tool string }

// The levels of naming a tool, from the shortest name to one that cannot collide.
const (
	bare     = iota // tool
	prefixed        // server__tool
	hashed          // server__tool_1a2b3c4d
)

// nameAll gives each origin a name that matches [a-zA-Z0-9_-]{1,64}, is unique and is not
// reserved. The names depend only on the set, not on its order: if several tools would
// share a name, each of them gets a longer one.
func nameAll(all []origin, reserved map[string]bool) map[origin]string {
	// Raising the level of every tool whose name is shared or reserved, until none is,
	// terminates because levels only grow.
	level := make(map[origin]int, len(all))
	for _, o := range all {
		level[o] = bare
	}
	for {
		holders := map[string][]origin{}
		for o, l := range level {
			name := o.name(l)
			holders[name] = append(holders[name], o)
		}
		raised := false
		for name, who := range holders {
			if len(who) == 1 && !reserved[name] {
				continue
			}
			for _, o := range who {
				if level[o] < hashed {
					level[o]++
					raised = true
				}
			}
		}
		if !raised {
			break
		}
	}
	names := make(map[origin]string, len(level))
	for o, l := range level {
		names[o] = o.name(l)
	}
	return names
}

// name returns the origin's name at a level.
func (o origin) name(level int) string {
	switch level {
	case bare:
		return cleanName(o.tool)
	case prefixed:
		return fit(letters(o.server)+"__"+letters(o.tool), o.whole())
	}
	return mark(letters(o.server)+"__"+letters(o.tool), o.whole())
}

// whole returns the server and the tool as one string, which no other origin has.
func (o origin) whole() string {
	return separators.Replace(o.server) + "\x00" + separators.Replace(o.tool)
}

// separators escapes the byte that separates the server from the tool.
var separators = strings.NewReplacer("\x00", "\x01a", "\x01", "\x01b")

// cleanName returns a name that providers accept, of s alone.
func cleanName(s string) string { return fit(letters(s), s) }

// shown returns a name of the operator or of a server as it may be shown: cleaned, and then
// with a hash so that names that cleaning makes equal stay distinct.
func shown(name string, clean func(string) string) string {
	cleaned := clean(valid(name))
	if cleaned == name {
		return name
	}
	return mark(letters(cleaned), name)
}

// letters replaces each character of s that is not allowed in a name.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, s)
}

// fit shortens a name that is too long. A hash keeps long names distinct.
func fit(name, whole string) string {
	if name != "" && len(name) <= maxName {
		return name
	}
	return mark(name, whole)
}

// mark appends a hash of whole to a name, which it shortens if necessary.
func mark(name, whole string) string {
	sum := sha256.Sum256([]byte(whole))
	tail := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), maxName-len(tail))] + tail
}
