package safety

import (
	"cmp"
	"slices"
)

// maxDecode is how many encodings deep a secret is looked for.
const maxDecode = 3

// probe looks for secrets under the ways they are hidden. Its budget bounds the
// bytes it reads beyond the text itself, so hiding things in things stays linear.
type probe struct {
	detector *detector
	budget   int
}

// inspect appends to buf what is found in s as it stands, and as readers and
// decoders see it. Plain ASCII without escapes or long runs is read once.
func (d *detector) inspect(s string, buf []span) []span {
	buf = d.spans(s, buf)
	p := probe{detector: d, budget: 8*len(s) + 4096}
	if hidden := p.hidden(s, 0, buf); len(hidden) > 0 {
		return d.once(append(buf, hidden...))
	}
	return buf
}

// hidden gives what is found in s only by seeing through letters and encodings.
// What stands there is known already.
func (p *probe) hidden(s string, depth int, known []span) []span {
	var found []span
	if v := plainLetters(s); v != nil {
		found = p.view(v, depth, found)
	}
	if depth >= maxDecode {
		return found
	}
	if v := unescaped(s); v != nil {
		found = p.view(v, depth+1, found)
	}
	for from, to := nextRun(s, 0); to > 0; from, to = nextRun(s, to) {
		for len(known) > 0 && known[0].to < to {
			known = known[1:]
		}
		if len(known) > 0 && known[0].from <= from && p.masks(known[0]) {
			continue // what it hides goes with it
		}
		if rule, ok := p.encoded(s[from:min(to, from+maxEncoded)], depth+1); ok {
			found = append(found, span{from, padded(s, to), rule})
		}
	}
	for sr, ok := nextSeries(s, 0); ok; sr, ok = nextSeries(s, sr.to) {
		if rule, ok := p.spelled(s, &sr, depth+1); ok {
			found = append(found, span{sr.from, sr.to, rule})
		}
	}
	return found
}

// masks reports whether what was found will be replaced as a whole.
func (p *probe) masks(sp span) bool {
	a := p.detector.rules[sp.rule].action
	return a == Redact || a == Block
}

// text gives everything that is found in s.
func (p *probe) text(s string, depth int) []span {
	found := p.detector.spans(s, nil)
	return append(found, p.hidden(s, depth, found)...)
}

// padded is the end of a run with its padding.
func padded(s string, to int) int { return classes['e'].run(s, to, 2) }

// view reads a view and translates what it finds.
func (p *probe) view(v *view, depth int, buf []span) []span {
	if p.budget -= v.text.Len(); p.budget < 0 {
		return buf
	}
	for _, sp := range p.text(v.text.String(), depth) {
		buf = append(buf, v.back(sp))
	}
	return buf
}

// told reports whether a rule leaves the text as it is.
func (d *detector) told(rule int) bool {
	a := d.rules[rule].action
	return a == Warn || a == Review
}

// once drops what was found twice, as it stands and in a view, of what is only
// told: what is changed is merged anyway.
func (d *detector) once(found []span) []span {
	n := 0
	for i, sp := range found { // those that are told come first
		if d.told(sp.rule) {
			found[i], found[n] = found[n], sp
			n++
		}
	}
	if n < 2 {
		return found
	}
	slices.SortFunc(found[:n], func(a, b span) int { return cmp.Or(a.rule-b.rule, a.from-b.from, b.to-a.to) })
	k := 1
	for _, sp := range found[1:n] {
		if last := found[k-1]; last.rule != sp.rule || sp.from >= last.to {
			found[k] = sp
			k++
		}
	}
	return append(found[:k], found[n:]...)
}

// encoded reports which rule matches what a run decodes to. The run is taken as
// hex, and as base64 from each of its first four characters.
func (p *probe) encoded(run string, depth int) (rule int, ok bool) {
	var scratch [512]byte
	if out := fromHex(run, scratch[:0]); out != nil {
		return p.decoded(out, depth)
	}
	hex := classes['x'].run(run, 0, len(run))
	if len(run) > 2 && run[1] == 'x' || hex >= 2*minEncoded {
		if out := fromHex(trimHex(run), scratch[:0]); out != nil {
			return p.decoded(out, depth)
		}
	}
	if hex == len(run) {
		return 0, false // a digest: no text is hex in base64
	}
	for skip := range 4 {
		out := fromBase64(run[skip:], scratch[:0])
		if out == nil {
			out = fromWide(run[skip:], scratch[:0])
		}
		if out != nil {
			if rule, ok = p.decoded(out, depth); ok {
				return rule, ok
			}
		}
	}
	return 0, false
}

// trimHex is a run without a leading 0x and an odd last digit.
func trimHex(run string) string {
	if len(run) > 2 && lower(run[1]) == 'x' {
		run = run[2:]
	}
	return run[:classes['x'].run(run, 0, len(run))&^1]
}

func (p *probe) decoded(out []byte, depth int) (rule int, ok bool) {
	if p.budget -= len(out); p.budget < 0 {
		return 0, false
	}
	var best span
	for _, sp := range p.text(strip(string(out)), depth) {
		if (p.detector.rules[sp.rule].tier != tierFlag || p.detector.told(sp.rule)) && (!ok || p.detector.outranks(sp, best)) {
			best, ok = sp, true
		}
	}
	return best.rule, ok
}
