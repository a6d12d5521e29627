package invisible

import "unicode/utf8"

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
