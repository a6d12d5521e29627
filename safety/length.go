package safety

import (
	"bytes"
	"fmt"
	"strings"

	"candor/safety/internal/lex"
)

// reachFactor bounds the work on a text that is too long: bytes beyond this many times
// the limit are not read.
const reachFactor = 4

// tornToken is how far the end of reading may move back to a space, so that it splits no
// token. A token longer than that is recognised by its first part.
const tornToken = 4096

// reach returns how many bytes of a raw text are read. That is more than the limit: a
// secret at the limit must be masked as a whole before the cleaned text is cut.
func (l *Layer) reach(raw string) int {
	limit := l.max * reachFactor
	if len(raw) <= limit {
		return len(raw)
	}
	return l.reachOf(raw, limit)
}

// reachOf moves limit back to a space, or to the start of a rune if none is near.
func (l *Layer) reachOf(raw string, limit int) int {
	if i := strings.LastIndexAny(raw[limit-min(limit, tornToken):limit], " \n\t"); i >= 0 {
		return limit - min(limit, tornToken) + i
	}
	return lex.RuneStart(raw, limit)
}

// noticeRoom is the space reserved for the notice, however large its numbers are.
const noticeRoom = 96

// cut shortens a cleaned text and appends a notice. The result is cleaned again, because
// a token that the cut shortened may look like another one. If it never becomes stable,
// only the notice remains.
func (l *Layer) cut(body string, total int, t *tally) string {
	limit := l.max - noticeRoom
	t.cut = true
	for range maxRounds {
		body = body[:cutAt(body, limit)]
		out := body + notice(len(body), total)
		if next := l.settle(out, t); next == out {
			return out
		}
		body = l.settle(body, t)
		limit = min(limit, len(body)) - 32
	}
	return strings.TrimSpace(notice(0, total))
}

// notice tells the reader how many of the raw bytes are shown.
func notice(shown, total int) string {
	return fmt.Sprintf("\n\n[truncated: %d of %d bytes shown]", shown, total)
}

// cutAt moves a cut at i back so that it splits neither a rune nor a marker, and removes
// a zero-width joiner at the end, which would join nothing.
func cutAt(s string, i int) int {
	i = markerStart(s, lex.RuneStart(s, i))
	return len(strings.TrimSuffix(s[:i], "\u200d"))
}

// markerStart moves a cut at i to the start of the marker that it would split, if any. At the end
// of s, what may be the beginning of a marker counts as one.
func markerStart(s string, i int) int {
	from := max(0, i-64)
	if k := strings.LastIndex(s[from:i], lex.MarkerPrefix); k >= 0 && strings.IndexByte(s[from+k:i], ']') < 0 {
		return from + k
	}
	for k := max(0, i-len(lex.MarkerPrefix)+1); k < i; k++ {
		rest := s[k:]
		if strings.HasPrefix(rest, lex.MarkerPrefix) || i == len(s) && strings.HasPrefix(lex.MarkerPrefix, rest) {
			return k
		}
	}
	return i
}

// Limit returns a layer with another length guard, for kinds of text that are short by
// nature. It shares the rules with l, so it is cheap, and leaves l unchanged.
func (l *Layer) Limit(maxBytes int) *Layer {
	limited := *l
	MaxBytes(maxBytes)(&limited)
	return &limited
}

// exact returns a slice's content without the room behind it, where that is as large.
func exact(b []byte) []byte {
	if cap(b) > 2*len(b) {
		return bytes.Clone(b)
	}
	return b
}
