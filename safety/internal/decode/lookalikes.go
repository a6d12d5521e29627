package decode

import (
	"strings"
	"unicode/utf8"

	"candor/safety/internal/invisible"
)

// BlankBraille is a Braille pattern without dots, which looks like a space.
const BlankBraille = 0x2800

// Combining reports whether a rune changes the look of the rune before it and has none of
// its own: combining accents, and what package invisible leaves of emoji and spelling.
func Combining(r rune) bool {
	switch {
	case r < 0x300:
		return r == invisible.SoftHyphen
	case r <= 0x36f:
		return true
	case r < 0x1ab0:
		return false
	}
	return isJoinerOrVariant(r) || r <= 0x1aff || r >= 0x1dc0 && r <= 0x1dff ||
		r >= 0x20d0 && r <= 0x20ff || r >= 0xfe20 && r <= 0xfe2f
}

func isJoinerOrVariant(r rune) bool {
	return r == invisible.Joiner || r == invisible.NonJoiner || r == invisible.Variant || r == invisible.Variant-1
}

// lookalikes are runs of runes that look like a run of ASCII characters, sorted. A run
// with a cycle contains the same characters several times: the mathematical alphabets
// follow one another.
var lookalikes = [...]struct {
	first, last rune
	ascii       byte
	cycle       rune // 0: the runs are of the same length; 1: all look alike
}{
	{0xa0, 0xa0, ' ', 1},        // no-break space
	{0x2000, 0x200a, ' ', 1},    // spaces of all widths
	{0x2010, 0x2015, '-', 1},    // hyphens and dashes
	{0x202f, 0x202f, ' ', 1},    // narrow no-break space
	{0x203f, 0x203f, '_', 1},    // undertie
	{0x205f, 0x205f, ' ', 1},    // mathematical space
	{0x2212, 0x2212, '-', 1},    // minus
	{0x2460, 0x2468, '1', 0},    // digits in circles
	{0x24b6, 0x24cf, 'A', 0},    // letters in circles
	{0x24d0, 0x24e9, 'a', 0},    //
	{0x24ea, 0x24ea, '0', 0},    //
	{0x3000, 0x3000, ' ', 1},    // ideographic space
	{0xfe4d, 0xfe4f, '_', 1},    // low lines
	{0xfe63, 0xfe63, '-', 1},    // small hyphen
	{0xff01, 0xff5e, '!', 0},    // full-width forms of all of printable ASCII
	{0x1d400, 0x1d6a3, 'A', 52}, // mathematical letters: capitals, then small ones
	{0x1d7ce, 0x1d7ff, '0', 10}, // mathematical digits
}

// ASCII returns the ASCII character that a rune looks like, or 0.
func ASCII(r rune) byte {
	for i := range lookalikes {
		l := &lookalikes[i]
		if r < l.first {
			break
		}
		if r > l.last {
			continue
		}
		k := r - l.first
		if l.cycle > 0 {
			k %= l.cycle
		}
		if l.cycle == 52 && k >= 26 {
			k += 'a' - 'Z' - 1
		}
		return l.ascii + byte(k)
	}
	return homoglyphs[r]
}

// homoglyphs are letters and signs of other scripts that a reader cannot tell from ASCII.
var homoglyphs = pairs(
	"аa еe оo рp сc хx уy іi јj ѕs һh ԁd ԛq ԝw ѵv кk гr " +
		"АA ВB ЕE КK МM НH ОO РP СC ТT ХX УY ІI ЈJ ЅS Ԍg " +
		"αa οo νv ρp ιi κk υu ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX " +
		"ſs ıi ɑa ɡg ℓl \u212aK ⁄/ ∕/ ‗_ ꞉: ∶: ˸: “\" ”\" ‘' ’' „\" «\" »\" ‚'")

// pairs reads words of two characters each: a look-alike, and the character it looks like.
func pairs(spec string) map[rune]byte {
	m := map[rune]byte{}
	for _, p := range strings.Fields(spec) {
		r, n := utf8.DecodeRuneInString(p)
		m[r] = p[n]
	}
	return m
}
