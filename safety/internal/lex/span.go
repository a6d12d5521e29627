package lex

import (
	"strings"
)

// Span is a part of a text that a rule found.
type Span struct{ From, To, Rule int }

// Lookbehind is how far left of an anchor a rule with a sight looks.
const Lookbehind = 96

// MarkerPrefix is how every marker begins.
const MarkerPrefix = "[REDACTED:"

// InMarker reports whether i stands inside a marker of ours, which must not be
// masked again.
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
