package safety

import (
	"slices"
	"strings"
	"unicode/utf8"

	"candor/safety/internal/invisible"
	"candor/safety/internal/lex"
	"candor/safety/internal/recall"
)

// streamContext is how many emitted bytes a stream keeps as context for the rules. No
// rule looks further back.
const streamContext = 1024

const (
	// searchStep is how many new bytes make a search worth its cost.
	searchStep = 64
	// minSentence is how many new bytes make a search at the end of a sentence worth its
	// cost, so that "1. 2. 3." is not searched at each dot.
	minSentence = 16
)

// Stream cleans a text that arrives in pieces, split anywhere. The results of its calls,
// joined, are what [Layer.Mask] returns for the whole text. Each part is returned as soon
// as nothing that follows can change it, once a sentence or some 60 bytes have come in:
// Write does not search at every piece, so pieces of a few bytes cost little. A stream
// holds back about a megabyte at most: a match that is still open then is cleaned as far
// as it is known. A stream must not be used by several goroutines at once.
type Stream struct {
	layer *Layer
	step  int    // new bytes that make a search worth its cost
	total int    // raw bytes written so far
	raw   []byte // not stripped yet
	due   int    // length of raw at which the next search is due
	ended bool   // a sentence has ended in raw
	last  byte   // the last raw byte
	text  string // stripped; the first done bytes are cleaned and kept as context
	done  int
	held  string // cleaned, held back because the text may be too long
	shown int    // cleaned bytes returned so far
	tally tally
	named *recall.Set // values that the text has named, if the layer has no memory
}

// Stream returns a new stream that cleans with this layer.
func (l *Layer) Stream() *Stream { return &Stream{layer: l, step: searchStep, due: searchStep} }

// eager makes a new stream search at each Write, and returns it. What Write returns then
// depends on every place at which the text is split.
func (s *Stream) eager() *Stream {
	s.step, s.due = 0, 0
	return s
}

// Blocked reports whether the text so far holds a match that blocks. [Layer.Clean] would
// withhold such a text as a whole, also the part that Write has returned already.
func (s *Stream) Blocked() bool { return s.tally.verdict == Blocked }

// Write adds the next piece and returns what is safe to show now, which may be empty.
func (s *Stream) Write(delta string) string {
	limit := s.layer.max * reachFactor
	s.total += len(delta)
	s.raw = append(s.raw, delta[:min(len(delta), max(0, limit+1-len(s.raw)))]...)
	s.ended = s.endsSentence(delta) || s.ended
	if len(s.raw) < s.due && (!s.ended || len(s.raw) < min(s.due, minSentence)) {
		return ""
	}
	if s.total > limit-tornToken {
		return "" // near the end of reading; Close decides where exactly it is
	}
	return s.search()
}

// search strips what has come in and returns what is safe to show of it.
func (s *Stream) search() string {
	raw := string(s.raw)
	k := wholeRunes(raw)
	s.text += s.layer.strip(s.text, raw[:k], &s.tally)
	s.raw, s.ended = append(s.raw[:0], raw[k:]...), false
	out := s.advance(s.layer.detector.Horizon(s.text), true) + s.release()
	s.due = len(s.raw) + s.step
	if pending := len(s.text) - s.done; pending > 4096 {
		s.due = len(s.raw) + max(s.step, pending/8)
	}
	return s.emit(out)
}

// endsSentence reports whether a sentence ends in the next piece: with a line, with an
// ideographic full stop, or with a mark in front of a space.
func (s *Stream) endsSentence(delta string) (ends bool) {
	for i := range len(delta) {
		c := delta[i]
		ends = ends || c == '\n' || c == ' ' && (s.last == '.' || s.last == '!' || s.last == '?')
		s.last = c
	}
	return ends || strings.Contains(delta, "。")
}

