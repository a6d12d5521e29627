package safety

import (
	"slices"
	"strings"
)

// span is a part of a text that a rule found.
type span struct{ from, to, rule int }

// detector finds every rule's spans in one pass. It is read-only once made.
type detector struct {
	rules  []rule
	filter *filter
	spaced []string // anchors in the middle of which a stream may break off, in lower case

	deepest int // how far in an anchor its trigram may stand
}

func newDetector(rules []rule) *detector {
	var anchors []anchor
	var spaced []string
	for i, r := range rules {
		seen := map[string]bool{}
		for _, lit := range r.anchors {
			if r.fold {
				lit = strings.ToLower(lit)
			}
			if !seen[lit] {
				seen[lit] = true
				anchors = append(anchors, anchor{lit: lit, fold: r.fold, rule: i, besides: r.besides})
				if strings.ContainsAny(lit, " \t") || asciiEnd(lit, 0) < len(lit) {
					spaced = append(spaced, strings.ToLower(lit))
				}
			}
		}
	}
	d := &detector{rules: rules, filter: newFilter(anchors), spaced: spaced}
	for _, a := range d.filter.anchors {
		d.deepest = max(d.deepest, a.off)
	}
	return d
}

// spans appends what is found in s to buf, in the order of the anchors. Nothing
// is looked for inside a token but a longer one from the same place on, nor for a
// named value inside a named value, so the cost stays linear whatever the text is.
func (d *detector) spans(s string, buf []span) []span {
	var found batch
	var w window
	for i := 0; i < len(s); {
		var n int
		n, i = d.filter.scan(s, i, &found)
		for _, p := range found[:n] {
			if int(p.at) <= w.token.from+d.deepest || int(p.at) > w.token.to-3 {
				buf = d.find(s, p, &w, buf)
			}
		}
		if i > w.token.from+d.deepest {
			i = max(i, w.token.to-2)
		}
	}
	return buf
}

// window is what need not be looked into again: the last token, all up to the
// end of the last named value, and places that look like one that was dismissed.
type window struct {
	token  span
	named  int
	run    span    // of a token's bytes, which was followed last
	vain   [8]vain // where anchors began no token in pieces
	name   int     // the end of the last name that gave nothing
	missed [8]miss
}

// miss is where an anchor stood last in vain.
type miss struct {
	anchor *anchor
	at     int
}

// before is how far left of an anchor a rule with a sight looks.
const before = 96

// again reports whether an anchor stands in the same surroundings as where it
// stood last in vain, so that a text that repeats itself is judged once.
func (w *window) again(s string, a *anchor, at, sight int) bool {
	m := &w.missed[a.slot&7]
	return sight > 0 && at-m.at < before+sight && m.at >= before && len(s)-at >= sight &&
		s[m.at-before:m.at+sight] == s[at-before:at+sight]
}

// judge asks a rule about its anchor at at, unless it stood last in vain in the same
// surroundings, and remembers the name that holds it, if that gives nothing.
func (w *window) judge(s string, a *anchor, r *rule, at int) (from, to int) {
	last := &w.missed[a.slot&7]
	if last.anchor == a && w.again(s, a, at, r.sight) {
		last.at = at
		if r.word != nil {
			w.name = r.word.end(s, at)
		}
		return 0, 0
	}
	if r.word != nil {
		low, right := w.token.to, r.word.end(s, at)
		if low > at {
			low = 0
		} // else a token goes, and what stands behind it is another word
		if from, to = r.word.find(s, low, at, right); to <= from {
			w.name = right
		}
	} else {
		from, to = r.find(s, at, at+len(a.lit))
	}
	if to == costly {
		*last = miss{a, at}
	}
	return from, to
}

