package detect

import (
	"cmp"
	"slices"

	"candor/safety/internal/decode"
	"candor/safety/internal/invisible"
	"candor/safety/internal/lex"
	"candor/safety/internal/recall"
	"candor/safety/internal/rule"
)

// MaxDecode is how many encodings deep a secret is looked for. Real texts nest two: JSON in an address,
// base64 in JSON.
const MaxDecode = 3

// probe looks for secrets that are hidden in encodings, one view of the text after the
// other. Its budget bounds the bytes it reads beyond the text itself, so nested encodings
// stay linear.
type probe struct {
	detector *Detector
	budget   int
	recalls  bool    // remembered values are looked for, too
	origin   []frame // where the text that is read comes from, the outermost first
}

// Inspect appends to buf the spans that the rules match in s, and in s as readers and decoders see
// it. Plain ASCII without escapes or long runs is read once.
func (d *Detector) Inspect(s string, buf []lex.Span) []lex.Span {
	buf = d.spans(s, buf)
	p := probe{detector: d, budget: 8*len(s) + 4096, recalls: d.remembers()}
	if p.recalls {
		buf = p.recall(s, buf)
	}
	if hidden := p.hidden(s, 0, buf); len(hidden) > 0 {
		return d.dedupe(append(buf, hidden...))
	}
	return buf
}

// hidden returns the findings visible only after decoding s; known are those found in s without decoding.
func (p *probe) hidden(s string, depth int, known []lex.Span) []lex.Span {
	var found []lex.Span
	if v := decode.PlainLetters(s); v != nil {
		found = p.view(v, depth, found)
	}
	if depth >= MaxDecode {
		return found
	}
	if v := decode.Unescaped(s); v != nil {
		found = p.view(v, depth+1, found)
	}
	found = p.split(s, depth+1, known, found)
	searched := 0 // up to where longWord has looked
	for from, to, apart := decode.NextRun(s, 0); to > 0; from, to, apart = decode.NextRun(s, to) {
		if apart {
			found = p.apart(s, from, to, depth+1, found)
			continue
		}
		for len(known) > 0 && known[0].To < to {
			known = known[1:]
		}
		if len(known) > 0 && known[0].From <= from && p.masks(known[0]) {
			continue // the run is masked anyway
		}
		searched, found = p.longWord(s, from, to, searched, found)
		p.enter(frame{at: from})
		if index, ok := p.encoded(s[from:min(to, from+decode.MaxEncoded)], depth+1); ok {
			found = append(found, lex.Span{From: from, To: decode.Padded(s, from, to), Rule: index})
		}
		p.leave()
	}
	for d, ok := decode.NextDump(s, 0); ok; d, ok = decode.NextDump(s, d.To) {
		p.enter(frame{at: d.From})
		if index, ok := p.dumped(s, d, depth+1); ok {
			found = append(found, lex.Span{From: d.From, To: d.To, Rule: index})
		}
		p.leave()
	}
	for sr, ok := decode.NextSeries(s, 0); ok; sr, ok = decode.NextSeries(s, sr.To) {
		p.enter(frame{at: sr.From})
		if index, ok := p.spelled(s, &sr, depth+1); ok {
			found = append(found, lex.Span{From: sr.From, To: sr.To, Rule: index})
		}
		p.leave()
	}
	return found
}

// masks reports whether a finding is replaced by a marker.
func (p *probe) masks(sp lex.Span) bool {
	a := p.detector.Rules[sp.Rule].Action()
	return a == rule.Redact || a == rule.Block
}

// text returns everything found in s, decoded or not.
func (p *probe) text(s string, depth int) []lex.Span {
	found := p.detector.spans(s, nil)
	if p.recalls {
		found = p.recall(s, found)
	}
	return append(found, p.hidden(s, depth, found)...)
}

// view appends what is found in a view, mapped back to the source.
func (p *probe) view(v *decode.View, depth int, buf []lex.Span) []lex.Span {
	if p.budget -= v.Text.Len(); p.budget < 0 {
		return buf
	}
	p.enter(frame{view: v})
	for _, sp := range p.text(v.Text.String(), depth) {
		buf = append(buf, v.Back(sp))
	}
	p.leave()
	return buf
}

// split appends the secrets in words that the marks of Markdown split, as far as known does not
// mask them already.
func (p *probe) split(s string, depth int, known, buf []lex.Span) []lex.Span {
	rest := known
	for v, next := decode.NextMarked(s, 0); v != nil; v, next = decode.NextMarked(s, next) {
		for len(rest) > 0 && rest[0].To <= v.Source(0) {
			rest = rest[1:]
		}
		buf = p.word(v, 0, depth, rest, buf)
	}
	return buf
}

// apart appends the secrets in the characters apart of s[from:to].
func (p *probe) apart(s string, from, to, depth int, buf []lex.Span) []lex.Span {
	v, n := decode.Together(s, from, to), len(buf)
	for skip := 0; skip < maxLeadingLetters && len(buf) == n; skip++ {
		buf = p.word(v, skip, depth, nil, buf)
	}
	return buf
}

