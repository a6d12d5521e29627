package safety

import (
	"strings"
	"unicode/utf8"

	"candor/safety/internal/invisible"
	"candor/safety/internal/lex"
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
	h := s.layer.detector.Horizon(s.text)
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
	return out, s.tally.report(s.layer.detector.Rules)
}

// advance cleans the text from done up to h, or up to the start of a match that
// goes on behind it.
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

// emit gives out cleaned text as far as the length guard allows; what lies
// behind waits for the end, when it is known whether the whole is too long.
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
	if i := strings.LastIndexByte(s[max(0, n-40):n], 0x1b); i >= 0 && invisible.EscapeLen(s[max(0, n-40)+i:n]) == 1 {
		return max(0, n-40) + i
	}
	if n > 0 && s[n-1] == '\r' {
		n--
	}
	return n - invisible.UnsettledEnd(s[:n])
}
