package invisible

import "unicode/utf8"

// The runes that decide what stays and what goes.
const (
	Joiner     = 0x200d // the zero-width joiner, which makes one emoji of two
	NonJoiner  = 0x200c // the zero-width non-joiner, which keeps two letters apart
	SoftHyphen = 0xad   // a hyphen that shows only at the end of a line
	Variant    = 0xfe0f // shows the sign before it as an emoji
	textual    = 0xfe0e // shows the sign before it as text
	keycap     = 0x20e3 // draws a key around a digit
	blackFlag  = 0x1f3f4
	escapeChar = 0x1b
)

// ranges are sorted runs of runes, both ends included.
type ranges []struct{ first, last rune }

// has reports whether one of the ranges holds r.
func (rs ranges) has(r rune) bool {
	for _, run := range rs {
		if r < run.first {
			return false
		}
		if r <= run.last {
			return true
		}
	}
	return false
}

// unseen are the runes from 0x80 on that show nothing or change the direction of
// what does.
var unseen = ranges{
	{0x80, 0x9f},       // C1 controls
	{0xad, 0xad},       // soft hyphen
	{0x34f, 0x34f},     // combining grapheme joiner
	{0x61c, 0x61c},     // Arabic letter mark
	{0x115f, 0x1160},   // Hangul fillers
	{0x17b4, 0x17b5},   // inherent vowels of Khmer
	{0x180b, 0x180f},   // variation selectors of Mongolian
	{0x200b, 0x200f},   // zero-width space, joiners, direction marks
	{0x202a, 0x202e},   // embeddings and overrides of direction
	{0x2060, 0x206f},   // word joiner, invisible operators, isolates
	{0x3164, 0x3164},   // Hangul filler
	{0xfdd0, 0xfdef},   // noncharacters
	{0xfe00, 0xfe0f},   // variation selectors
	{0xfeff, 0xfeff},   // byte order mark
	{0xffa0, 0xffa0},   // half-width Hangul filler
	{0xfff0, 0xfffc},   // specials, but for the replacement character
	{0x1bca0, 0x1bca3}, // controls of shorthand
	{0x1d173, 0x1d17a}, // controls of musical notation
	{0xe0000, 0xe0fff}, // tags, supplementary variation selectors
}

// pictographs are the signs that may be shown as an emoji. Letters in circles and
// squares are left out, since they may spell a secret.
var pictographs = ranges{
	{0xa9, 0xa9}, {0xae, 0xae}, {0x203c, 0x203c}, {0x2049, 0x2049}, {0x2122, 0x2122}, {0x2139, 0x2139},
	{0x2190, 0x21ff}, // arrows
	{0x2300, 0x23ff}, // technical signs
	{0x25a0, 0x25ff}, // geometric shapes
	{0x2600, 0x27bf}, // miscellaneous symbols, dingbats
	{0x2934, 0x2935},
	{0x2b00, 0x2bff}, // more arrows and shapes
	{0x3030, 0x3030}, {0x303d, 0x303d}, {0x3297, 0x3297}, {0x3299, 0x3299},
	{0x1f000, 0x1f10f},
	{0x1f16a, 0x1faff}, // pictures, and the skin tones 1f3fb to 1f3ff, behind which a joiner may follow
}

// joining are the letters whose shape a joiner behind them changes: Arabic and its
// relatives, the Indic scripts, Myanmar, Khmer, Mongolian.
var joining = ranges{
	{0x620, 0xdff}, {0x1000, 0x109f}, {0x1780, 0x17ff}, {0x1820, 0x18aa}, {0xfb50, 0xfdff}, {0xfe70, 0xfefc},
}

// ideographs have variants that a selector behind them chooses.
var ideographs = ranges{{0x3400, 0x9fff}, {0x20000, 0x323af}}

// Is reports whether a rune is invisible or changes the direction of the text. Newlines
// and tabs do not count.
func Is(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case r < 0x80:
		return r == 0x7f
	}
	return unseen.has(r)
}

// belongsToSpelling reports whether an invisible r is part of how a word is spelled,
// given the last rune that was kept and the text behind r. The rule for each r allows
// it once in a place, so a row of them cannot carry a message.
func belongsToSpelling(last, r rune, rest string) bool {
	switch {
	case r == Joiner || r == NonJoiner:
		return joining.has(last)
	case r == SoftHyphen:
		next, _ := utf8.DecodeRuneInString(rest)
		return isSmallLatin(last) && isSmallLatin(next)
	case isIdeographSelector(r):
		return ideographs.has(last)
	case r >= 0x180b && r <= 0x180e: // behind a letter of Mongolian
		return last >= 0x1820 && last <= 0x18aa
	case r >= 0x17b4 && r <= 0x17b5: // behind a consonant of Khmer
		return last >= 0x1780 && last <= 0x17b3
	}
	return false
}

// isIdeographSelector reports whether r chooses a variant of an ideograph.
func isIdeographSelector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe02 || r >= 0xe0100 && r <= 0xe01ef
}

// isSmallLatin reports whether r is a small letter of the Latin script, with or without
// an accent. The division sign, whose code point is among theirs, does not count.
func isSmallLatin(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 0xdf && r <= 0x17f && r != 0xf7
}
