package brief

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"candor/safety"
)

// MaxLine is the length of the longest line, in characters.
const MaxLine = 200

// maxSource is how much of a text a line is made of, in bytes.
const maxSource = 4096

// Line is a line made of cleaned text. Its zero value is the empty line. Only this package makes
// one, so its type proves that nothing raw is in it.
type Line struct{ s string }

// String returns the line, which is not escaped for any markup.
func (l Line) String() string { return l.s }

// MarshalText implements encoding.TextMarshaler: in JSON a line is a string.
func (l Line) MarshalText() ([]byte, error) { return []byte(l.s), nil }

// IsZero reports whether the line is empty; encoders leave such a line out.
func (l Line) IsZero() bool { return l.s == "" }

// First returns the first sentence of a text as a line.
func First(t safety.Text) Line { return lineOf(sentence(t.String())) }

// lineOf returns a text as a line that loses its end if it is too long.
func lineOf(s string) Line {
	s = flat(s)
	if utf8.RuneCountInString(s) <= MaxLine {
		return Line{s}
	}
	return Line{cutEnd(s, MaxLine)}
}

// flat returns a text without control characters and with single spaces between its words.
func flat(s string) string {
	if len(s) > maxSource {
		s = s[:maxSource]
		for len(s) > 0 && !utf8.ValidString(s[max(0, len(s)-utf8.UTFMax):]) && !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
	}
	const zeroWidthJoiner = '\u200d' // part of emoji
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != zeroWidthJoiner:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// cutEnd returns the start of a text, limit characters with the ellipsis. It does not cut a
// mark such as [REDACTED:jwt] in two.
func cutEnd(s string, limit int) string {
	s = firstRunes(s, limit-1)
	if at := strings.LastIndexByte(s, '['); at >= 0 && !strings.Contains(s[at:], "]") {
		s = s[:at]
	}
	return strings.TrimRight(s, " ") + "…"
}

// firstRunes returns the first n characters of a text.
func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// cutMiddle returns a path of at most limit characters: its first folders, an ellipsis and as much of its
// end as has room.
func cutMiddle(file string, limit int) string {
	if utf8.RuneCountInString(file) <= limit {
		return file
	}
	head := firstRunes(file, limit/3)
	if at := strings.LastIndexByte(head, '/'); at >= 0 {
		head = head[:at+1]
	}
	room := limit - utf8.RuneCountInString(head) - len("/") - 1
	runes := []rune(file)
	tail := string(runes[len(runes)-room:])
	if _, after, ok := strings.Cut(tail, "/"); ok {
		tail = after
	}
	if strings.Contains(head, "[") || strings.Contains(tail, "]") {
		return cutEnd(file, limit) // the cut may be in a mark
	}
	return head + "…/" + tail
}

// sentence returns the first sentence of a text, or its first line if that is shorter.
func sentence(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	for at := 0; at < min(len(s), maxSource); {
		next := strings.IndexAny(s[at:], ".!?")
		if next < 0 {
			break
		}
		if at += next + 1; at < len(s) && s[at] == ' ' {
			return s[:at]
		}
	}
	return s
}
