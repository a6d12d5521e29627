package invisible

import (
	"strings"
	"unicode/utf8"
)

// belongsToEmoji reports whether r belongs to an emoji, given the last rune that was
// kept and the text behind r: r shows the sign before it as an emoji or as text,
// makes a key of a digit, or joins two emoji to one.
func belongsToEmoji(last, r rune, rest string) bool {
	switch r {
	case textual:
		return pictographs.has(last)
	case Variant:
		return pictographs.has(last) || isKey(last, rest)
	case Joiner:
		next, _ := utf8.DecodeRuneInString(rest)
		return (pictographs.has(last) || last == Variant) && pictographs.has(next)
	}
	return false
}

// isKey reports whether a digit, a hash or an asterisk is drawn as a key of a phone.
func isKey(last rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return next == keycap && (last >= '0' && last <= '9' || last == '#' || last == '*')
}

// flags are the tag sequences that turn a black flag into the flag of England, Scotland
// or Wales. No other flag is made this way.
var flags = [...]string{
	"\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
	"\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
	"\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
}

// flagTags is the length of each of the flags in bytes.
const flagTags = 24

// flagLen returns the length of the tags behind a black flag that make it a country's
// flag, or 0.
func flagLen(rest string) int {
	for _, tags := range flags {
		if strings.HasPrefix(rest, tags) {
			return flagTags
		}
	}
	return 0
}
