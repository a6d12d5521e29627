package detect

import (
	"strings"
	"unicode/utf8"

	"candor/safety/internal/decode"
	"candor/safety/internal/lex"
	"candor/safety/internal/prefilter"
	"candor/safety/internal/rule"
)

// Horizon is the place in an unfinished text before which nothing that follows
// can change what is found.
func (d *Detector) Horizon(s string) int {
	h := d.settled(s)
	for _, v := range [...]*decode.View{decode.PlainLetters(s), decode.Unescaped(s)} {
		if v != nil {
			h = min(h, v.Source(d.settled(v.Text.String())))
		}
	}
	return wordStart(s, h)
}

// settled is the horizon of a text as it stands.
func (d *Detector) settled(s string) int {
	h := d.anchorStart(s, imageStart(s, wordStart(s, len(s))))
	var found prefilter.Batch
	for i := 0; i < len(s); {
		var n int
		n, i = d.filter.Scan(s, i, &found)
		for _, p := range found[:n] {
			h = d.stillOpen(s, p, h)
		}
	}
	return wordStart(s, decode.SpelledStart(s, decode.EncodedLines(s, wordStart(s, h))))
}

// stillOpen draws h back to an anchor at a place whose match is not decided yet.
func (d *Detector) stillOpen(s string, p prefilter.Candidate, h int) int {
	anchors := d.filter.KeywordsAt(p.Gram)
	for k := range anchors {
		a := &anchors[k]
		at := int(p.At) - a.Off
		if a.Gram != p.Gram || at >= h || !a.Matches(s, at) {
			continue
		}
		r, end := &d.Rules[a.Rule], at+len(a.Literal)
		if r.Open != nil && r.Open(s, at, end) || r.Open == nil && len(s)-end < r.MaxGap || goesFurther(s, end) || r.Specificity == rule.ByShape && d.openTorn(s, a, at, end) {
			h = at
		}
	}
	return h
}

// openTorn reports whether a token that an anchor begins may go on behind a joint
// that is not decided yet.
func (d *Detector) openTorn(s string, a *prefilter.Keyword, at, end int) bool {
	if a.Prev != nil && at > 0 && !a.Prev[s[at-1]] || strings.HasPrefix(s[end:], s[at:end]) {
		return false
	}
	var t decode.Assembly
	if t.Gather(s, at, end); !t.Open {
		return false
	}
	to := decode.TokenChars.Run(s, end, decode.MaxToken)
	if kind, _ := decode.SkipJoint(s, to); kind == decode.JointSpace { // it does not go on if it is whole
		_, found := d.Rules[a.Rule].Match(s, at, end)
		return found == 0
	}
	return true
}

// goesFurther reports whether what an anchor begins may go on at the end of the
// text: no space stands behind it.
func goesFurther(s string, end int) bool {
	if len(s)-end > maxRunOn {
		return !breaksOff(s, end) && runStart(s, len(s)) <= end
	}
	for i := end; i < len(s); i++ {
		if lex.IsSpaceAt(s, i) {
			return false
		}
	}
	return true
}

// maxRunOn is how far behind an anchor a match goes on that is not ASCII.
const maxRunOn = 600

// breaksOff reports whether a letter stands behind i that belongs to no token.
func breaksOff(s string, i int) bool {
	for i = lex.ASCIIEnd(s, i); i < len(s); i = lex.ASCIIEnd(s, i+1) {
		if wideRune(s, i) > 0 {
			return true
		}
	}
	return false
}

// wideRune is the length of the rune at i if it belongs to a script without spaces
// between words, or is a sign of its own; no token goes on behind it.
func wideRune(s string, i int) int {
	if s[i] < 0xe0 {
		return 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError || r == decode.BlankBraille || decode.ASCII(r) > 0 || decode.Combining(r) {
		return 0
	}
	return n
}

// wordStart draws i back to behind the last space before it, or the last sign that
// ends a word just as well.
func wordStart(s string, i int) int {
	for i > 0 && !lex.IsSpaceAt(s, i-1) {
		if s[i-1] >= utf8.RuneSelf {
			if k := lex.RuneStart(s, i-1); wideRune(s, k) == i-k {
				break
			}
		}
		i--
	}
	return i
}

// anchorStart draws h back to before an anchor of several words that the end of
// the text may be the beginning of.
func (d *Detector) anchorStart(s string, h int) int {
	for _, lit := range d.spaced {
		for k := min(len(lit)-1, len(s)); k > 0 && len(s)-k < h; k-- {
			if lex.HasFold(s, len(s)-k, lit[:k]) {
				h = len(s) - k
			}
		}
	}
	return h
}

// runStart draws i back to behind the last space before it.
func runStart(s string, i int) int {
	for i > 0 && !lex.IsSpaceAt(s, i-1) {
		i--
	}
	return i
}

// imageStart draws h back to before a markdown image that is not yet whole: its
// first sign is what the sanitizer changes.
func imageStart(s string, h int) int {
	for from := max(0, len(s)-520); ; {
		k := strings.Index(s[from:], "![")
		if k < 0 || from+k >= h {
			return h
		}
		from += k + 2
		rest := s[from:]
		end := strings.IndexAny(rest, "]\n")
		switch {
		case end < 0 && len(rest) < 220:
			return from - 2
		case end >= 0 && rest[end] == ']' && (end+1 == len(rest) || rest[end+1] == '(' && !strings.ContainsAny(strings.TrimLeft(rest[end+2:], " <"), " )\n")):
			return from - 2
		}
	}
}