// find appends to buf what the anchors find that may stand at a place.
func (d *detector) find(s string, p place, w *window, buf []span) []span {
	inside := w.token
	anchors := d.filter.at(p.gram)
	for k := range anchors {
		a := &anchors[k]
		at := int(p.at) - a.off
		if a.gram != p.gram || at > inside.from && at < inside.to || !a.matches(s, at) {
			continue
		}
		if !a.fit(s, at, at+len(a.lit)) {
			buf = d.pieced(s, a, at, w, buf)
			continue
		}
		r := &d.rules[a.rule]
		if r.tier == tierNamed && at < w.named || r.word != nil && at < w.name {
			continue
		}
		from, to := w.judge(s, a, r, at)
		if to <= from {
			buf = d.pieced(s, a, at, w, buf)
			continue
		}
		if inMarker(s, from) || at != from && inMarker(s, at) {
			continue
		}
		buf = d.keep(s, span{from, d.extended(s, a, at, from, to, w), a.rule}, w, buf)
	}
	return buf
}

// keep appends what was found, and what stands right behind a token, and remembers that
// neither need be looked into again.
func (d *detector) keep(s string, sp span, w *window, buf []span) []span {
	if len(buf) == cap(buf) {
		buf = slices.Grow(buf, 3*len(buf)+32)
	}
	buf = append(buf, sp)
	switch tier := d.rules[sp.rule].tier; {
	case tier >= tierToken && sp.to > w.token.to:
		w.token = span{from: sp.from, to: sp.to}
		if sp.to < len(s) && alnum[s[sp.to]] {
			buf = d.glued(s, w, buf)
		}
	case tier == tierNamed:
		w.named = max(w.named, sp.to)
	}
	return buf
}

// glued appends the tokens that stand right behind the last one, one behind the
// other: nothing of what is masked may join them to a word.
func (d *detector) glued(s string, w *window, buf []span) []span {
	for start := w.token.to; start < len(s) && alnum[s[start]]; {
		rule, to := d.tokenAt(s[start:])
		if to == 0 {
			break
		}
		buf = append(buf, span{start, start + to, rule})
		start += to
		w.token.to = max(w.token.to, start)
	}
	return buf
}

// tokenAt is the longest token that a text begins with, and its rule.
func (d *detector) tokenAt(s string) (rule, end int) {
	for off := 0; off <= d.deepest && off+3 <= len(s); off++ {
		gram := trigram(s, off)
		for _, a := range d.filter.at(gram) {
			r := &d.rules[a.rule]
			if a.gram != gram || a.off != off || r.tier < tierToken || !a.matches(s, 0) {
				continue
			}
			if from, to := r.find(s, 0, len(a.lit)); from == 0 && to > end {
				rule, end = a.rule, to
			}
		}
	}
	return rule, end
}

// markerHead is how every marker begins.
const markerHead = "[REDACTED:"

// inMarker reports whether i stands inside a marker of ours, which must not be
// masked again.
func inMarker(s string, i int) bool {
	near := s[max(0, i-48):i]
	if strings.IndexByte(near, '[') < 0 {
		return false
	}
	for k := len(near) - 1; k >= 0 && near[k] != ']'; k-- {
		if near[k] == '[' && strings.HasPrefix(near[k:], markerHead) {
			return true
		}
	}
	return false
}

// merge sorts the spans that the keep function chooses and joins those that
// overlap, and markers that touch; the joined span belongs to the rule that knows
// most.
func (d *detector) merge(spans []span, keep func(*rule) bool) []span {
	if !slices.ContainsFunc(spans, func(sp span) bool { return keep(&d.rules[sp.rule]) }) {
		return nil
	}
	out := make([]span, 0, len(spans))
	for _, sp := range spans {
		if keep(&d.rules[sp.rule]) {
			out = append(out, sp)
		}
	}
	if byStart := func(a, b span) int { return a.from - b.from }; !slices.IsSortedFunc(out, byStart) {
		slices.SortStableFunc(out, byStart)
	}
	n := 0
	for _, sp := range out {
		if n == 0 || sp.from > out[n-1].to || sp.from == out[n-1].to && (d.rules[sp.rule].action == Sanitize || d.rules[out[n-1].rule].action == Sanitize) {
			out[n] = sp
			n++
			continue
		}
		last := &out[n-1]
		if d.outranks(sp, *last) {
			last.rule = sp.rule
		}
		last.to = max(last.to, sp.to)
	}
	return out[:n]
}

func (d *detector) outranks(a, b span) bool {
	x, y := d.rules[a.rule].tier, d.rules[b.rule].tier
	return x > y || x == y && a.to-a.from > b.to-b.from
}
