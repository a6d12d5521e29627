package decode

import (
	"slices"
	"strings"
	"unicode/utf8"

	"candor/safety/internal/invisible"
	"candor/safety/internal/lex"
)

// View is a text as a reader or a decoder would see it, and where each part of it
// came from.
type View struct {
	Text  strings.Builder
	parts []stretch
	last  int // the part that was asked about last
}

// stretch is a part of a view each byte of which came from step bytes: one where
// the source was taken as it stands, none inside a character of several bytes.
type stretch struct{ at, from, step int32 }

func newView(s string) *View {
	v := &View{}
	v.Text.Grow(len(s))
	return v
}

// copy takes over a part of the source.
func (v *View) copy(s string, from, to int) {
	if from < to {
		v.grow(from, 1)
		v.Text.WriteString(s[from:to])
	}
}

// put adds what stands for n bytes of the source.
func (v *View) put(r rune, from, n int) {
	if r < utf8.RuneSelf {
		v.grow(from, n)
		v.Text.WriteByte(byte(r))
		return
	}
	v.grow(from, 0)
	v.Text.WriteRune(r)
}

// grow starts a stretch, unless it goes on where the last one ends.
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
	v.parts = append(v.parts, stretch{at, int32(from), int32(step)})
}

func (p stretch) source(i int32) int { return int(p.from + (i-p.at)*p.step) }

// end is the end of the source.
func (v *View) end(s string) *View {
	v.parts = append(v.parts, stretch{at: int32(v.Text.Len()), from: int32(len(s))})
	return v
}

// Source is where in the source the byte at i came from.
func (v *View) Source(i int) int {
	if k := v.last; v.parts[k].at > int32(i) || k+1 < len(v.parts) && v.parts[k+1].at <= int32(i) {
		k, exact := slices.BinarySearchFunc(v.parts, int32(i), func(p stretch, at int32) int { return int(p.at - at) })
		if !exact {
			k--
		}
		v.last = k
	}
	return v.parts[v.last].source(int32(i))
}

// Back translates a span of the view into one of the source.
func (v *View) Back(sp lex.Span) lex.Span {
	sp.From, sp.To = v.Source(sp.From), v.Source(sp.To)
	return sp
}

// PlainLetters is the text with every letter that only looks like an ASCII one
// replaced: full-width forms, mathematical letters, homoglyphs, typographic
// quotes and spaces; accents that combine are dropped. It is nil when there is
// none.
func PlainLetters(s string) *View {
	if !lookalike(s) {
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

func lookalike(s string) bool {
	for i := lex.ASCIIEnd(s, 0); i < len(s); i = lex.ASCIIEnd(s, i) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if ASCII(r) > 0 || Combining(r) || splits(s, i, n, r) {
			return true
		}
		i += n
	}
	return false
}

// Combining reports whether a rune adds to the one before it, which is all that
// strip left of what joins and varies emoji.
func Combining(r rune) bool {
	return r == invisible.Joiner || r == invisible.Variant || r == invisible.Variant-1 || r == invisible.SoftHyphen || r == invisible.NonJoiner || r >= 0x300 && r <= 0x36f || r >= 0x1ab0 && r <= 0x1aff || r >= 0x1dc0 && r <= 0x1dff || r >= 0x20d0 && r <= 0x20ff || r >= 0xfe20 && r <= 0xfe2f
}

// splits reports whether a rune without a look of its own stands inside a word.
func splits(s string, i, n int, r rune) bool {
	return (r == utf8.RuneError || r == BlankBraille) && i > 0 && i+n < len(s) && TokenChars[s[i-1]] && TokenChars[s[i+n]]
}

// BlankBraille is as empty as a space, but none.
const BlankBraille = 0x2800

// ASCII is the ASCII character that a rune looks like, or 0.
func ASCII(r rune) byte {
	switch {
	case r >= 0xff01 && r <= 0xff5e:
		return byte(r - 0xfee0)
	case r >= 0x1d400 && r <= 0x1d6a3:
		if k := byte((r - 0x1d400) % 52); k < 26 {
			return 'A' + k
		} else {
			return 'a' + k - 26
		}
	case r >= 0x1d7ce && r <= 0x1d7ff:
		return '0' + byte((r-0x1d7ce)%10)
	case r == 0x24ea:
		return '0'
	case r >= 0x2460 && r <= 0x2468:
		return '1' + byte(r-0x2460)
	case r >= 0xfe4d && r <= 0xfe4f, r == 0x203f:
		return '_'
	case r == 0xfe63:
		return '-'
	case r >= 0x24b6 && r <= 0x24cf:
		return 'A' + byte(r-0x24b6)
	case r >= 0x24d0 && r <= 0x24e9:
		return 'a' + byte(r-0x24d0)
	case r >= 0x2010 && r <= 0x2015, r == 0x2212:
		return '-'
	case r == 0xa0, r == 0x3000, r >= 0x2000 && r <= 0x200a, r == 0x202f, r == 0x205f:
		return ' '
	}
	return homoglyphs[r]
}

// homoglyphs are letters of other scripts that cannot be told from ASCII ones.
var homoglyphs = pairs(
	"аa еe оo рp сc хx уy іi јj ѕs һh ԁd ԛq ԝw ѵv кk гr АA ВB ЕE КK МM НH ОO РP СC ТT ХX УY ІI ЈJ ЅS Ԍg " +
		"αa οo νv ρp ιi κk υu ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX " +
		"ſs ıi ɑa ɡg ℓl \u212aK ⁄/ ∕/ ‗_ ꞉: ∶: ˸: “\" ”\" ‘' ’' „\" «\" »\" ‚'")

func pairs(spec string) map[rune]byte {
	m := map[rune]byte{}
	for _, p := range strings.Fields(spec) {
		r, n := utf8.DecodeRuneInString(p)
		m[r] = p[n]
	}
	return m
}
