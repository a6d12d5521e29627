package invisible

import (
	"strings"
	"unicode/utf8"

	"candor/safety/internal/lex"
)

// Strip removes what cannot be seen from s. What spelling and emoji need stays; every
// line end becomes \n, and invalid UTF-8 becomes U+FFFD. Printable ASCII is returned
// as it is, without an allocation.
func Strip(s string) string { return StripAfter("", s) }

// StripAfter strips s, the continuation of before, which was stripped already:
// StripAfter(Strip(a), b) is the end of Strip(a+b) where no sequence is cut in two.
func StripAfter(before, s string) string {
	if !needsStrip(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	last, _ := utf8.DecodeLastRuneInString(before)
	for i := 0; i < len(s); {
		r, n := decodeRune(s[i:])
		if r == blackFlag {
			n += flagLen(s[i+n:])
			b.WriteString(s[i : i+n])
			last, i = r, i+n
			continue
		}
		if r == escapeChar {
			i += EscapeLen(s[i:])
			continue
		}
		if keep, ok := kept(last, r, s[i+n:]); ok {
			b.WriteRune(keep)
			last = keep
		}
		i += n
	}
	return b.String()
}

func decodeRune(s string) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

// kept returns what stays of r, which may be a line end of another kind, and whether
// anything does.
func kept(last, r rune, rest string) (rune, bool) {
	switch {
	case r == '\r':
		return '\n', rest == "" || rest[0] != '\n'
	case r == 0x85, r == 0x2028, r == 0x2029: // next line, line and paragraph separator
		return '\n', true
	}
	return r, !Is(r) || belongs(last, r, rest)
}

// needsStrip reports whether a text holds anything but printable ASCII, tabs and
// newlines. It reads 32 bytes at a time, and eight where one of them may be odd.
func needsStrip(s string) bool {
	i := 0
	for ; i+32 <= len(s); i += 32 {
		t := s[i : i+32]
		a, b, c, d := lex.Load8(t, 0), lex.Load8(t, 8), lex.Load8(t, 16), lex.Load8(t, 24)
		p, q, r, u := suspects(a), suspects(b), suspects(c), suspects(d)
		if (p|q|r|u)&lex.HighBits == 0 {
			continue // mostly
		}
		if p&lex.HighBits != 0 && anyOdd(a) || q&lex.HighBits != 0 && anyOdd(b) ||
			r&lex.HighBits != 0 && anyOdd(c) || u&lex.HighBits != 0 && anyOdd(d) {
			return true
		}
	}
	for ; i+8 <= len(s); i += 8 {
		if isOdd(lex.Load8(s, i)) {
			return true
		}
	}
	return hasOddByte(s[i:])
}

// suspects sets a high bit of w if one of its bytes is not printable: a byte below 0x20
// borrows, 0x7f carries, the rest of ASCII does neither.
func suspects(w uint64) uint64 { return w | (w - lex.Ones*0x20) | (w + lex.Ones) }

// isOdd reports whether any of the eight bytes of w is one that hasOddByte looks for.
func isOdd(w uint64) bool { return suspects(w)&lex.HighBits != 0 && anyOdd(w) }

// anyOdd reports whether any of the eight bytes of w is one of those that hasOddByte looks for.
func anyOdd(w uint64) bool {
	low := w &^ lex.HighBits
	above := low + lex.Ones*(0x80-0x20) | w                                       // marks what is no control character
	layout := (low + lex.Ones*(0x80-'\t')) &^ (low + lex.Ones*(0x80-'\n'-1)) &^ w // marks \t and \n
	return (low+lex.Ones|w|^above&^layout)&lex.HighBits != 0
}

// hasOddByte reports whether s holds a control character other than a line end or a tab, or a byte
// outside ASCII.
func hasOddByte(s string) bool {
	for i := 0; i < len(s); i++ {
		if b := s[i]; b >= 0x7f || b < 0x20 && b != '\n' && b != '\t' {
			return true
		}
	}
	return false
}

// UnsettledEnd returns how many bytes at the end of s have to wait for more text,
// since what follows decides whether they stay.
func UnsettledEnd(s string) int {
	tail := s[max(0, len(s)-flagTags-3):]
	if i := strings.LastIndex(tail, "\U0001f3f4"); i >= 0 {
		return len(tail) - i
	}
	for _, end := range [...]string{"\u200d", "\ufe0f", "\u00ad"} {
		if strings.HasSuffix(s, end) {
			return len(end)
		}
	}
	return 0
}

// Unseen counts the characters of s, the continuation of before, that are there to
// hide something or to steer a terminal. What belongs to emoji or to spelling does not
// count, nor does what only colours text or ends a line.
func Unseen(before, s string) int {
	last, _ := utf8.DecodeLastRuneInString(before)
	n, flagEnd := 0, 0
	for i, r := range s {
		switch {
		case i < flagEnd:
			continue
		case r == blackFlag:
			flagEnd = i + 4 + flagLen(s[i+4:])
		case !Is(r):
		case r == escapeChar:
			if EscapeLen(s[i:]) == 1 {
				n++
			}
			continue
		case !belongs(last, r, s[i+utf8.RuneLen(r):]):
			if !isHarmless(r) {
				n++
			}
			continue
		}
		last = r
	}
	return n
}

// belongs reports whether an invisible r stays, as part of an emoji or of a word.
func belongs(last, r rune, rest string) bool {
	return belongsToEmoji(last, r, rest) || belongsToSpelling(last, r, rest)
}

// isHarmless reports whether r is removed without a warning: it is a line end, or may
// be left over from an emoji that was cut.
func isHarmless(r rune) bool {
	return r == Joiner || r == Variant || r == textual || r == 0x85 || r == '\r'
}

// EscapeLen returns the length of the terminal sequence at the start of s if it is ESC
// [ … m, which colours, or ESC [ … K, which erases a line, and 1 for any other.
func EscapeLen(s string) int {
	if len(s) < 2 || s[1] != '[' {
		return 1
	}
	for i := 2; i < len(s) && i < 32; i++ {
		if s[i] == 'm' || s[i] == 'K' { // any other end could be a token's first letter
			return i + 1
		}
		if s[i] < 0x30 || s[i] > 0x3f {
			break
		}
	}
	return 1
}

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
