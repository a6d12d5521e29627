package detect

import (
	"slices"
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/prefilter"
	"candor/safety/internal/recall"
	"candor/safety/internal/rule"
)

// Detector finds every rule's spans in one pass. It is read-only once made.
//
// Its rules compete for a text only where their findings overlap, which Merge settles, so the
// order of the rules does not matter.
type Detector struct {
	Rules   []rule.Rule
	filter  *prefilter.Filter
	words   *Detector         // finds the keywords that count in long words only
	spaced  map[byte][]string // keywords in which a stream may break off, in lower case, by their first byte
	longest int               // the length of the longest of them
	deepest int               // the largest offset of a trigram in its keyword

	values    *recall.Set // values to find besides; may be nil
	valueRule int         // the rule of what is found of them
}

// New makes a detector of the rules. A span names its rule by the index in rules.
func New(rules []rule.Rule) *Detector {
	d := &Detector{Rules: rules, spaced: map[byte][]string{}}
	var keywords, inWords []prefilter.Keyword
	for i, r := range rules {
		seen := map[string]bool{}
		for _, literal := range r.Keywords {
			if r.Fold {
				literal = strings.ToLower(literal)
			}
			if seen[literal] {
				continue
			}
			seen[literal] = true
			k := prefilter.Keyword{Literal: literal, Fold: r.Fold, Rule: i, Context: r.Context}
			if r.LongWords {
				inWords = append(inWords, k)
				continue
			}
			keywords = append(keywords, k)
			if strings.ContainsAny(literal, " \t") || lex.ASCIIEnd(literal, 0) < len(literal) {
				low := strings.ToLower(literal)
				d.spaced[low[0]] = append(d.spaced[low[0]], low)
				d.longest = max(d.longest, len(low))
			}
		}
	}
	words := *d
	words.filter = prefilter.New(inWords)
	d.words, d.filter = &words, prefilter.New(keywords)
	for _, k := range d.filter.Keywords {
		d.deepest = max(d.deepest, k.Off)
	}
	return d
}

// spans appends to buf what the rules find in s itself, in the order of the keywords.
// Inside a token it looks only for a longer token from the same place on, and inside a named
// value for no other named value, so the cost stays linear whatever the text is.
func (d *Detector) spans(s string, buf []lex.Span) []lex.Span {
	var found prefilter.Batch
	var w window
	for i := 0; i < len(s); {
		var n int
		n, i = d.filter.Scan(s, i, &found)
		for _, c := range found[:n] {
			if int(c.At) <= w.token.From+d.deepest || int(c.At) > w.token.To-3 {
				buf = d.find(s, c, &w, buf)
			}
		}
		if i > w.token.From+d.deepest {
			i = max(i, w.token.To-2)
		}
	}
	return buf
}

// find appends to buf what the keywords find that may start at a candidate. Several keywords may
// share its trigram; each is compared, then its context, then its rule is asked. A finding
// inside a marker of ours is dropped, which keeps cleaning idempotent.
func (d *Detector) find(s string, c prefilter.Candidate, w *window, buf []lex.Span) []lex.Span {
	inside := w.token
	keywords := d.filter.KeywordsAt(c.Gram)
	for i := range keywords {
		k := &keywords[i]
		at := int(c.At) - k.Off
		if at >= 0 && at+8 <= len(s) {
			if k.Differs(lex.Load8(s, at)) || len(k.Literal) > 8 && !k.MatchesFrom(s, at) {
				continue // nearly always
			}
		} else if !k.Matches(s, at) {
			continue
		}
		if at > inside.From && at < inside.To {
			continue
		}
		if !k.Fits(s, at, at+len(k.Literal)) {
			buf = d.addPieced(s, k, at, w, buf)
			continue
		}
		r := &d.Rules[k.Rule]
		if w.hasPassed(r, at) {
			continue
		}
		from, to := w.judge(s, k, r, at)
		if to <= from {
			buf = d.addPieced(s, k, at, w, buf)
			continue
		}
		if !touchesMarker(s, from, at) {
			buf = d.add(s, lex.Span{From: from, To: d.extendedEnd(s, k, at, from, to, w), Rule: k.Rule}, w, buf)
		}
	}
	return buf
}

// touchesMarker reports whether a finding that starts at from, or its keyword at index at, is inside a
// marker of ours.
func touchesMarker(s string, from, at int) bool {
	return lex.InMarker(s, from) || at != from && lex.InMarker(s, at)
}

// add appends a finding, and the tokens directly behind a token, and remembers that neither
// has to be searched again.
func (d *Detector) add(s string, sp lex.Span, w *window, buf []lex.Span) []lex.Span {
	if len(buf) == cap(buf) {
		buf = slices.Grow(buf, 3*len(buf)+32)
	}
	buf = append(buf, sp)
	switch by := d.Rules[sp.Rule].Specificity; {
	case by >= rule.ByShape && sp.To > w.token.To:
		w.token = lex.Span{From: sp.From, To: sp.To}
		buf = d.addGlued(s, w, buf)
	case by == rule.ByName:
		w.named = max(w.named, sp.To)
	}
	return buf
}

