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
