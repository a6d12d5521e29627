package safety

import (
	"strings"

	"candor/safety/internal/inert"
	"candor/safety/internal/lex"
)

// align finds the spans of s that markers stand for in cleaned, and returns s with these
// markers, everything else escaped as escapeUnseen does. It returns false unless s is
// cleaned with an inert text, which is perhaps empty, in place of each marker.
//
// Each part between two markers is looked for where it begins first. If any other place
// fits, that one does too: what lies between the two places is inert.
func align(s, cleaned string) (spans []lex.Span, shown string, ok bool) {
	var b strings.Builder
	pos, from := 0, -1 // from is the start of the span that ends where the next part begins
	for rest := cleaned; ; {
		part, marker, more := cutMarker(rest, s[pos:], from < 0)
		at := pos
		if from >= 0 {
			at = find(s, pos, part, !more)
		}
		if at < 0 || !strings.HasPrefix(s[at:], part) || !more && at+len(part) != len(s) {
			return nil, "", false
		}
		if from >= 0 && at > from {
			spans = append(spans, lex.Span{From: from, To: at})
		}
		b.WriteString(escapeUnseen(part))
		pos = at + len(part)
		if !more {
			return spans, b.String(), true
		}
		b.WriteString(marker)
		rest, from = rest[len(part)+len(marker):], pos
	}
}

// cutMarker returns the part of a cleaned text in front of its first marker, and the marker.
// A marker that the text itself has, which raw continues with, belongs to the part.
func cutMarker(cleaned, raw string, follows bool) (part, marker string, more bool) {
	for at := 0; ; {
		k := strings.Index(cleaned[at:], lex.MarkerPrefix)
		if k < 0 {
			return cleaned, "", false
		}
		k += at
		end := strings.IndexByte(cleaned[k:], ']')
		if end < 0 {
			return cleaned, "", false
		}
		end += k + 1
		if !follows || !strings.HasPrefix(raw, cleaned[:end]) {
			return cleaned[:k], cleaned[k:end], true
		}
		at = end
	}
}

// find returns where part begins in s, behind inert characters only from pos on, or -1. The
// last part ends s.
func find(s string, pos int, part string, last bool) int {
	end := pos
	for end < len(s) && inert.IsInert(s[end]) {
		end++
	}
	if last {
		if at := len(s) - len(part); at >= pos && at <= end && strings.HasSuffix(s, part) {
			return at
		}
		return -1
	}
	at := strings.Index(s[pos:min(len(s), end+len(part))], part)
	if at < 0 {
		return -1
	}
	return pos + at
}

// isMarker reports whether a cleaned text is one marker.
func isMarker(cleaned string) bool {
	return strings.HasPrefix(cleaned, lex.MarkerPrefix) && strings.IndexByte(cleaned, ']') == len(cleaned)-1
}
