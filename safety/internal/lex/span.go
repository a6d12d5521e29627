package lex

import (
	"strings"
)

// Span is the part [From, To) of a text that a rule matched. Rule is the index of the
// rule in its detector.
type Span struct{ From, To, Rule int }

// Lookbehind is the number of bytes before a keyword that a rule with a lookahead may
// examine. Within these bounds, equal text gives equal results.
const Lookbehind = 176

// MarkerPrefix is the start of every redaction marker, [REDACTED:rule-id].
const MarkerPrefix = "[REDACTED:"

// InMarker reports whether i is inside a redaction marker, which must not be masked
// again. i counts as inside after MarkerPrefix and up to the closing bracket. Markers
// are taken to be shorter than 48 bytes.
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
