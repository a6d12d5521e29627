package lex

import "math/bits"

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
