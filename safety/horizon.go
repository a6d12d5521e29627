package safety

import (
	"strings"
	"unicode/utf8"
)

// horizon is the place in an unfinished text before which nothing that follows
// can change what is found.
func (d *detector) horizon(s string) int {
	h := d.settled(s)
	for _, v := range [...]*view{plainLetters(s), unescaped(s)} {
		if v != nil {
			h = min(h, v.source(d.settled(v.text.String())))
		}
	}
	return wordStart(s, h)
}

// settled is the horizon of a text as it stands.
func (d *detector) settled(s string) int {
	h := d.anchorStart(s, imageStart(s, wordStart(s, len(s))))
	var found batch
	for i := 0; i < len(s); {
		var n int
		n, i = d.filter.scan(s, i, &found)
		for _, p := range found[:n] {
			h = d.stillOpen(s, p, h)
		}
	}
	return wordStart(s, spelledStart(s, encodedLines(s, wordStart(s, h))))
}

// stillOpen draws h back to an anchor at a place whose match is not decided yet.
func (d *detector) stillOpen(s string, p place, h int) int {
	anchors := d.filter.at(p.gram)
	for k := range anchors {
		a := &anchors[k]
		at := int(p.at) - a.off
		if a.gram != p.gram || at >= h || !a.matches(s, at) {
			continue
		}
		r, end := &d.rules[a.rule], at+len(a.lit)
		if r.open != nil && r.open(s, at, end) || r.open == nil && len(s)-end < r.reach || goesFurther(s, end) || r.tier == tierToken && d.openTorn(s, a, at, end) {
			h = at
		}
	}
	return h
}

// openTorn reports whether a token that an anchor begins may go on behind a joint
// that is not decided yet.
func (d *detector) openTorn(s string, a *anchor, at, end int) bool {
	if a.prev != nil && at > 0 && !a.prev[s[at-1]] || strings.HasPrefix(s[end:], s[at:end]) {
		return false
	}
	var t pieced
	if t.gather(s, at, end); !t.open {
		return false
	}
	to := tornBytes.run(s, end, maxTorn)
	if kind, _ := tear(s, to); kind == jointSpace { // it does not go on if it is whole
		_, found := d.rules[a.rule].find(s, at, end)
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
		if spaceAt(s, i) {
			return false
		}
	}
	return true
}

// maxRunOn is how far behind an anchor a match goes on that is not ASCII.
const maxRunOn = 600

// breaksOff reports whether a letter stands behind i that belongs to no token.
func breaksOff(s string, i int) bool {
	for i = asciiEnd(s, i); i < len(s); i = asciiEnd(s, i+1) {
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
	if r == utf8.RuneError || r == blankBraille || ascii(r) > 0 || combining(r) {
		return 0
	}
	return n
}

// wordStart draws i back to behind the last space before it, or the last sign that
// ends a word just as well.
func wordStart(s string, i int) int {
	for i > 0 && !spaceAt(s, i-1) {
		if s[i-1] >= utf8.RuneSelf {
			if k := runeStart(s, i-1); wideRune(s, k) == i-k {
				break
			}
		}
		i--
	}
	return i
}

// anchorStart draws h back to before an anchor of several words that the end of
// the text may be the beginning of.
func (d *detector) anchorStart(s string, h int) int {
	for _, lit := range d.spaced {
		for k := min(len(lit)-1, len(s)); k > 0 && len(s)-k < h; k-- {
			if hasFold(s, len(s)-k, lit[:k]) {
				h = len(s) - k
			}
		}
	}
	return h
}

func spaceAt(s string, i int) bool { return s[i] == ' ' || s[i] == '\t' || s[i] == '\n' }

// runStart draws i back to behind the last space before it.
func runStart(s string, i int) int {
	for i > 0 && !spaceAt(s, i-1) {
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
