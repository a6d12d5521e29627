package decode

import (
	"candor/safety/internal/lex"
)

// MinApart is how many characters apart may hide a credential. Fewer are a heading or a row of a
// table. So many contain one of the offsets at which NextRun looks, and the eight bytes behind it.
const MinApart = 12

// evenSigns is the mask of signs between characters apart, of which the first is a sign.
const evenSigns = 0x0080008000800080

// separators are the blanks that may keep characters apart.
var separators = lex.NewClass(" \t\n")

// apartAround returns the run of characters apart that contains the separator at index at and
// does not start before low. It is empty if no separator is there.
func apartAround(s string, low, at int) (from, to int) {
	sign := s[at]
	from, to = at+1, at
	if !separators[sign] {
		return from, from
	}
	for from-2 >= low && s[from-1] == sign && isSingle(s, from-2, sign) {
		from -= 2
	}
	for to < len(s) && s[to] == sign && to+1 < len(s) && isSingle(s, to+1, sign) {
		to += 2
	}
	return from, to
}

// isSingle reports whether a character that sign keeps apart from others is at i. A mark in front
// of a blank, such as a list's hyphen, begins another text.
func isSingle(s string, i int, sign byte) bool {
	if s[i] <= ' ' || s[i] >= 0x7f {
		return false
	}
	if !lex.Alnum[s[i]] {
		return i+1 == len(s) || s[i+1] == sign || s[i+1] > ' '
	}
	return (i == 0 || !lex.Alnum[s[i-1]]) && (i+1 == len(s) || !lex.Alnum[s[i+1]])
}

// Together returns a view of the characters apart in s[from:to], without what is between them.
func Together(s string, from, to int) *View {
	v := &View{}
	v.Text.Grow((to - from + 1) / 2)
	for i := from; i < to; i += 2 {
		v.copy(s, i, i+1)
	}
	return v.endAt(to)
}

// ApartStart moves h back to the start of characters apart that end there and may go on. A
// stream keeps them back until they are complete.
func ApartStart(s string, h int) int {
	if h < 2 || !lex.IsSpaceAt(s, h-1) || h+1 < len(s) && !lex.IsSpaceAt(s, h+1) {
		return h
	}
	from, _ := apartAround(s, 0, h-1)
	return min(h, from)
}
