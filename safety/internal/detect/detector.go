package detect

import (
	"slices"
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/prefilter"
	"candor/safety/internal/rule"
)

// Detector finds every rule's spans in one pass. It is read-only once made.
type Detector struct {
	Rules  []rule.Rule
	filter *prefilter.Filter
	spaced []string // anchors in the middle of which a stream may break off, in lower case

	deepest int // how far in an anchor its trigram may stand
}

// New makes a detector of the rules. A span names its rule by the index in rules.
func New(rules []rule.Rule) *Detector {
	var anchors []prefilter.Keyword
	var spaced []string
	for i, r := range rules {
		seen := map[string]bool{}
		for _, lit := range r.Keywords {
			if r.Fold {
				lit = strings.ToLower(lit)
			}
			if !seen[lit] {
				seen[lit] = true
				anchors = append(anchors, prefilter.Keyword{Literal: lit, Fold: r.Fold, Rule: i, Context: r.Context})
				if strings.ContainsAny(lit, " \t") || lex.ASCIIEnd(lit, 0) < len(lit) {
					spaced = append(spaced, strings.ToLower(lit))
				}
			}
		}
	}
	d := &Detector{Rules: rules, filter: prefilter.New(anchors), spaced: spaced}
	for _, a := range d.filter.Keywords {
		d.deepest = max(d.deepest, a.Off)
	}
	return d
}

// spans appends what is found in s to buf, in the order of the anchors. Nothing
// is looked for inside a token but a longer one from the same place on, nor for a
// named value inside a named value, so the cost stays linear whatever the text is.
func (d *Detector) spans(s string, buf []lex.Span) []lex.Span {
	var found prefilter.Batch
	var w window
	for i := 0; i < len(s); {
		var n int
		n, i = d.filter.Scan(s, i, &found)
		for _, p := range found[:n] {
			if int(p.At) <= w.token.From+d.deepest || int(p.At) > w.token.To-3 {
				buf = d.find(s, p, &w, buf)
			}
		}
		if i > w.token.From+d.deepest {
			i = max(i, w.token.To-2)
		}
	}
	return buf
}

// window is what need not be looked into again: the last token, all up to the
// end of the last named value, and places that look like one that was dismissed.
type window struct {
	token  lex.Span
	named  int
	run    lex.Span // of a token's bytes, which was followed last
	vain   [8]vain  // where anchors began no token in pieces
	name   int      // the end of the last name that gave nothing
	missed [8]miss
}

// miss is where an anchor stood last in vain.
type miss struct {
	anchor *prefilter.Keyword
	at     int
}

// again reports whether an anchor stands in the same surroundings as where it
// stood last in vain, so that a text that repeats itself is judged once.
func (w *window) again(s string, a *prefilter.Keyword, at, sight int) bool {
	m := &w.missed[a.Slot&7]
	return sight > 0 && at-m.at < lex.Lookbehind+sight && m.at >= lex.Lookbehind && len(s)-at >= sight &&
		s[m.at-lex.Lookbehind:m.at+sight] == s[at-lex.Lookbehind:at+sight]
}

// judge asks a rule about its anchor at at, unless it stood last in vain in the same
// surroundings, and remembers the name that holds it, if that gives nothing.
func (w *window) judge(s string, a *prefilter.Keyword, r *rule.Rule, at int) (from, to int) {
	last := &w.missed[a.Slot&7]
	if last.anchor == a && w.again(s, a, at, r.Lookahead) {
		last.at = at
		if r.Word != nil {
			w.name = r.Word.End(s, at)
		}
		return 0, 0
	}
	if r.Word != nil {
		low, right := w.token.To, r.Word.End(s, at)
		if low > at {
			low = 0
		} // else a token goes, and what stands behind it is another word
		if from, to = r.Word.Match(s, low, at, right); to <= from {
			w.name = right
		}
	} else {
		from, to = r.Match(s, at, at+len(a.Literal))
	}
	if to == rule.Costly {
		*last = miss{a, at}
	}
	return from, to
}

