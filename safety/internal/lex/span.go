package lex

import (
	"strings"
)

// Span is the part s[From:To] of a text that a rule matched. Rule is its index in the
// detector's list.
type Span struct{ From, To, Rule int }

// Lookbehind is how many bytes before a keyword a rule with a lookahead may read.
const Lookbehind = 96

// MarkerPrefix begins every marker that stands for a masked secret.
const MarkerPrefix = "[REDACTED:"

// InMarker reports whether i stands inside a marker, whose rule name must not be taken
// for the name of a value and masked again.
func InMarker(s string, i int) bool {
	near := s[max(0, i-48):i]
	if strings.IndexByte(near, '[') < 0 {
		return false
	}
	for k := len(near) - 1; k >= 0 && near[k] != ']'; k-- {
		if near[k] == '[' && strings.HasPrefix(near[k:], MarkerPrefix) {
			return true
		}
	}
	return false
}
