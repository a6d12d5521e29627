package thinking

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxHeld is how many bytes of a thought, and of the text behind it, are followed. What
	// comes after them is returned by Close only.
	maxHeld = 512 << 10
	// maxScans is how many tags that might end a thought are looked at in their context,
	// since each costs a scan of the whole thought.
	maxScans = 64
)

// Filter strips a text that arrives in pieces. What its calls return, joined, is what
// [Strip] returns for the whole text. A thought at the beginning is left out. At any other
// mark, such as a tag in the middle or a tool call written as text, the filter returns
// nothing more until Close, since what a mark means may depend on the text behind it.
//
// A few marks change what the text before them means: </think> without an opening tag
// says that all of it was a thought. If such text has been returned already, the filter
// is Retracted, and readers must forget it. The zero value is ready to use. A Filter
// must not be used by several goroutines at once.
type Filter struct {
	// Thinks says that the text may begin within a thought, so that nothing is returned
	// before the end of that thought. It must be set before the first Write.
	Thinks bool

	text      []byte // what has come in and is not decided yet
	scans     int    // how often the thought was scanned for its end
	state     filterState
	space     []byte // white space at the end of what was decided
	out       strings.Builder
	retracted bool
}

// filterState is what a Filter is reading.
type filterState int

const (
	beginning filterState = iota // white space, or a tag that opens a thought
	inThought
	inText
	stopped // nothing is returned until Close
)

// Write adds the next piece and returns the text that is decided, which may be empty.
func (f *Filter) Write(piece string) string {
	if f.state == stopped {
		return ""
	}
	f.text = append(f.text, piece...)
	if f.state == beginning {
		f.begin(string(f.text))
	}
	if f.state == inThought && strings.ContainsAny(piece, ">];") {
		latest := f.text[max(0, len(f.text)-len(piece)-maxTag):]
		if mayEndThought(string(latest)) {
			f.endThought(string(f.text))
		}
	}
	if len(f.text) > maxHeld || f.out.Len() > maxHeld {
		f.stop()
	}
	if f.state != inText {
		return ""
	}
	return f.decide(string(f.text))
}

// Retracted reports whether the text returned so far turned out to be private.
func (f *Filter) Retracted() bool { return f.retracted }

// Close returns the rest of the text, given the whole of it. ok is false if what was
// returned before does not belong to it, and readers must forget that.
func (f *Filter) Close(whole string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(Strip(whole), f.out.String())
	return rest, ok && !f.retracted
}

func (f *Filter) stop() { f.state, f.text = stopped, nil }

// begin decides whether the text begins with a thought.
func (f *Filter) begin(text string) {
	body := strings.TrimLeftFunc(text, unicode.IsSpace)
	f.text = f.text[len(text)-len(body):]
	switch {
	case f.Thinks:
		f.state = inThought
	case body == "":
	case strings.IndexByte("<[&", body[0]) < 0:
		f.state = inText
	default:
		opening, whole := parseTag(body, 0)
		kind := markAt(body)
		switch {
		case whole && opening.family == thought && !opening.close:
			f.state = inThought
		case kind == noMark:
			f.state = inText
		case whole || len(body) >= maxTag || strings.HasPrefix(body, "[Called"):
			f.stop()
		}
	}
}

// mayEndThought reports whether a tag in the latest text could end a thought.
func mayEndThought(latest string) bool {
	for i := range len(latest) {
		if c := latest[i]; c == '<' || c == '[' || c == '&' {
			if t, ok := parseTag(latest, i); ok && (t.family == finalAnswer || t.family == thought && t.close) {
				return true
			}
		}
	}
	return false
}

// endThought looks for the end of the thought with which the text begins. Code that is
// still open could hide the tag once more text has come, and channels and blocks within
// the thought could hold the answer, so each of them stops the filter.
func (f *Filter) endThought(text string) {
	if f.scans++; f.scans > maxScans {
		f.stop()
		return
	}
	for _, t := range tagsOutsideCode(text) {
		closes := t.family == thought && t.close
		switch before := text[:t.start]; {
		case t.family == finalAnswer, closes && (hasOpenCode(before) || strings.Contains(before, "<|")):
			f.stop()
			return
		case closes:
			f.text, f.state = f.text[t.end:], inText
			return
		}
	}
}