// find appends to buf what the anchors find that may stand at a place.
func (d *Detector) find(s string, p prefilter.Candidate, w *window, buf []lex.Span) []lex.Span {
	inside := w.token
	anchors := d.filter.KeywordsAt(p.Gram)
	for k := range anchors {
		a := &anchors[k]
		at := int(p.At) - a.Off
		if a.Gram != p.Gram || at > inside.From && at < inside.To || !a.Matches(s, at) {
			continue
		}
		if !a.Fits(s, at, at+len(a.Literal)) {
			buf = d.pieced(s, a, at, w, buf)
			continue
		}
		r := &d.Rules[a.Rule]
		if r.Specificity == rule.ByName && at < w.named || r.Word != nil && at < w.name {
			continue
		}
		from, to := w.judge(s, a, r, at)
		if to <= from {
			buf = d.pieced(s, a, at, w, buf)
			continue
		}
		if lex.InMarker(s, from) || at != from && lex.InMarker(s, at) {
			continue
		}
		buf = d.keep(s, lex.Span{From: from, To: d.extended(s, a, at, from, to, w), Rule: a.Rule}, w, buf)
	}
	return buf
}

// keep appends what was found, and what stands right behind a token, and remembers that
// neither need be looked into again.
func (d *Detector) keep(s string, sp lex.Span, w *window, buf []lex.Span) []lex.Span {
	if len(buf) == cap(buf) {
		buf = slices.Grow(buf, 3*len(buf)+32)
	}
	buf = append(buf, sp)
	switch tier := d.Rules[sp.Rule].Specificity; {
	case tier >= rule.ByShape && sp.To > w.token.To:
		w.token = lex.Span{From: sp.From, To: sp.To}
		if sp.To < len(s) && lex.Alnum[s[sp.To]] {
			buf = d.glued(s, w, buf)
		}
	case tier == rule.ByName:
		w.named = max(w.named, sp.To)
	}
	return buf
}

// glued appends the tokens that stand right behind the last one, one behind the
// other: nothing of what is masked may join them to a word.
func (d *Detector) glued(s string, w *window, buf []lex.Span) []lex.Span {
	for start := w.token.To; start < len(s) && lex.Alnum[s[start]]; {
		index, to := d.tokenAt(s[start:])
		if to == 0 {
			break
		}
		buf = append(buf, lex.Span{From: start, To: start + to, Rule: index})
		start += to
		w.token.To = max(w.token.To, start)
	}
	return buf
}

// tokenAt is the longest token that a text begins with, and its rule.
func (d *Detector) tokenAt(s string) (index, end int) {
	for off := 0; off <= d.deepest && off+3 <= len(s); off++ {
		gram := prefilter.Trigram(s, off)
		for _, a := range d.filter.KeywordsAt(gram) {
			r := &d.Rules[a.Rule]
			if a.Gram != gram || a.Off != off || r.Specificity < rule.ByShape || !a.Matches(s, 0) {
				continue
			}
			if from, to := r.Match(s, 0, len(a.Literal)); from == 0 && to > end {
				index, end = a.Rule, to
			}
		}
	}
	return index, end
}

// Merge sorts the spans that the keep function chooses and joins those that
// overlap, and markers that touch; the joined span belongs to the rule that knows
// most.
func (d *Detector) Merge(spans []lex.Span, keep func(*rule.Rule) bool) []lex.Span {
	if !slices.ContainsFunc(spans, func(sp lex.Span) bool { return keep(&d.Rules[sp.Rule]) }) {
		return nil
	}
	out := make([]lex.Span, 0, len(spans))
	for _, sp := range spans {
		if keep(&d.Rules[sp.Rule]) {
			out = append(out, sp)
		}
	}
	if byStart := func(a, b lex.Span) int { return a.From - b.From }; !slices.IsSortedFunc(out, byStart) {
		slices.SortStableFunc(out, byStart)
	}
	n := 0
	for _, sp := range out {
		if n == 0 || sp.From > out[n-1].To || sp.From == out[n-1].To && (d.Rules[sp.Rule].Action == rule.Sanitize || d.Rules[out[n-1].Rule].Action == rule.Sanitize) {
			out[n] = sp
			n++
			continue
		}
		last := &out[n-1]
		if d.outranks(sp, *last) {
			last.Rule = sp.Rule
		}
		last.To = max(last.To, sp.To)
	}
	return out[:n]
}

func (d *Detector) outranks(a, b lex.Span) bool {
	x, y := d.Rules[a.Rule].Specificity, d.Rules[b.Rule].Specificity
	return x > y || x == y && a.To-a.From > b.To-b.From
}
