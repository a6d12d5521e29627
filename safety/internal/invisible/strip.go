package invisible

import (
	"strings"
	"unicode/utf8"

	"candor/safety/internal/lex"
)

// needsStrip reports whether a text holds anything but printable ASCII, tabs
// and newlines. Clean ASCII is told eight bytes at a time.
func needsStrip(s string) bool {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := lex.Load8(s, i)
		// A byte below 0x20 borrows, 0x7f carries, the rest do neither.
		if (w|(w-lex.Ones*0x20)|(w+lex.Ones))&lex.Tops != 0 && oddIn(s[i:i+8]) {
			return true
		}
	}
	return oddIn(s[i:])
}

func oddIn(s string) bool {
	for i := 0; i < len(s); i++ {
		if b := s[i]; b >= 0x7f || b < 0x20 && b != '\n' && b != '\t' {
			return true
		}
	}
	return false
}

// Strip takes out what cannot be seen: control, bidirectional and zero-width
// characters, tags, variation selectors, terminal escapes. What joins or varies
// emoji stays, and what spelling needs in a script that has it. Line ends become \n and invalid UTF-8 becomes U+FFFD. It runs
// before detection, since such characters split a secret that reads as one.
func Strip(s string) string { return StripAfter("", s) }

// StripAfter strips s, which stands behind before, stripped already.
func StripAfter(before, s string) string {
	if !needsStrip(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	last, _ := utf8.DecodeLastRuneInString(before) // the last one kept
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		keep := rune(-1)
		switch {
		case r == 0x1b:
			n = EscapeLen(s[i:])
		case r == '\r':
			if i+1 >= len(s) || s[i+1] != '\n' {
				keep = '\n'
			}
		case r == 0x85, r == 0x2028, r == 0x2029:
			keep = '\n'
		case r == blackFlag && ofFlag(s[i+n:]) == flagTags:
			b.WriteString(s[i : i+n+flagTags])
			last = blackFlag
			i += n + flagTags
			continue
		case !Is(r), ofEmoji(last, r, s[i+n:]), ofScript(last, r, s[i+n:]):
			keep = r
		}
		if keep >= 0 {
			b.WriteRune(keep)
			last = keep
		}
		i += n
	}
	return b.String()
}

const (
	Joiner  = 0x200d // makes one emoji of two
	Variant = 0xfe0f // shows a sign as an emoji
	keycap  = 0x20e3
)

// ofEmoji reports whether r belongs to an emoji: it makes one of the sign before
// it, or joins two.
func ofEmoji(last, r rune, rest string) bool {
	switch r {
	case Variant - 1:
		return emoji(last) // as text
	case Variant:
		if emoji(last) {
			return true
		}
		next, _ := utf8.DecodeRuneInString(rest)
		return next == keycap && (last-'0' >= 0 && last-'0' < 10 || last == '#' || last == '*')
	case Joiner:
		next, _ := utf8.DecodeRuneInString(rest)
		return (emoji(last) || last == Variant) && emoji(next)
	}
	return false
}

// emoji reports whether a rune is a pictograph. Letters in circles are not: they
// may spell a secret.
func emoji(r rune) bool {
	switch {
	case r >= 0x1f000 && r <= 0x1faff, r >= 0x2600 && r <= 0x27bf, r >= 0x2190 && r <= 0x21ff, r >= 0x2300 && r <= 0x23ff:
		return !(r >= 0x1f110 && r <= 0x1f169)
	case r >= 0x25a0 && r <= 0x25ff, r >= 0x2934 && r <= 0x2935, r >= 0x2b00 && r <= 0x2bff:
		return true
	}
	return r == 0xa9 || r == 0xae || r == 0x203c || r == 0x2049 || r == 0x2122 || r == 0x2139 || r == 0x3030 || r == 0x303d || r == 0x3297 || r == 0x3299
}

// Unseen counts the characters of a text behind before that are there to hide
// something or to steer a terminal: not what belongs to emoji or to spelling, nor
// what only colours text.
func Unseen(before, s string) int {
	last, _ := utf8.DecodeLastRuneInString(before)
	n, flag := 0, 0
	for i, r := range s {
		switch {
		case i < flag:
			continue
		case r == blackFlag:
			flag = i + 4 + ofFlag(s[i+4:])
		case !Is(r):
		case r == 0x1b:
			if EscapeLen(s[i:]) == 1 {
				n++
			}
			continue
		case ofScript(last, r, s[i+utf8.RuneLen(r):]), ofEmoji(last, r, s[i+utf8.RuneLen(r):]):
		case r == Joiner, r == Variant, r == Variant-1, r == 0x85, r == '\r':
			continue // taken out without a word
		default:
			n++
			continue
		}
		last = r
	}
	return n
}

// EscapeLen is the length of a terminal's control sequence: ESC [ … m or K.
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

// Is reports whether a rune shows nothing or changes the direction of
// what does.
func Is(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r < 0xa0, r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xfeff, r == 0xffa0:
		return true
	case r >= 0x17b4 && r <= 0x17b5, r >= 0x180b && r <= 0x180f:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xfff0 && r <= 0xfffc, r >= 0xfdd0 && r <= 0xfdef:
		return true
	case r >= 0x1bca0 && r <= 0x1bca3, r >= 0x1d173 && r <= 0x1d17a, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}
