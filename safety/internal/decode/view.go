package decode

import (
	"slices"
	"strings"
	"unicode/utf8"

	"candor/safety/internal/lex"
)

// View is a text as a reader or a decoder would see it, with a map back to the
// source of each of its bytes.
type View struct {
	Text  strings.Builder
	parts []segment
	last  int // the segment that Source looked up last
}

// segment maps a run of view bytes, from at on, to source bytes, from from on. Each view
// byte stands for step source bytes: one where the source was copied, none inside a
// character of several bytes.
type segment struct{ at, from, step int32 }

func newView(s string) *View {
	v := &View{}
	v.Text.Grow(len(s))
	return v
}

// copy appends a part of the source as it is.
func (v *View) copy(s string, from, to int) {
	if from < to {
		v.grow(from, 1)
		v.Text.WriteString(s[from:to])
	}
}

// put appends r, which stands for n bytes of the source.
func (v *View) put(r rune, from, n int) {
	if r < utf8.RuneSelf {
		v.grow(from, n)
		v.Text.WriteByte(byte(r))
		return
	}
	v.grow(from, 0)
	v.Text.WriteRune(r)
}

// grow starts a segment, unless it continues the last one.
func (v *View) grow(from, step int) {
	at, n := int32(v.Text.Len()), len(v.parts)
	if n > 0 && step > 0 {
		if last := v.parts[n-1]; last.step == int32(step) && last.source(at) == from {
			return
		}
	}
	if n == cap(v.parts) {
		v.parts = slices.Grow(v.parts, 3*n+16)
	}
	v.parts = append(v.parts, segment{at, int32(from), int32(step)})
}

func (p segment) source(i int32) int { return int(p.from + (i-p.at)*p.step) }

// end closes the map with the end of the source.
func (v *View) end(s string) *View { return v.endAt(len(s)) }

// endAt closes the map of a view that shows the source up to offset to.
func (v *View) endAt(to int) *View {
	v.parts = append(v.parts, segment{at: int32(v.Text.Len()), from: int32(to)})
	return v
}

// Source returns the offset in the source that the view byte at i came from. Calls with
// growing offsets cost constant time each.
func (v *View) Source(i int) int {
	if k := v.last; v.parts[k].at > int32(i) || k+1 < len(v.parts) && v.parts[k+1].at <= int32(i) {
		k, exact := slices.BinarySearchFunc(v.parts, int32(i), func(p segment, at int32) int { return int(p.at - at) })
		if !exact {
			k--
		}
		v.last = k
	}
	return v.parts[v.last].source(int32(i))
}

// Back translates a span of the view to one of the source.
func (v *View) Back(sp lex.Span) lex.Span {
	sp.From, sp.To = v.Source(sp.From), v.Source(sp.To)
	return sp
}

// Within translates a span of the view to the part of the source that its own bytes came from,
// without what the view leaves out behind them.
func (v *View) Within(sp lex.Span) lex.Span {
	sp.From, sp.To = v.Source(sp.From), v.Source(sp.To-1)+1
	return sp
}

// PlainLetters returns the text with look-alikes replaced by the ASCII characters they
// look like: full-width forms, mathematical letters, homoglyphs, typographic quotes
// and spaces. It drops combining accents. It returns nil if there is nothing to
// replace.
func PlainLetters(s string) *View {
	if !hasLookalike(s) {
		return nil
	}
	v := newView(s)
	last := 0
	for i := lex.ASCIIEnd(s, 0); i < len(s); i = lex.ASCIIEnd(s, i) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if a := ASCII(r); a > 0 || Combining(r) || splits(s, i, n, r) {
			v.copy(s, last, i)
			last = i + n
			if a > 0 {
				v.put(rune(a), i, n)
			}
		}
		i += n
	}
	v.copy(s, last, len(s))
	return v.end(s)
}

// hasLookalike reports whether PlainLetters has anything to replace.
func hasLookalike(s string) bool {
	for i := lex.ASCIIEnd(s, 0); i < len(s); i = lex.ASCIIEnd(s, i) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if ASCII(r) > 0 || Combining(r) || splits(s, i, n, r) {
			return true
		}
		i += n
	}
	return false
}

// splits reports whether the rune at i, n bytes long, looks like nothing and appears inside
// a word: the two halves read as one.
func splits(s string, i, n int, r rune) bool {
	return (r == utf8.RuneError || r == BlankBraille) &&
		i > 0 && i+n < len(s) && TokenChars[s[i-1]] && TokenChars[s[i+n]]
}

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
