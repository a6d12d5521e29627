package lex

import (
	"unicode/utf8"
)

// RuneStart returns the last rune boundary at or before i, len(s) at most.
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

// IsSpaceAt reports whether a space, a tab or a newline stands at i.
func IsSpaceAt(s string, i int) bool { return s[i] == ' ' || s[i] == '\t' || s[i] == '\n' }

// IsLetter reports whether b is an ASCII letter.
func IsLetter(b byte) bool { return ToLower(b)-'a' < 26 }

// IsUpper reports whether b is an ASCII capital.
func IsUpper(b byte) bool { return b-'A' < 26 }

// EqualFold reports whether s is lit in any case. lit is in lower case.
func EqualFold(s, lit string) bool { return len(s) == len(lit) && HasFold(s, 0, lit) }

// SkipBlank returns the position behind the spaces and tabs at i, at most max of them.
func SkipBlank(s string, i, max int) int {
	end := min(len(s), i+max)
	for i < end && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

// SkipSpace returns the position behind the spaces, tabs and line ends at i, at most max
// of them.
func SkipSpace(s string, i, max int) int {
	end := min(len(s), i+max)
	for i < end && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// HexText reports whether the two hex digits that v begins with stand for a byte of
// plain text.
func HexText(v string) bool {
	return IsText(Nibbles[v[0]]<<4 | Nibbles[v[1]])
}

// HexNumber returns the number that the n hex digits at i stand for, n from 1 to 8. It
// reports false if there are fewer.
func HexNumber(s string, i, n int) (rune, bool) {
	if n < 1 || n > 8 || len(s)-i < n {
		return 0, false
	}
	var r uint32
	for _, c := range []byte(s[i : i+n]) {
		switch {
		case c-'0' < 10:
			r = r<<4 | uint32(c-'0')
		case ToLower(c)-'a' < 6:
			r = r<<4 | uint32(ToLower(c)-'a'+10)
		default:
			return 0, false
		}
	}
	return rune(r & 0x7fffffff), true
}

// IsQuote reports whether b is a double quote, a single quote or a backquote.
func IsQuote(b byte) bool { return b == '"' || b == '\'' || b == '`' }

// ContainsFold reports whether s holds lit in any case. lit is in lower case and not
// empty.
func ContainsFold(s, lit string) bool {
	for i := 0; i+len(lit) <= len(s); i++ {
		if ToLower(s[i]) == lit[0] && HasFold(s, i, lit) {
			return true
		}
	}
	return false
}

// ASCIIEnd returns the position of the first byte from i on that is not ASCII, or
// len(s). It reads 32 bytes at a time.
func ASCIIEnd(s string, i int) int {
	for i+32 <= len(s) && (Load8(s, i)|Load8(s, i+8)|Load8(s, i+16)|Load8(s, i+24))&HighBits == 0 {
		i += 32
	}
	for i+8 <= len(s) && Load8(s, i)&HighBits == 0 {
		i += 8
	}
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// Load8 returns the eight bytes at i as one number, the first one lowest; the compiler
// makes it one load.
func Load8(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// Load4 returns the four bytes at i as one number, the first one lowest.
func Load4(s string, i int) uint32 {
	s = s[i : i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}