// Close returns the rest of the text and the report on the whole. The stream must not be
// used afterwards.
func (s *Stream) Close() (string, Report) {
	over, raw := s.total > s.layer.max*reachFactor, string(s.raw)
	if over {
		raw = raw[:s.layer.reachOf(raw, len(raw)-1)]
	}
	s.text += s.layer.strip(s.text, raw, &s.tally)
	s.raw = nil
	out := s.emit(s.advance(len(s.text), false))
	if body := s.shown + len(s.held); body > s.layer.max || over {
		keep := cutAt(s.held, max(0, s.layer.max-noticeRoom-s.shown))
		out += s.held[:keep] + notice(s.shown+keep, s.total)
	} else {
		out += s.held
	}
	s.held = ""
	return out, s.tally.report(s.layer)
}

// advance cleans and returns the text from done up to h, or up to the start of a match
// that extends beyond h. It drops emitted text that is too old to be context. If more text
// may come, it returns less once a value is named whose beginning may be at the end.
func (s *Stream) advance(h int, more bool) string {
	if h <= s.done {
		return ""
	}
	found, edits, h := s.inspect(h)
	if s.learn(found, h) {
		if more {
			h = min(h, s.layer.detector.Horizon(s.text))
		}
		found, edits, h = s.inspect(h)
	}
	d := s.layer.detector
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
		if r := &d.Rules[sp.Rule]; sp.From >= s.done && sp.From < h && !edited(r) {
			s.tally.add(sp.Rule, r.Action())
		}
	}
	s.meet(found, h)
	if h <= last {
		h = last
	}
	b.WriteString(s.text[last:h])
	drop := max(0, lex.RuneStart(s.text, h-streamContext))
	s.text, s.done = s.text[drop:], h-drop
	s.named.Shift(drop)
	return b.String()
}

// meet reports the known secrets that are shown masked from now on.
func (s *Stream) meet(found []lex.Span, h int) {
	for i, sp := range found {
		if sp.From >= s.done && sp.To <= h {
			s.tally.meet(s.layer, found[i:i+1])
		}
	}
	s.tally.tell(s.layer)
}

// inspect returns what is found in the text and what of it is edited, and moves h back to the
// start of an edit that extends beyond it.
func (s *Stream) inspect(h int) (found, edits []lex.Span, end int) {
	d := s.layer.detector
	found = d.Inspect(s.text, nil)
	edits = d.Merge(found, edited)
	for _, e := range edits {
		if e.From < h && e.To > h {
			h = e.From
		}
	}
	return found, edits, h
}

