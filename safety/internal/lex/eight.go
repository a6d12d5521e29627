package lex

import "math/bits"

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