// addGlued appends the tokens that follow the last one without a gap. They are found
// now because, once the first is masked, they would look like ordinary words.
func (d *Detector) addGlued(s string, w *window, buf []lex.Span) []lex.Span {
	for from := w.token.To; from < len(s) && glueChars[s[from]]; {
		index, to := 0, 0
		if lex.Alnum[s[from]] {
			index, to = d.tokenAt(s[from:])
		}
		if to == 0 && from+1 < len(s) && lex.Alnum[s[from+1]] {
			index, from, to = d.tokenAround(s, w.token, from)
		}
		if to == 0 {
			break
		}
		buf = append(buf, lex.Span{From: from, To: from + to, Rule: index})
		from += to
		w.token.To = max(w.token.To, from)
	}
	return buf
}

// glueChars are the bytes that may appear behind a token that goes on as another one: its
// start, or the sign where the first token has taken the letters of the second one's prefix.
var glueChars = lex.NewClass("A-Za-z0-9_.-")

// maxGlue is how many bytes of a token may be taken by the one before it. The header of a
// JSON Web Token is the longest such part.
const maxGlue = 48

// tokenAround returns the rule, the start and the length of a token that starts inside the
// token before and goes on at i; the length is 0 if there is none.
func (d *Detector) tokenAround(s string, before lex.Span, i int) (index, from, length int) {
	for from = i - 1; from > max(before.From+3, i-maxGlue) && lex.Alnum[s[from]]; from-- {
		if index, length = d.tokenAt(s[from:]); length > i-from {
			return index, from, length
		}
	}
	return 0, i, 0
}

// tokenAt returns the rule and the end of the longest token that s begins with; the end is 0
// if there is none.
func (d *Detector) tokenAt(s string) (index, end int) {
	for off := 0; off <= d.deepest && off+3 <= len(s); off++ {
		gram := prefilter.Trigram(s, off)
		for _, k := range d.filter.KeywordsAt(gram) {
			r := &d.Rules[k.Rule]
			if k.Gram != gram || k.Off != off || r.Specificity < rule.ByShape || !k.Matches(s, 0) {
				continue
			}
			if from, to := r.Match(s, 0, len(k.Literal)); from == 0 && to > end {
				index, end = k.Rule, to
			}
		}
	}
	return index, end
}

// Merge sorts the spans whose rule keep accepts and joins those that overlap or touch, so
// that a text gets no two markers side by side. Spans of a rule that sanitizes are joined
// only where they overlap. The joined span has the most specific rule, and of two equally
// specific ones the rule of the longer span. Merge returns nil if keep accepts none.
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
		if n == 0 || sp.From > out[n-1].To || sp.From == out[n-1].To && (d.sanitizes(sp) || d.sanitizes(out[n-1])) {
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

func (d *Detector) sanitizes(sp lex.Span) bool { return d.Rules[sp.Rule].Action() == rule.Sanitize }

// outranks reports whether a's rule is more specific than b's, or as specific with more text.
func (d *Detector) outranks(a, b lex.Span) bool {
	x, y := d.Rules[a.Rule].Specificity, d.Rules[b.Rule].Specificity
	return x > y || x == y && a.To-a.From > b.To-b.From
}

// window caches what this pass has decided already. Without it a text such as "password=" a
// thousand times over would cost the square of its length: each keyword's matcher would read
// on over all the others.
type window struct {
	token    lex.Span        // the last token
	named    int             // the end of the last named value
	run      lex.Span        // the run of token bytes that was followed last
	failures [8]failure      // keywords that began no token in pieces, by slot
	name     int             // the end of the last name that had no value
	misses   [8]miss         // keywords that matched nothing, by slot
	digits   lex.DigitCursor // where digits are
}

// miss is where a keyword matched nothing last.
type miss struct {
	keyword *prefilter.Keyword
	at      int
}

// again reports whether the text around a keyword equals the text around its last miss, so
// that text which repeats itself is judged once.
func (w *window) again(s string, k *prefilter.Keyword, at, lookahead int) bool {
	m := &w.misses[k.Slot&7]
	return lookahead > 0 && at-m.at < lex.Lookbehind+lookahead && m.at >= lex.Lookbehind && len(s)-at >= lookahead &&
		s[m.at-lex.Lookbehind:m.at+lookahead] == s[at-lex.Lookbehind:at+lookahead]
}

// judge asks a rule about its keyword at index at, unless the keyword missed last in the same
// surroundings. It remembers the name that holds the keyword if that name has no value.
func (w *window) judge(s string, k *prefilter.Keyword, r *rule.Rule, at int) (from, to int) {
	last := &w.misses[k.Slot&7]
	if last.keyword == k && w.again(s, k, at, r.Lookahead) {
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
		} // else the name begins behind the last token
		if from, to = r.Word.Match(s, low, at, right, w.digitsNear(s, r.Word, at, right)); to <= from {
			w.name = right
		}
	} else {
		from, to = r.Match(s, at, at+len(k.Literal))
	}
	if to == rule.Costly {
		*last = miss{k, at}
	}
	return from, to
}

// digitsNear reports whether a decimal digit is near the word that ends at right and has a
// keyword at index at.
func (w *window) digitsNear(s string, word *rule.Word, at, right int) bool {
	return w.digits.Has(s, max(0, at-word.Before), min(len(s), right+word.Behind))
}

// hasPassed reports whether a keyword at index at is inside a named value or a name that was judged
// already, and its rule is for such.
func (w *window) hasPassed(r *rule.Rule, at int) bool {
	return r.Specificity == rule.ByName && at < w.named || r.Word != nil && at < w.name
}
