package decode

import (
	"strings"

	"candor/safety/internal/lex"
)

// minMarked and maxMarked bound a word that emphasis splits, in bytes without and with the
// marks. A shorter one hides no credential.
const (
	minMarked = 10
	maxMarked = MaxToken
)

// marks are the bytes of Markdown that a reader does not see: emphasis and code.
var marks = lex.NewClass("*`")

// unbroken are the bytes of a word, such as a password, without marks; marked are those with.
var unbroken, marked = lex.NewClass("!#$%&+,./0-9:;=?@A-Z^_a-z|~-"), lex.NewClass("!#$%&+,./0-9:;=?@A-Z^_a-z|~*`-")

// NextMarked finds the next word from i on that marks of Markdown split and that looks
// random without them: gh**p_…. A single * is left to the joints of a token, since code is full
// of them. NextMarked returns the word without its marks, and where the search
// goes on. The view is nil if there is none.
func NextMarked(s string, i int) (v *View, next int) {
	star, tick := -1, -1
	for i < len(s) {
		if star < i {
			star = nextStars(s, i)
		}
		if tick < i {
			tick = nextMark(s, '`', i)
		}
		k := min(star, tick)
		if k == len(s) {
			break
		}
		if i = k + 1; k == 0 || !TokenChars[s[k-1]] {
			continue
		}
		if i = marks.Run(s, i, len(s)); i == len(s) || !TokenChars[s[i]] {
			continue
		}
		from, to := marked.Back(s, k, maxMarked), marked.Run(s, i, maxMarked)
		if v = unmarked(s, from, to); v != nil {
			return v, to
		}
		i = to
	}
	return nil, len(s)
}

// nextMark returns the index of the first such mark in s from i on, or len(s).
func nextMark(s string, mark byte, i int) int {
	if k := strings.IndexByte(s[i:], mark); k >= 0 {
		return i + k
	}
	return len(s)
}

// nextStars returns the index of the first ** in s from i on, or len(s).
func nextStars(s string, i int) int {
	for i < len(s) {
		k := strings.IndexByte(s[i:], '*')
		if i += k; k < 0 || i+1 == len(s) {
			break
		}
		if s[i+1] == '*' {
			return i
		}
		i += 2
	}
	return len(s)
}

// unmarked returns a view of s[from:to] without marks, or nil if it does not look random.
func unmarked(s string, from, to int) *View {
	v := &View{}
	v.Text.Grow(to - from)
	for i := from; i < to; {
		end := unbroken.Run(s, i, to-i)
		v.copy(s, i, end)
		i = marks.Run(s, end, to-end)
	}
	if v.Text.Len() < minMarked || !IsFragment(v.Text.String()) {
		return nil
	}
	return v.endAt(to)
}
