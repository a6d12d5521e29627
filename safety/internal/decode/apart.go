package decode

import (
	"candor/safety/internal/lex"
)

// MinApart is how many characters apart may hide a credential. Fewer are a heading, a row of a
// table or a fraction of a version.
const MinApart = 16

// apartStep is the distance between the offsets at which NextApart looks. A run of MinApart
// characters and the signs between them contains one of the offsets and the eight bytes behind
// it, so other text costs one load of eight bytes per step.
const apartStep = 24

// separators are the signs that may keep characters apart.
var separators = lex.NewClass(" \t\n.,|/:-")

// NextApart finds the next run, from i on, of at least MinApart characters that the same sign
// keeps apart: g h p _. It returns to == 0 if there is none.
func NextApart(s string, i int) (from, to int) {
	for low := i; i+8 <= len(s); i += apartStep {
		w := lex.Load8(s, i)
		d := w ^ w>>16 // zero where a byte equals the one after the next
		if even, odd := d&0x000000ff00ff00ff, d&0x0000ff00ff00ff00; even != 0 && odd != 0 {
			continue
		} else if byte(w) == byte(w>>8) { // a line of hyphens
			continue
		} else if odd == 0 {
			from, to = apartAround(s, low, i+1)
		} else {
			from, to = apartAround(s, low, i)
		}
		if to-from >= 2*MinApart-1 {
			return from, to
		}
	}
	return 0, 0
}

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

// isSingle reports whether a character that sign keeps apart from others is at i. It may be the
// sign itself. A mark in front of a blank, such as a list's hyphen, begins another text.
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
// stream keeps them back until they are complete. Characters that a sign other than blank space
// keeps apart are a word, which a stream keeps anyway.
func ApartStart(s string, h int) int {
	if h < 2 || !lex.IsSpaceAt(s, h-1) || h+1 < len(s) && !lex.IsSpaceAt(s, h+1) {
		return h
	}
	from, _ := apartAround(s, 0, h-1)
	return min(h, from)
}