// longWord appends the tokens that the keywords of long words find in the word around the run from..to, unless
// the words before were searched past it. It returns up to where the search need not be repeated. A longer run
// than a token is an encoding.
func (p *probe) longWord(s string, from, to, searched int, buf []lex.Span) (int, []lex.Span) {
	if to-from > decode.MaxToken/2 || to <= searched {
		return searched, buf
	}
	from, end := decode.TokenChars.Back(s, from, decode.MaxToken), decode.TokenChars.Run(s, to, 4*decode.MaxToken)
	if searched = end; end-to >= 4*decode.MaxToken {
		searched = end - decode.MaxToken // a token may go on behind the end
	}
	from, end = max(0, from-1), min(len(s), end+1) // with the bytes around it
	n := len(buf)
	buf = p.detector.words.spans(s[from:end], buf)
	for k := range buf[n:] {
		buf[n+k].From += from
		buf[n+k].To += from
	}
	return searched, buf
}

// maxLeadingLetters is at how many of the first characters apart a secret may begin: words of
// one letter may precede it.
const maxLeadingLetters = 3

// word appends the secrets in a view of one word, from offset skip on, unless the first of known
// covers them. Findings that mask nothing are left out, since their effect on the text would be
// out of place there.
func (p *probe) word(v *decode.View, skip, depth int, known, buf []lex.Span) []lex.Span {
	text := v.Text.String()[skip:]
	if p.budget -= len(text); p.budget < 0 {
		return buf
	}
	p.enter(frame{view: v})
	defer p.leave()
	for _, sp := range p.text(text, depth) {
		if !p.masks(sp) {
			continue
		}
		sp = v.Within(lex.Span{From: sp.From + skip, To: sp.To + skip, Rule: sp.Rule})
		if len(known) == 0 || sp.From < known[0].From || sp.To > known[0].To || !p.masks(known[0]) {
			buf = append(buf, sp)
		}
	}
	return buf
}

// isWarning reports whether a rule only reports what it finds and leaves the text as it is.
func (d *Detector) isWarning(index int) bool {
	a := d.Rules[index].Action()
	return a == rule.Warn || a == rule.Review
}

// dedupe drops the warnings that were found both in the text and in a view of it. Findings
// that change the text need no such step, since Merge joins them.
func (d *Detector) dedupe(found []lex.Span) []lex.Span {
	n := 0
	for i, sp := range found { // move the warnings to the front
		if d.isWarning(sp.Rule) {
			found[i], found[n] = found[n], sp
			n++
		}
	}
	if n < 2 {
		return found
	}
	slices.SortFunc(found[:n], func(a, b lex.Span) int { return cmp.Or(a.Rule-b.Rule, a.From-b.From, b.To-a.To) })
	k := 1
	for _, sp := range found[1:n] {
		if last := found[k-1]; last.Rule != sp.Rule || sp.From >= last.To {
			found[k] = sp
			k++
		}
	}
	return append(found[:k], found[n:]...)
}

// encoded returns the rule that matches what a run decodes to, if any. It reads the run as hex,
// as base32, as base64 from each of its first four characters on, and as base64 of compressed
// text.
func (p *probe) encoded(run string, depth int) (index int, ok bool) {
	var scratch [512]byte
	if out := decode.FromHex(run, scratch[:0]); out != nil {
		return p.decoded(out, depth)
	}
	hex := lex.Classes['x'].Run(run, 0, len(run))
	if len(run) > 2 && run[1] == 'x' || hex >= 2*decode.MinEncoded {
		if out := decode.FromHex(trimHex(run), scratch[:0]); out != nil {
			return p.decoded(out, depth)
		}
	}
	if hex == len(run) {
		return 0, false // a digest: no text is hex in base64
	}
	if out := decode.FromBase32(run, scratch[:0]); out != nil {
		if index, ok = p.decoded(out, depth); ok {
			return index, ok
		}
	}
	for skip := range 4 {
		out := decode.FromBase64(run[skip:], scratch[:0])
		if out == nil {
			out = decode.FromWide(run[skip:], scratch[:0])
		}
		if out != nil {
			if index, ok = p.decoded(out, depth); ok {
				return index, ok
			}
		}
	}
	return p.inflated(run, depth)
}

// inflateCost is what an attempt to decompress a run takes from the budget, apart from its
// output.
const inflateCost = 1024

// inflated returns the rule that matches what a run of base64 decompresses to, if any. The
// budget bounds the attempts and their output, whatever the compressed text would grow to.
func (p *probe) inflated(run string, depth int) (index int, ok bool) {
	for k := decode.NextCompressed(run, 0); k >= 0 && p.budget > inflateCost; k = decode.NextCompressed(run, k+1) {
		p.budget -= inflateCost
		if out := decode.Inflated(run[k:], p.budget); len(out) > 0 {
			if index, ok = p.decoded(out, depth); ok {
				return index, ok
			}
		}
	}
	return 0, false
}

