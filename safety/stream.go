package safety

import (
	"strings"
	"unicode/utf8"
)

// streamContext is how much of what was emitted stays in sight: further left no
// rule looks.
const streamContext = 1024

// Stream cleans a text that arrives in pieces, split anywhere. What its calls
// return, joined, is what [Layer.Mask] returns for the whole; a piece is given
// out as soon as nothing that may follow can change it. Where a layer's limit
// lets more than a megabyte wait, it does not wait longer: a run that goes on is
// then cleaned as far as it is known. A stream is for one goroutine.
type Stream struct {
	layer *Layer
	total int    // raw bytes seen
	raw   string // not yet stripped: half a rune, half a line end
	text  string // stripped; the first done bytes are emitted already
	done  int
	wait  int    // how long text must be before it is worth reading again
	held  string // cleaned, kept back because the text may be too long
	shown int    // cleaned bytes emitted
	tally tally
}

// Stream starts a stream that cleans as this layer does.
func (l *Layer) Stream() *Stream { return &Stream{layer: l} }

// Write takes the next piece and gives what is safe to show by now.
func (s *Stream) Write(delta string) string {
	limit := s.layer.max*reachFactor - tornToken
	s.total += len(delta)
	s.raw += delta[:min(len(delta), max(0, s.layer.max*reachFactor+1-len(s.raw)))]
	if s.total > limit {
		return "" // at most a torn token away from where reading stops
	}
	k := wholeRunes(s.raw)
	s.text += s.layer.strip(s.text, s.raw[:k], &s.tally)
	s.raw = s.raw[k:]
	if len(s.text) < s.wait {
		return ""
	}
	h := s.layer.detector.horizon(s.text)
	out := s.advance(h) + s.release()
	s.wait = len(s.text)
	if pending := len(s.text) - s.done; pending > 4096 {
		s.wait += pending / 8
	}
	return s.emit(out)
}

// Close gives the rest and what was found in the whole. The stream must not be
// written to afterwards.
func (s *Stream) Close() (string, Report) {
	over := s.total > s.layer.max*reachFactor
	if over {
		s.raw = s.raw[:s.layer.reachOf(s.raw, len(s.raw)-1)]
	}
	s.text += s.layer.strip(s.text, s.raw, &s.tally)
	s.raw = ""
	out := s.emit(s.advance(len(s.text)))
	if body := s.shown + len(s.held); body > s.layer.max || over {
		keep := cutAt(s.held, max(0, s.layer.max-noticeRoom-s.shown))
		out += s.held[:keep] + notice(s.shown+keep, s.total)
	} else {
		out += s.held
	}
	s.held = ""
	return out, s.tally.report(s.layer.detector.rules)
}

// advance cleans the text from done up to h, or up to the start of a match that
// goes on behind it.
func (s *Stream) advance(h int) string {
	if h <= s.done {
		return ""
	}
	d := s.layer.detector
	found := d.inspect(s.text, nil)
	edits := d.merge(found, edited)
	for _, e := range edits {
		if e.from < h && e.to > h {
			h = e.from
		}
	}
	var b strings.Builder
	last := s.done
	for _, e := range edits {
		if e.from < s.done || e.to > h {
			continue
		}
		b.WriteString(s.text[last:e.from])
		s.layer.replace(&b, s.text, e, &s.tally)
		last = e.to
	}
	for _, sp := range found {
		if a := d.rules[sp.rule].action; sp.from >= s.done && sp.from < h && (a == Warn || a == Review) {
			s.tally.add(sp.rule, a)
		}
	}
	if h <= last {
		h = last
	}
	b.WriteString(s.text[last:h])
	drop := max(0, runeStart(s.text, h-streamContext))
	s.text, s.done = s.text[drop:], h-drop
	return b.String()
}

// emit gives out cleaned text as far as the length guard allows; what lies
// behind waits for the end, when it is known whether the whole is too long.
func (s *Stream) emit(out string) string {
	s.held += out
	free := s.layer.max - noticeRoom - 64 - s.shown
	if free <= 0 {
		return ""
	}
	k := runeStart(s.held, min(free, len(s.held)))
	k = markerStart(s.held, k)
	out, s.held = s.held[:k], s.held[k:]
	s.shown += k
	return out
}

// wholeRunes is how much of a raw piece can be stripped now: not half a rune, half a
// line end or half a terminal sequence.
func wholeRunes(s string) int {
	n := len(s)
	for k := 1; k <= 3 && k <= n; k++ {
		if utf8.RuneStart(s[n-k]) {
			if !utf8.FullRuneInString(s[n-k:]) {
				n -= k
			}
			break
		}
	}
	if i := strings.LastIndexByte(s[max(0, n-40):n], 0x1b); i >= 0 && escapeLen(s[max(0, n-40)+i:n]) == 1 {
		return max(0, n-40) + i
	}
	if n > 0 && s[n-1] == '\r' {
		n--
	}
	return n - unsettledEnd(s[:n])
}

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
	if to < len(s) && s[to] == ' ' { // it does not go on if it is whole
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
	if r == utf8.RuneError || ascii(r) > 0 || combining(r) {
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
