package safety

import (
	"slices"
	"strings"

	"candor/safety/internal/decode"
	"candor/safety/internal/detect"
	"candor/safety/internal/lex"
	"candor/safety/internal/recall"
	"candor/safety/internal/secrets"
)

// maxTested is how many values mayRepeat looks for. Of a text with more it says that it may.
const maxTested = 8

// mayRepeat reports whether a text may hold a value again behind its name: its beginning, or
// something encoded that is not masked anyway. Most texts do not, and are spared the search.
func (l *Layer) mayRepeat(s string, found []lex.Span) bool {
	first := len(s)
	var tested [maxTested]string
	n, masked := 0, l.masked(found)
	for _, sp := range found {
		if !l.names(sp.Rule) || sp.To-sp.From < recall.MinForm {
			continue
		}
		first = min(first, sp.To)
		v := s[sp.From:sp.To]
		if slices.Contains(tested[:n], v) {
			continue
		}
		if n == maxTested || beginsAgain(s, v, sp.To, masked) || isDisguised(s[sp.To:], v) {
			return true
		}
		tested[n], n = v, n+1
	}
	if len(s)-first < recall.MinForm {
		return false
	}
	for from, to := decode.NextLong(s, first); to > 0; from, to = decode.NextLong(s, to) {
		if !masked.cover(from, to) && decode.IsMixed(s[from:to]) {
			return true
		}
	}
	return decode.IsEscaped(s[first:])
}

// maskedSpans are the parts of a text that are masked, by their start.
type maskedSpans []lex.Span

// masked returns those of the findings that are masked.
func (l *Layer) masked(found []lex.Span) maskedSpans {
	masked := make(maskedSpans, 0, len(found))
	for _, sp := range found {
		if hides(&l.detector.Rules[sp.Rule]) {
			masked = append(masked, sp)
		}
	}
	slices.SortFunc(masked, func(a, b lex.Span) int { return a.From - b.From })
	return masked
}

// cover reports whether one of the spans has all of s[from:to]. It drops those before to, so it
// can be asked about growing offsets only.
func (m *maskedSpans) cover(from, to int) bool {
	for len(*m) > 0 && (*m)[0].To < to {
		*m = (*m)[1:]
	}
	return len(*m) > 0 && (*m)[0].From <= from
}

// isDisguised reports whether a text may hold a value in reverse or in rot13.
func isDisguised(s, v string) bool {
	return indexPart(s, secrets.Reverse(v[len(v)-recall.MinForm:]), 0) >= 0 ||
		indexPart(s, secrets.Rotate(v[:recall.MinForm]), 0) >= 0
}

// beginsAgain reports whether a value, or the first of its pieces, starts at i or later
// outside of what is masked.
func beginsAgain(s, v string, i int, masked maskedSpans) bool {
	for {
		i = indexPart(s, v[:detect.MinPiece], i) + detect.MinPiece
		if i < detect.MinPiece || i == len(s) {
			return false
		}
		if (s[i] == v[detect.MinPiece] || decode.Joints[s[i]]) && !masked.cover(i-detect.MinPiece, i) {
			return true
		}
	}
}

// indexPart returns the index of a part of a value in s at or behind i, or -1. It looks for the
// first byte of the part that is no small letter, since texts have few such bytes.
func indexPart(s, part string, i int) int {
	k := max(0, strings.IndexFunc(part, func(r rune) bool { return r < 'a' || r > 'z' }))
	for i += k; i < len(s); i++ {
		n := strings.IndexByte(s[i:], part[k])
		if n < 0 {
			break
		}
		if i += n; strings.HasPrefix(s[i-k:], part) {
			return i - k
		}
	}
	return -1
}
