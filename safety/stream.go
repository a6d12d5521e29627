package safety

import (
	"strings"
	"unicode/utf8"

	"candor/safety/internal/invisible"
	"candor/safety/internal/lex"
)

// streamContext is how many emitted bytes a stream keeps as context for the rules. No
// rule looks further back.
const streamContext = 1024

// Stream cleans a text that arrives in pieces, split anywhere. The results of its calls,
// joined, are what [Layer.Mask] returns for the whole text. Each part is returned as soon
// as nothing that follows can change it. A stream holds back about a megabyte at most: a
// match that is still open then is cleaned as far as it is known. A stream must not be
// used by several goroutines at once.
type Stream struct {
	layer *Layer
	total int    // raw bytes written so far
	raw   string // not stripped yet: an incomplete rune, line end or escape sequence
	text  string // stripped; the first done bytes are cleaned and kept as context
	done  int
	wait  int    // length of text at which the next search is worth its cost
	held  string // cleaned, held back because the text may be too long
	shown int    // cleaned bytes returned so far
	tally tally
}

// Stream returns a new stream that cleans with this layer.
func (l *Layer) Stream() *Stream { return &Stream{layer: l} }

// Write adds the next piece and returns what is safe to show now, which may be empty.
func (s *Stream) Write(delta string) string {
	limit := s.layer.max*reachFactor - tornToken
	s.total += len(delta)
	s.raw += delta[:min(len(delta), max(0, s.layer.max*reachFactor+1-len(s.raw)))]
	if s.total > limit {
		return "" // near the end of reading; Close decides where exactly it is
	}
	k := wholeRunes(s.raw)
	s.text += s.layer.strip(s.text, s.raw[:k], &s.tally)
	s.raw = s.raw[k:]
	if len(s.text) < s.wait {
		return ""
	}
	h := s.layer.detector.Horizon(s.text)
	out := s.advance(h) + s.release()
	s.wait = len(s.text)
	if pending := len(s.text) - s.done; pending > 4096 {
		s.wait += pending / 8
	}
	return s.emit(out)
}

// Close returns the rest of the text and the report on the whole. The stream must not be
// used afterwards.
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
	return out, s.tally.report(s.layer.detector.Rules)
}

// advance cleans and returns the text from done up to h, or up to the start of a match
// that extends beyond h. It drops emitted text that is too old to be context.
func (s *Stream) advance(h int) string {
	if h <= s.done {
		return ""
	}
	d := s.layer.detector
	found := d.Inspect(s.text, nil)
	edits := d.Merge(found, edited)
	for _, e := range edits {
		if e.From < h && e.To > h {
			h = e.From
		}
	}
	var b strings.Builder
	last := s.done
	for _, e := range edits {
		if e.From < s.done || e.To > h {
			continue
		}
		b.WriteString(s.text[last:e.From])
		s.layer.replace(&b, s.text, e, &s.tally)
		last = e.To
	}
	for _, sp := range found {
		if a := d.Rules[sp.Rule].Action; sp.From >= s.done && sp.From < h && (a == Warn || a == Review) {
			s.tally.add(sp.Rule, a)
		}
	}
	if h <= last {
		h = last
	}
	b.WriteString(s.text[last:h])
	drop := max(0, lex.RuneStart(s.text, h-streamContext))
	s.text, s.done = s.text[drop:], h-drop
	return b.String()
}

// emit returns as much cleaned text as the length guard surely allows. The rest is held
// until Close knows whether the whole text is too long.
func (s *Stream) emit(out string) string {
	s.held += out
	free := s.layer.max - noticeRoom - 64 - s.shown
	if free <= 0 {
		return ""
	}
	k := lex.RuneStart(s.held, min(free, len(s.held)))
	k = markerStart(s.held, k)
	out, s.held = s.held[:k], s.held[k:]
	s.shown += k
	return out
}

// wholeRunes returns how many bytes of s can be stripped now. It leaves out an incomplete
// rune, line end or terminal sequence at the end, which the next piece may complete.
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
	if i := strings.LastIndexByte(s[max(0, n-40):n], 0x1b); i >= 0 && invisible.EscapeLen(s[max(0, n-40)+i:n]) == 1 {
		return max(0, n-40) + i
	}
	if n > 0 && s[n-1] == '\r' {
		n--
	}
	return n - invisible.UnsettledEnd(s[:n])
}
