package invisible

import (
	"strings"
	"unicode/utf8"
)

const (
	NonJoiner  = 0x200c // the zero-width non-joiner
	SoftHyphen = 0xad   // a hyphen that shows only at the end of a line
	blackFlag  = 0x1f3f4
	flagTags   = 24 // bytes of the tags behind the flag of a country's part
)

// ofScript reports whether an invisible r is part of how a word is spelled: a
// joiner behind a letter of Arabic or an Indic script, a variant of an ideograph or
// of a Mongolian letter, a hyphen that shows only where a word of small letters is
// broken. One of each may stand in a place, so nothing can be written in them.
func ofScript(last, r rune, rest string) bool {
	switch {
	case r == Joiner || r == NonJoiner:
		return joins(last)
	case r == SoftHyphen:
		next, _ := utf8.DecodeRuneInString(rest)
		return small(last) && small(next)
	case r >= 0xfe00 && r <= 0xfe02 || r >= 0xe0100 && r <= 0xe01ef:
		return last >= 0x3400 && last <= 0x9fff || last >= 0x20000 && last <= 0x323af
	case r >= 0x180b && r <= 0x180e:
		return last >= 0x1820 && last <= 0x18aa
	case r >= 0x17b4 && r <= 0x17b5:
		return last >= 0x1780 && last <= 0x17b3
	}
	return false
}

// joins reports whether a letter is of a script in which joiners make a difference.
func joins(r rune) bool {
	switch {
	case r >= 0x620 && r <= 0x8ff, r >= 0x900 && r <= 0xdff, r >= 0x1000 && r <= 0x109f, r >= 0x1780 && r <= 0x17ff:
		return true
	case r >= 0x1820 && r <= 0x18aa, r >= 0xfb50 && r <= 0xfdff, r >= 0xfe70 && r <= 0xfefc:
		return true
	}
	return false
}

// small reports whether a rune is a small letter of the Latin script.
func small(r rune) bool { return r-'a' < 26 && r >= 'a' || r >= 0xdf && r <= 0x17f && r != 0xf7 }

// ofFlag is the length of the tags that make a black flag that of England, Scotland
// or Wales, or 0.
func ofFlag(rest string) int {
	for _, tags := range [...]string{
		"\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
	} {
		if strings.HasPrefix(rest, tags) {
			return flagTags
		}
	}
	return 0
}

// UnsettledEnd is how much of the end of a piece has to wait, since what follows
// decides whether it is taken out.
func UnsettledEnd(s string) int {
	if i := strings.LastIndex(s[max(0, len(s)-flagTags-3):], "\U0001f3f4"); i >= 0 {
		i += max(0, len(s)-flagTags-3)
		return len(s) - i
	}
	for _, end := range [...]string{"\u200d", "\ufe0f", "\u00ad"} {
		if strings.HasSuffix(s, end) {
			return len(end)
		}
	}
	return 0
}
