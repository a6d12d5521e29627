package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is how long a tool's name may be; providers refuse longer ones.
const maxName = 64

// origin is where a tool comes from, in the server's own words.
type origin struct{ server, tool string }

// How a tool is named, from the shortest way to one that cannot collide.
const (
	bare     = iota // tool
	prefixed        // server__tool
	hashed          // server__tool_1a2b3c4d
)

// nameAll gives each origin a name of [a-zA-Z0-9_-]{1,64} that no other has and
// that is not reserved. The names depend on the set only, not on its order: all
// that would share a name get a longer one.
func nameAll(all []origin, reserved map[string]bool) map[origin]string {
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

func (o origin) name(level int) string {
	switch level {
	case bare:
		return cleanName(o.tool)
	case prefixed:
		return fit(letters(o.server)+"__"+letters(o.tool), o.server+"\x00"+o.tool)
	}
	return mark(letters(o.server)+"__"+letters(o.tool), o.server+"\x00"+o.tool)
}

// cleanName is a name in the letters that providers take.
func cleanName(s string) string { return fit(letters(s), s) }

// letters is s with each character that is not allowed replaced.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, s)
}

// fit shortens a name that is too long, so that two long ones stay apart.
func fit(name, whole string) string {
	if name != "" && len(name) <= maxName {
		return name
	}
	return mark(name, whole)
}

// mark ends a name with a hash of what it stands for.
func mark(name, whole string) string {
	sum := sha256.Sum256([]byte(whole))
	tail := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), maxName-len(tail))] + tail
}
