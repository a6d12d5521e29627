package lex

import "math/bits"

// DigitCursor finds the digits of one text. It remembers what it has read, so that questions
// about neighbouring places read each byte once. Its zero value is ready to use.
type DigitCursor struct{ from, to int } // no digit is in s[from:to]

// Has reports whether s[i:end] has a decimal digit. It reads at most readAhead bytes behind
// end. The text must be the same at each call.
func (c *DigitCursor) Has(s string, i, end int) bool {
	return (i < c.from || end > c.to) && c.next(s, i, end) < end
}

// next returns the index of the first decimal digit of s[i:end], or end or more if there is none.
func (c *DigitCursor) next(s string, i, end int) int {
	if i < c.from || i > c.to {
		c.from, c.to = i, i
	}
	if c.to < end {
		c.to = nextDigit(s[:min(len(s), end+readAhead)], c.to)
	}
	return c.to
}

// readAhead is how many bytes a cursor reads behind those it was asked about, since the next
// question is about them. digitBlock is how many nextDigit reads at a time.
const readAhead, digitBlock = 256, 32

// nextDigit returns the index of the first decimal digit of s[i:], or len(s) if there is none.
func nextDigit(s string, i int) int {
	t := s[i:]
	for len(t) >= digitBlock && notDigits(Load8(t, 0))&notDigits(Load8(t, 8))&
		notDigits(Load8(t, 16))&notDigits(Load8(t, 24))&HighBits == HighBits {
		t = t[digitBlock:]
	}
	for ; len(t) >= 8; t = t[8:] {
		if digits := DigitMask(Load8(t, 0)); digits != 0 {
			return len(s) - len(t) + bits.TrailingZeros64(digits)/8
		}
	}
	for len(t) > 0 && !Digits[t[0]] {
		t = t[1:]
	}
	return len(s) - len(t)
}
