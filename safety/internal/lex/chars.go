package lex

// IsLetter reports whether b is an ASCII letter.
func IsLetter(b byte) bool { return ToLower(b)-'a' < 26 }

// IsUpper reports whether b is an upper-case ASCII letter.
func IsUpper(b byte) bool { return b-'A' < 26 }

// IsQuote reports whether b is a double quote, a single quote or a backquote.
func IsQuote(b byte) bool { return b == '"' || b == '\'' || b == '`' }

// IsText reports whether b is printable ASCII, a newline, a tab or a carriage return.
func IsText(b byte) bool { return b >= 0x20 && b < 0x7f || b == '\n' || b == '\t' || b == '\r' }

// ToLower returns the lower-case form of b if it is an ASCII letter, and b otherwise.
func ToLower(b byte) byte {
	if b-'A' < 26 {
		return b | 0x20
	}
	return b
}

// ToUpper returns the upper-case form of b if it is an ASCII letter, and b otherwise.
func ToUpper(b byte) byte {
	if b-'a' < 26 {
		return b &^ 0x20
	}
	return b
}

// Sextets maps a base64 digit to its value. It accepts both alphabets, the standard
// one with + and / and the URL-safe one with - and _.
// Nibbles maps a hex digit in either case to its value.
// Every other byte maps to 0xff in both.
var Sextets, Nibbles = func() (six, four [256]uint8) {
	for i := range six {
		six[i], four[i] = 0xff, 0xff
	}
	for i := range uint8(26) {
		six['A'+i], six['a'+i] = i, 26+i
	}
	for i := range uint8(10) {
		six['0'+i], four['0'+i] = 52+i, i
	}
	for i := range uint8(6) {
		four['A'+i], four['a'+i] = 10+i, 10+i
	}
	six['+'], six['-'], six['/'], six['_'] = 62, 62, 63, 63
	return six, four
}()

// HexText reports whether the two hex digits at the start of v encode a text byte,
// as defined by [IsText]. v must begin with two hex digits.
func HexText(v string) bool {
	return IsText(Nibbles[v[0]]<<4 | Nibbles[v[1]])
}

// HexNumber returns the number that the n hex digits at i encode. It reports false
// if n is not within 1 to 8, or if s does not have n hex digits there. The result
// is never negative; it may exceed the largest code point.
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

// HasFold reports whether lit appears in s at i, ignoring ASCII case. lit is in lower
// case. i may be negative or past the end of s.
func HasFold(s string, i int, lit string) bool {
	if i < 0 || len(s)-i < len(lit) {
		return false
	}
	for k := 0; k < len(lit); k++ {
		if ToLower(s[i+k]) != lit[k] {
			return false
		}
	}
	return true
}

// EqualFold reports whether s equals lit, ignoring ASCII case. lit is in lower case.
func EqualFold(s, lit string) bool { return len(s) == len(lit) && HasFold(s, 0, lit) }

// ContainsFold reports whether s contains lit, ignoring ASCII case. lit is in lower
// case and not empty.
func ContainsFold(s, lit string) bool {
	for i := 0; i+len(lit) <= len(s); i++ {
		if ToLower(s[i]) == lit[0] && HasFold(s, i, lit) {
			return true
		}
	}
	return false
}