// learn remembers the values that are named between done and h, and reports whether one of
// them was new. Without a memory, the stream gets one of its own, whose values count from
// behind their names on.
func (s *Stream) learn(found []lex.Span, h int) bool {
	final := slices.DeleteFunc(slices.Clone(found), func(sp lex.Span) bool { return sp.From < s.done || sp.To > h })
	values := s.layer.named(s.text, final)
	switch {
	case len(values) == 0:
		return false
	case s.layer.seen != nil:
		return s.layer.seen.values.Add(values)
	case s.named == nil:
		s.named = recall.ForText()
		own := *s.layer
		own.detector = own.detector.Remembering(s.named, own.again)
		s.layer = &own
	}
	return s.named.Add(values)
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

const (
	// maxHeld is how many bytes a stream holds back at most, the latest piece apart.
	maxHeld = 1 << 20
	// lastHeld is how many bytes it still holds after a release. No rule reads more of
	// one match, except for private keys and encoded runs.
	lastHeld = 128 << 10
)

// release empties the buffer once it exceeds maxHeld: for a run without spaces, endless
// encoded lines, or a private key. It returns what can be cleaned so far. If one match
// still fills the buffer, its middle is dropped; a marker will replace the match, and the
// beginning and end suffice to recognise it.
func (s *Stream) release() string {
	if len(s.text)-s.done <= maxHeld {
		return ""
	}
	out := s.advance(lex.RuneStart(s.text, len(s.text)-lastHeld), false)
	if len(s.text)-s.done > maxHeld {
		from, to := seam(s.text, s.done+lastHeld), seam(s.text, len(s.text)-lastHeld)
		if s.text[from-1] != '\n' || s.text[to-1] != '\n' {
			to -= (to - from) % 12 // keep the alignment of base64 and of all escapes
		}
		s.text = s.text[:from] + s.text[to:]
	}
	return out
}

// seam moves i back to just after a line end within 4 KB, else to the start of a rune.
func seam(s string, i int) int {
	const near = 4096
	if k := strings.LastIndexByte(s[i-near:i], '\n'); k >= 0 {
		return i - near + k + 1
	}
	return lex.RuneStart(s, i)
}

// maxSentence is how many bytes of a sentence are held back for its end. A longer one is
// returned up to the end of a clause, or else of a word.
const maxSentence = 240

// Sentences is a [Stream] that returns whole sentences, for readers who see a text while
// it is written. What its calls return, joined, is what [Layer.Mask] returns for the whole
// text. A sentence ends with its line, or with a mark in front of a space. It must not be
// used by several goroutines at once.
type Sentences struct {
	stream *Stream
	clean  strings.Builder // all that the stream has returned
	shown  int             // bytes of clean that were returned
}

// Sentences returns a new stream of sentences that cleans with this layer.
func (l *Layer) Sentences() *Sentences { return &Sentences{stream: l.Stream()} }

// Write adds the next piece and returns the sentences that have ended, which may be none.
func (s *Sentences) Write(delta string) Text {
	out := s.stream.Write(delta)
	if out == "" {
		return Text{}
	}
	s.clean.WriteString(out)
	return s.take(sentencesEnd(s.pending()))
}

// Close returns the rest of the text and the report on the whole. The stream must not be
// used afterwards.
func (s *Sentences) Close() (Text, Report) {
	out, report := s.stream.Close()
	s.clean.WriteString(out)
	return s.take(len(s.pending())), report
}

// Blocked reports whether the text so far holds a match that blocks; see [Stream.Blocked].
func (s *Sentences) Blocked() bool { return s.stream.Blocked() }

// SoFar returns the text so far, including the last sentence as far as it is safe to show,
// and the report on it. It never ends within a secret.
func (s *Sentences) SoFar() (Text, Report) {
	return Text{strings.TrimSpace(s.clean.String())}, s.stream.tally.report(s.stream.layer)
}

func (s *Sentences) pending() string { return s.clean.String()[s.shown:] }

// take returns the next n bytes of the cleaned text.
func (s *Sentences) take(n int) Text {
	t := Text{s.pending()[:n]}
	s.shown += n
	return t
}

// sentencesEnd returns the end of the last sentence in text, or of the last clause or word
// that fits if none has ended for long.
func sentencesEnd(text string) int {
	for i := len(text); i > 0; i-- {
		if endsAt(text, i) {
			return i
		}
	}
	if len(text) <= maxSentence {
		return 0
	}
	for _, clause := range []string{"; ", ": ", ", ", " "} {
		if i := strings.LastIndex(text, clause); i >= 0 {
			return i + len(clause)
		}
	}
	return markerStart(text, lex.RuneStart(text, len(text)))
}

// endsAt reports whether a sentence ends with text[:i].
func endsAt(text string, i int) bool {
	switch text[i-1] {
	case '\n':
		return true
	case ' ':
		marked := strings.TrimRight(text[:i-1], "\"')]*_`”’")
		return marked != "" && strings.IndexByte(".!?", marked[len(marked)-1]) >= 0 && !abbreviates(marked)
	}
	return strings.HasSuffix(text[:i], "。") || strings.HasSuffix(text[:i], "！") || strings.HasSuffix(text[:i], "？")
}

// abbreviates reports whether text ends with a letter or digit of its own and a dot, as in
// "e.g." or "1.", which ends no sentence.
func abbreviates(text string) bool {
	n := len(text)
	return n >= 2 && text[n-1] == '.' && lex.Alnum[text[n-2]] && (n == 2 || !lex.Alnum[text[n-3]])
}