// trimHex returns a run without a leading 0x and an odd last digit.
func trimHex(run string) string {
	if len(run) > 2 && lex.ToLower(run[1]) == 'x' {
		run = run[2:]
	}
	return run[:lex.Classes['x'].Run(run, 0, len(run))&^1]
}

// decoded returns the most specific rule that matches decoded bytes, if any.
func (p *probe) decoded(out []byte, depth int) (index int, ok bool) {
	if p.budget -= len(out); p.budget < 0 {
		return 0, false
	}
	var best lex.Span
	for _, sp := range p.text(invisible.Strip(string(out)), depth) {
		counts := p.detector.Rules[sp.Rule].Specificity != rule.FlagOnly || p.detector.isWarning(sp.Rule)
		if counts && (!ok || p.detector.outranks(sp, best)) {
			best, ok = sp, true
		}
	}
	return best.Rule, ok
}

// spelled returns the rule that matches what a series of numbers spells, if any, read in each
// of the ways it can be.
func (p *probe) spelled(s string, sr *decode.Series, depth int) (index int, ok bool) {
	var scratch [512]byte
	ways := [...]func(string, []byte) []byte{decode.ReadHex, decode.ReadDecimal, decode.ReadOctal}
	for k, read := range ways {
		if k > 0 && !sr.Decimal || k == 0 && sr.Lens[3] > 0 {
			continue
		}
		if out := sr.Bytes(s, scratch[:0], read); len(out) >= decode.MinSpelled {
			if index, ok = p.decoded(out, depth); ok {
				return index, ok
			}
		}
	}
	return 0, false
}

// dumped returns the rule that matches what a dump shows, if any, read in each of the ways it can be.
func (p *probe) dumped(s string, d decode.Dump, depth int) (index int, ok bool) {
	var scratch [512]byte
	for _, way := range decode.Readings {
		if out := d.Bytes(s, scratch[:0], way); len(out) >= decode.MinSpelled {
			if index, ok = p.decoded(out, depth); ok {
				return index, ok
			}
		}
	}
	return 0, false
}

// Remembering returns a detector that also finds the values of a set, as matches of the rule
// with this index. It shares the rules with d. The set may grow while the detector is used.
func (d *Detector) Remembering(values *recall.Set, index int) *Detector {
	with := *d
	with.values, with.valueRule = values, index
	return &with
}

// remembers reports whether there are values to find besides what the rules find.
func (d *Detector) remembers() bool { return !d.values.Empty() }

// frame maps the offsets of a text that was decoded to the text it was found in: through a
// view, or all to the place of the encoded run.
type frame struct {
	view *decode.View
	at   int
}

// enter and leave keep the list of frames while a decoded text is read.
func (p *probe) enter(f frame) {
	if p.recalls {
		p.origin = append(p.origin, f)
	}
}

func (p *probe) leave() {
	if p.recalls {
		p.origin = p.origin[:len(p.origin)-1]
	}
}

// source returns the offset in the whole text of an offset in the text that is read.
func (p *probe) source(i int) int {
	for k := len(p.origin) - 1; k >= 0; k-- {
		if f := p.origin[k]; f.view != nil {
			i = f.view.Source(i)
		} else {
			i = f.at
		}
	}
	return i
}

// MinPiece is how many bytes of a remembered value its first piece has at least.
const MinPiece = 2

// recall appends the remembered values that s holds, in one piece or in pieces.
func (p *probe) recall(s string, buf []lex.Span) []lex.Span {
	values, index := p.detector.values, p.detector.valueRule
	for i := 0; ; {
		from, to, since := values.Next(s, recall.Plain, i)
		if to == 0 {
			break
		}
		if i = from + 1; p.source(from) >= since && !lex.InMarker(s, from) {
			buf, i = append(buf, lex.Span{From: from, To: to, Rule: index}), to
		}
	}
	v := decode.Joined(s)
	if v == nil {
		return buf
	}
	together := v.Text.String()
	for i := 0; ; {
		from, to, since := values.Next(together, recall.Joined, i)
		if to == 0 {
			return buf
		}
		start, end := v.Source(from), v.Source(to-1)+1
		whole := v.Source(from+MinPiece-1) == start+MinPiece-1 // its beginning is in one piece
		if i = from + 1; whole && end-start > to-from && p.source(start) >= since && !lex.InMarker(s, start) {
			buf, i = append(buf, lex.Span{From: start, To: end, Rule: index}), to
		}
	}
}

// recallStart moves h back to where a remembered value may begin that s does not hold the end
// of yet.
func (d *Detector) recallStart(s string, h int) int {
	h = min(h, d.values.Open(s, recall.Plain))
	if v := decode.Joined(s); v != nil {
		h = min(h, v.Source(d.values.Open(v.Text.String(), recall.Joined)))
	}
	return h
}
