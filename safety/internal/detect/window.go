package detect

import (
	"candor/safety/internal/lex"
	"candor/safety/internal/prefilter"
	"candor/safety/internal/rule"
)

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
