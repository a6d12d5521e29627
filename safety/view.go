package safety

import (
	"strings"
	"unicode/utf8"
)

// view is a text as a reader or a decoder would see it. at tells for each of
// its bytes, and for its end, where in the source it came from.
type view struct {
	text []byte
	at   []int32
}

func (v *view) put(b byte, from int) {
	v.text = append(v.text, b)
	v.at = append(v.at, int32(from))
}

func (v *view) putRune(r rune, from int) {
	v.text = utf8.AppendRune(v.text, r)
	for len(v.at) < len(v.text) {
		v.at = append(v.at, int32(from))
	}
}

// back translates a span of the view into one of the source.
func (v *view) back(sp span) span {
	sp.from, sp.to = int(v.at[sp.from]), int(v.at[sp.to])
	return sp
}

// plainLetters is the text with every letter that only looks like an ASCII one
// replaced: full-width forms, mathematical letters, homoglyphs, typographic
// quotes and spaces; accents that combine are dropped. It is nil when there is
// none.
func plainLetters(s string) *view {
	if isASCII(s) || !lookalike(s) {
		return nil
	}
	v := &view{text: make([]byte, 0, len(s)), at: make([]int32, 0, len(s)+1)}
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			v.put(s[i], i)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch a := ascii(r); {
		case a > 0:
			v.put(a, i)
		case !combining(r):
			v.putRune(r, i)
		}
		i += n
	}
	v.at = append(v.at, int32(len(s)))
	return v
}

// isASCII reads 32 bytes at a time.
func isASCII(s string) bool {
	i := 0
	for ; i+32 <= len(s); i += 32 {
		if (eight(s, i)|eight(s, i+8)|eight(s, i+16)|eight(s, i+24))&0x8080808080808080 != 0 {
			return false
		}
	}
	for ; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// eight are the eight bytes at i as one number; the compiler makes it one load.
func eight(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func lookalike(s string) bool {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if ascii(r) > 0 || combining(r) {
			return true
		}
		i += n
	}
	return false
}

// combining reports whether a rune adds to the one before it, which is all that
// strip left of what joins and varies emoji.
func combining(r rune) bool {
	return r == joiner || r == variant || r >= 0x300 && r <= 0x36f || r >= 0x1ab0 && r <= 0x1aff || r >= 0x1dc0 && r <= 0x1dff || r >= 0x20d0 && r <= 0x20ff || r >= 0xfe20 && r <= 0xfe2f
}

// ascii is the ASCII character that a rune looks like, or 0.
func ascii(r rune) byte {
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
