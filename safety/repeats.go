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

// mayRepeat reports whether a text may hold a value again behind its name: its beginning, or
// something encoded, outside of what is masked anyway. Most texts do not, and are spared the
// search.
func (l *Layer) mayRepeat(s string, found []lex.Span) bool {
	var n namedValues
	first := len(s)
	for _, sp := range found {
		if l.names(sp.Rule) && sp.To-sp.From >= recall.MinForm {
			first = min(first, sp.To)
			n.add(s[sp.From:sp.To])
		}
	}
	if n.more || len(s)-first < recall.MinForm {
		return n.more
	}
	at := first
	for _, sp := range l.masked(found) {
		if at < sp.From && n.mayBeIn(s, at, sp.From) {
			return true
		}
		at = max(at, sp.To)
	}
	return n.mayBeIn(s, at, len(s)) || decode.IsEscaped(s[first:])
}

// masked returns those of the findings that are masked, by their start.
func (l *Layer) masked(found []lex.Span) []lex.Span {
	masked := make([]lex.Span, 0, len(found))
	for _, sp := range found {
		if hides(&l.detector.Rules[sp.Rule]) {
			masked = append(masked, sp)
		}
	}
	slices.SortFunc(masked, func(a, b lex.Span) int { return a.From - b.From })
	return masked
}

// maxTested is how many values mayRepeat looks for. Of a text with more it says that it may.
const maxTested = 8

// namedValues are the values that a text names, without repetition.
type namedValues struct {
	values [maxTested]namedValue
	count  int
	more   bool // than maxTested
}

// namedValue is a value that a text names, of at least recall.MinForm bytes.
type namedValue struct {
	text                    string
	head, reversed, rotated opening      // how it begins as it is, in reverse, and in rot13
	plain, turned           decode.Bytes // which bytes from 0 to Z it has as it is, and in rot13
}

// add adds a value that is new.
func (n *namedValues) add(v string) {
	for k := range n.values[:n.count] {
		if n.values[k].text == v {
			return
		}
	}
	if n.more = n.count == maxTested; n.more {
		return
	}
	value := &n.values[n.count]
	value.text, value.head = v, openingOf(v[:detect.MinPiece])
	value.reversed = openingOf(secrets.Reverse(v[len(v)-recall.MinForm:]))
	value.rotated = openingOf(secrets.Rotate(v[:recall.MinForm]))
	n.count++
	for k := range len(v) {
		if c := v[k]; c >= '0' && c <= 'Z' {
			value.plain.Add(c)
			value.turned.Add(secrets.RotateByte(c))
		}
	}
}

// mayBeIn reports whether s[i:end], which is between what is masked, may hold one of the values
// again, or its beginning in front of what is masked.
func (n *namedValues) mayBeIn(s string, i, end int) bool {
	encoded, seen := decode.MayBeEncoded(s, i, end)
	if encoded {
		return true
	}
	for k := range n.values[:n.count] {
		v, from, low := &n.values[k], i, i
		if v.plain&^seen != 0 && v.turned&^seen != 0 { // nearly always
			from = max(i, end-len(v.text)-maxJoints) // where one begins that is masked in part
			low = max(i, end-recall.MinForm)
		}
		if v.begins(s, from, end) || v.isDisguised(s[low:min(len(s), end+recall.MinForm)]) {
			return true
		}
	}
	return false
}

// maxJoints is how many bytes may join the pieces of a value of which the end is masked.
const maxJoints = 32

// begins reports whether the value, or the first of its pieces, starts in s[i:end].
func (v *namedValue) begins(s string, i, end int) bool {
	s = s[:min(len(s), end+detect.MinPiece)]
	for {
		i = v.head.index(s, i) + detect.MinPiece
		if i < detect.MinPiece || i == len(s) {
			return false
		}
		if s[i] == v.text[detect.MinPiece] || decode.Joints[s[i]] {
			return true
		}
	}
}

// isDisguised reports whether a text may hold the value in reverse or in rot13.
func (v *namedValue) isDisguised(s string) bool {
	return v.reversed.index(s, 0) >= 0 || v.rotated.index(s, 0) >= 0
}

// opening is the first bytes of a value, to be found in texts.
type opening struct {
	text string
	rare int // the index of its first byte that is no small letter, since texts have few such bytes
}

// openingOf returns an opening that can be found.
func openingOf(text string) opening {
	for k := range len(text) {
		if text[k]-'a' >= 26 {
			return opening{text, k}
		}
	}
	return opening{text: text}
}

// index returns the index of the opening in s at or behind i, or -1.
func (p opening) index(s string, i int) int {
	for i += p.rare; i < len(s); i++ {
		n := strings.IndexByte(s[i:], p.text[p.rare])
		if n < 0 {
			break
		}
		if i += n; strings.HasPrefix(s[i-p.rare:], p.text) {
			return i - p.rare
		}
	}
	return -1
}
