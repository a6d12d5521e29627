package lex

import (
	"strings"
	"unicode/utf8"
)

// RuneStart returns the last rune boundary at or before i. It returns 0 for a
// negative i, and len(s) for one past the end.
func RuneStart(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	i = max(i, 0)
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// IsSpaceAt reports whether s[i] is a space, a tab or a newline.
func IsSpaceAt(s string, i int) bool { return s[i] == ' ' || s[i] == '\t' || s[i] == '\n' }

// SkipBlank returns the position after the spaces and tabs at i. It skips no more
// than limit bytes.
func SkipBlank(s string, i, limit int) int {
	end := min(len(s), i+limit)
	for i < end && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

// SkipSpace returns the position after the spaces, tabs and line endings at i. It
// skips no more than limit bytes.
func SkipSpace(s string, i, limit int) int {
	end := min(len(s), i+limit)
	for i < end && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// ASCIIEnd returns the position of the first byte at or after i that is not ASCII,
// or len(s) if there is none. It reads 32 bytes at a time.
func ASCIIEnd(s string, i int) int {
	if i > len(s) {
		return i
	}
	for ; i+32 <= len(s); i += 32 {
		if t := s[i : i+32]; (Load8(t, 0)|Load8(t, 8)|Load8(t, 16)|Load8(t, 24))&HighBits != 0 {
			break
		}
	}
	for i+8 <= len(s) && Load8(s, i)&HighBits == 0 {
		i += 8
	}
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// CanStartToken reports whether a token may start at i. It may not start in the
// middle of a word: the byte before it must not be a letter or digit, unless that
// byte ends an escape such as \n or %3D.
func CanStartToken(s string, i int) bool {
	if i == 0 || !Alnum[s[i-1]] {
		return true
	}
	if i >= 2 && s[i-2] == '\\' {
		return s[i-1] == 'n' || s[i-1] == 'r' || s[i-1] == 't'
	}
	hex := Classes['x']
	return i >= 3 && s[i-3] == '%' && hex[s[i-2]] && hex[s[i-1]]
}

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