// hasOpenCode reports whether text has a run of backticks that nothing closes yet.
func hasOpenCode(text string) bool {
	for i := 0; i < len(text); {
		if text[i] != '`' && text[i] != '~' {
			i++
			continue
		}
		end := skipCode(text, i)
		if text[i] == '`' && end == i+runLength(text, i) || end == len(text) {
			return true
		}
		i = end
	}
	return false
}

// decide returns the text up to the next mark, or up to what may become one.
func (f *Filter) decide(text string) string {
	n, kind := wholeRunes(text), noMark
	for i := range len(text) {
		if c := text[i]; c == '<' || c == '[' || c == '&' {
			if kind = markAt(text[i:]); kind != noMark {
				n = i
				break
			}
		}
	}
	out := f.keep(text[:n])
	f.text = append(f.text[:0], text[n:]...)
	if kind == aMark || kind == aRetraction {
		f.retracted = kind == aRetraction
		f.stop()
	}
	return out
}

// keep adds decided text to the output as Strip would: without space at its ends and
// without runs of empty lines.
func (f *Filter) keep(text string) string {
	if f.out.Len() == 0 {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	body := strings.TrimRightFunc(text, unicode.IsSpace)
	space := text[len(body):]
	if body != "" {
		body = string(f.space) + body
		f.space = f.space[:0]
	}
	f.space = append(f.space, space...)
	if strings.Contains(body, "\n\n\n") {
		body = blankLines.ReplaceAllString(body, "\n\n")
	}
	f.out.WriteString(body)
	return body
}

// wholeRunes returns the length of text without an incomplete rune at its end.
func wholeRunes(text string) int {
	for k := 1; k < utf8.UTFMax && k <= len(text); k++ {
		if at := len(text) - k; utf8.RuneStart(text[at]) {
			if !utf8.FullRuneInString(text[at:]) {
				return at
			}
			break
		}
	}
	return len(text)
}

// markKind says what a bracket in a text begins.
type markKind int

const (
	noMark      markKind = iota
	maybeMark            // more text decides
	aMark                // a tag, a channel or a tool call
	aRetraction          // a tag that changes what the text before it means
)

// markAt returns what the bracket at the start of rest begins. It takes more for a mark
// than Strip does, never less.
func markAt(rest string) markKind {
	for _, literal := range []string{"[THINK]", "[/THINK]", "[Called tool `", "<|"} {
		switch {
		case strings.HasPrefix(rest, literal) && literal == "[/THINK]":
			return aRetraction
		case strings.HasPrefix(rest, literal):
			return aMark
		case strings.HasPrefix(literal, rest):
			return maybeMark
		}
	}
	inner, ok := strings.CutPrefix(rest, "<")
	if !ok {
		if inner, ok = strings.CutPrefix(rest, "&lt;"); !ok {
			if strings.HasPrefix("&lt;", rest) {
				return maybeMark
			}
			return noMark
		}
	}
	return tagMark(inner, len(rest) >= maxTag)
}

// tagMark returns what a bracket begins by the text behind it. In a text that is long
// enough the name must be there.
func tagMark(inner string, long bool) markKind {
	name := strings.TrimLeftFunc(inner, unicode.IsSpace)
	name, closing := strings.CutPrefix(name, "/")
	name = strings.TrimLeftFunc(name, unicode.IsSpace)
	end := strings.IndexFunc(name, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("/>&|<", r) })
	if end >= 0 {
		switch families[strings.ToLower(name[:end])] {
		case noFamily:
			return noMark
		case finalAnswer:
			return aRetraction
		case thought:
			if closing {
				return aRetraction
			}
		}
		return aMark
	}
	for known := range families {
		if !long && strings.HasPrefix(known, strings.ToLower(name)) {
			return maybeMark
		}
	}
	return noMark
}
