package safety

import (
	"fmt"
	"strings"

	"candor/safety/internal/lex"
)

// reachFactor bounds the work on a text that is too long: what lies further
// than this many times the limit is not even read.
const reachFactor = 4

// tornToken bounds how far the reach is drawn back to a space, so that no token
// is torn where reading stops. A longer run is recognised by its first part.
const tornToken = 4096

// reach is how much of a raw text is read. The guard cuts cleaned text, never
// raw text, so a secret that straddles the limit is masked before it is cut.
func (l *Layer) reach(raw string) int {
	limit := l.max * reachFactor
	if len(raw) <= limit {
		return len(raw)
	}
	return l.reachOf(raw, limit)
}

// reachOf draws a limit back to a space.
func (l *Layer) reachOf(raw string, limit int) int {
	if i := strings.LastIndexAny(raw[limit-min(limit, tornToken):limit], " \n\t"); i >= 0 {
		return limit - min(limit, tornToken) + i
	}
	return lex.RuneStart(raw, limit)
}

// noticeRoom is kept free for the notice, whatever its numbers are.
const noticeRoom = 96

// cut shortens a cleaned text and says so. What is cut is read again: a token
// shortened by the cut may look like another one.
func (l *Layer) cut(body string, total int, t *tally) string {
	limit := l.max - noticeRoom
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

func notice(shown, total int) string {
	return fmt.Sprintf("\n\n[truncated: %d of %d bytes shown]", shown, total)
}

// cutAt draws a cut at i back to where it splits neither a rune nor a marker, and
// leaves no joiner without what it joins.
func cutAt(s string, i int) int {
	i = markerStart(s, lex.RuneStart(s, i))
	return len(strings.TrimSuffix(s[:i], "\u200d"))
}

// markerStart draws a cut at i back to before a marker that it would split.
func markerStart(s string, i int) int {
	from := max(0, i-64)
	if k := strings.LastIndex(s[from:i], lex.MarkerPrefix); k >= 0 && strings.IndexByte(s[from+k:i], ']') < 0 {
		return from + k
	}
	return i
}

// Limit is the same layer with another length guard, for kinds of text that are
// short by nature. It shares everything else.
func (l *Layer) Limit(maxBytes int) *Layer {
	limited := *l
	MaxBytes(maxBytes)(&limited)
	return &limited
}
