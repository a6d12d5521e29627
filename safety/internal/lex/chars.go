package lex

import "math/bits"

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

// DigitCursor finds the digits of one text. It remembers what it has read, so that questions
// about neighbouring places read each byte once. Its zero value is ready to use.
type DigitCursor struct{ from, to int } // no digit is in s[from:to]

// Has reports whether s[i:end] has a decimal digit. It reads some bytes
// behind end. The text must be the same at each call.
func (c *DigitCursor) Has(s string, i, end int) bool {
	return (i < c.from || end > c.to) && c.next(s, i, end) < end
}

// next returns the index of the first decimal digit of s[i:end], or end or more if there is none.
func (c *DigitCursor) next(s string, i, end int) int {
	if i < c.from || i > c.to {
		c.from, c.to = i, i
	}
	if c.to < end && !Digits[s[c.to]] {
		c.to = nextDigit(s, c.to, end+readAhead)
	}
	return c.to
}

// readAhead is about how many bytes a cursor reads behind those it was asked about, since the next
// question is about them.
const readAhead = 256

// nextDigit returns the index of the first decimal digit of s[i:], or one at or behind end in front
// of which there is none. It passes 64 bytes at a time by a test that is faster than DigitMask and
// takes some bytes outside ASCII for digits: those that carry into the next byte.
func nextDigit(s string, i, end int) int {
	const block, flip, add = 64, Ones * '0', Ones * 0x76
	for ; i+block <= len(s) && i < end; i += block {
		t := s[i : i+block]
		if (Load8(t, 0)^flip+add)&(Load8(t, 8)^flip+add)&(Load8(t, 16)^flip+add)&(Load8(t, 24)^flip+add)&
			(Load8(t, 32)^flip+add)&(Load8(t, 40)^flip+add)&(Load8(t, 48)^flip+add)&(Load8(t, 56)^flip+add)&
			HighBits == HighBits {
			continue // nearly always
		}
		if k := digitIn(t); k < block {
			return i + k
		}
	}
	if i < end {
		i += digitIn(s[i:])
	}
	return i
}

// digitIn returns the index of the first decimal digit of s, or len(s).
func digitIn(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if digits := DigitMask(Load8(s, i)); digits != 0 {
			return i + bits.TrailingZeros64(digits)/8
		}
	}
	for i < len(s) && !Digits[s[i]] {
		i++
	}
	return i
}

// The functions of this file test eight bytes of text at a time. The text is loaded
// as a little-endian number, so its first byte is the lowest one, and a mask marks a
// byte by that byte's high bit.

const (
	// Ones is a number whose eight bytes are all 1. Multiplying it by a byte repeats
	// that byte eight times.
	Ones = 0x0101010101010101
	// HighBits has the high bit of each of the eight bytes.
	HighBits = 0x8080808080808080
)

// Load8 returns the eight bytes at i as a little-endian number. It panics if s has
// fewer. The compiler turns it into a single load.
func Load8(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// Load4 returns the four bytes at i as a little-endian number. It panics if s has
// fewer.
func Load4(s string, i int) uint32 {
	s = s[i : i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// LetterMask marks the ASCII letters among the eight bytes of w.
func LetterMask(w uint64) uint64 {
	w |= 0x20 * Ones
	low := w &^ HighBits
	return (low + (0x80-'a')*Ones) &^ (low + (0x80-'z'-1)*Ones) &^ w & HighBits
}

// LeadingLetters returns the number of letters, 0 to 8, before the first byte of w
// that is not a letter.
func LeadingLetters(w uint64) int { return bits.TrailingZeros64(^LetterMask(w)&HighBits) / 8 }

// DigitMask marks the decimal digits among the eight bytes of w. XOR with '0' maps digits, and no
// other byte, to values below ten. Adding 0x76 to such a value leaves its high bit clear, and the
// sum never carries into the next byte.
func DigitMask(w uint64) uint64 {
	w ^= Ones * '0'
	return ^(w&^HighBits + Ones*0x76 | w) & HighBits
}

// ZeroToZMask marks the bytes from 0 to Z among the eight bytes of w: the decimal digits, the
// capitals, and the signs between them.
func ZeroToZMask(w uint64) uint64 {
	low := w &^ HighBits
	return (low + (0x80-'0')*Ones) &^ (low + (0x80-'Z'-1)*Ones) &^ w & HighBits
}

// AnyDigit reports whether any of the eight bytes of w is a decimal digit.
func AnyDigit(w uint64) bool { return DigitMask(w) != 0 }

// SignMask marks the control characters, the space and the signs before + among the eight bytes
// of w: those below 0x2b. Adding 0x55 to a byte of ASCII that is none of them sets its high bit.
func SignMask(w uint64) uint64 { return ^(w&^HighBits + Ones*(0x80-'+') | w) & HighBits }
