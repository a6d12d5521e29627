package detect

import (
	"slices"
	"strings"

	"candor/safety/internal/decode"
	"candor/safety/internal/lex"
	"candor/safety/internal/prefilter"
	"candor/safety/internal/rule"
)

// runEnd returns the end of the run of token bytes that goes on at i. Keywords in the
// same run share the answer.
func (w *window) runEnd(s string, i int) int {
	if i < w.run.From || i > w.run.To {
		w.run = lex.Span{From: i, To: decode.TokenChars.Run(s, i, len(s))}
	}
	return w.run.To
}

// addPieced appends the token that a keyword begins and that goes on behind a joint, if
// there is one.
func (d *Detector) addPieced(s string, k *prefilter.Keyword, at int, w *window, buf []lex.Span) []lex.Span {
	if d.Rules[k.Rule].Specificity != rule.ByShape {
		return buf // nearly always
	}
	return d.addJoined(s, k, at, w, buf)
}

// addJoined is addPieced for a keyword of a rule that knows tokens by their shape.
func (d *Detector) addJoined(s string, k *prefilter.Keyword, at int, w *window, buf []lex.Span) []lex.Span {
	if !mayBePieced(s, k, at, w) {
		return buf
	}
	end := at + len(k.Literal)
	to := w.runEnd(s, end)
	if to < len(s) && to > end && s[to-1] == '=' && decode.NextLine(s, to) >= 0 {
		to-- // the = of quoted-printable at the end of a line
	}
	if to == len(s) || !decode.Joints[s[to]] || to-end > decode.MaxToken || !continuesBehind(s, at, end, to) ||
		d.isValue(lex.Span{From: at, To: to}, buf) {
		return buf
	}
	if from, to := d.assemble(s, k, at, w); to > 0 {
		w.token = lex.Span{From: from, To: to}
		return append(buf, lex.Span{From: from, To: to, Rule: k.Rule})
	}
	return buf
}

// isValue reports whether one of the latest findings covers a piece because its shape and its
// neighbourhood agree: the piece is a whole value then.
func (d *Detector) isValue(piece lex.Span, found []lex.Span) bool {
	return slices.ContainsFunc(found[max(0, len(found)-4):], func(sp lex.Span) bool {
		return sp.From <= piece.From && sp.To == piece.To && d.Rules[sp.Rule].Specificity == rule.ByContext
	})
}

// mayBePieced reports whether the keyword at index at can begin a token in pieces: it is outside
// the last token, at least eight bytes follow it, and the byte before it is allowed.
func mayBePieced(s string, k *prefilter.Keyword, at int, w *window) bool {
	if at < w.token.To && at >= w.token.From {
		return false
	}
	return len(s)-at-len(k.Literal) >= 8 && (k.Prev == nil || at == 0 || k.Prev[s[at-1]])
}

// continuesBehind reports whether a token whose keyword is s[at:end] and that breaks off
// at to may go on behind a joint. A second keyword begins a token of its own.
func continuesBehind(s string, at, end, to int) bool {
	kind, next := decode.SkipJoint(s, to)
	if kind == decode.JointNone || next >= len(s) || !decode.TokenChars[s[next]] {
		return false
	}
	if kind != decode.JointMade && (to-end < 4 || !decode.IsFragment(s[end:to])) {
		return false
	}
	return !strings.HasPrefix(s[end:], s[at:end])
}

// assemble returns the token in pieces that a keyword begins, if the pieces make one. It
// gives up on a keyword that failed several times just before.
func (d *Detector) assemble(s string, k *prefilter.Keyword, at int, w *window) (from, to int) {
	f := &w.failures[k.Slot%len(w.failures)]
	if f.keyword != k || at-f.at >= failureSpan {
		*f = failure{keyword: k}
	}
	if f.count >= maxFailures {
		f.at = at
		return 0, 0
	}
	if from, to = d.join(s, k, at); to == 0 {
		f.at, f.count = at, f.count+1
	}
	return from, to
}

// failure counts how often a keyword began no token in pieces, and where it did last.
type failure struct {
	keyword   *prefilter.Keyword
	at, count int
}

// A keyword that failed maxFailures times, each within failureSpan bytes of the one
// before, is not tried again there.
const (
	failureSpan = 512
	maxFailures = 3
)

// join collects the pieces behind a keyword and returns the token that they make.
func (d *Detector) join(s string, k *prefilter.Keyword, at int) (from, to int) {
	var t decode.Assembly
	n := len(k.Literal)
	if !t.Gather(s, at, at+n) || k.Far != nil && (n+k.Skip >= t.Len || !k.Far[t.Text[n+k.Skip]]) {
		return 0, 0
	}
	if to = d.wholeToken(s, k, &t); to <= t.Pieces[1].At {
		return 0, 0
	}
	return at, t.Source(to)
}

// wholeToken returns the end, in the joined text, of the token that the pieces make: the fewest
// pieces that are a whole token of the keyword's rule, and those behind them that are its rest
// beyond doubt. It returns 0 if the pieces make no token.
func (d *Detector) wholeToken(s string, k *prefilter.Keyword, t *decode.Assembly) int {
	j := joined{string(t.Text[:t.Len]), len(k.Literal), &d.Rules[k.Rule], t}
	if !j.matches(t.Len) && !j.matches(t.End(2)) {
		return 0
	}
	n, end := 1, j.tokenEnd(1)
	for end == 0 && n < t.Count {
		n++
		end = j.tokenEnd(n)
	}
	if n > 1 && d.isToken(j.text[:t.End(1)]) && (!j.isFull(n) || end-t.Pieces[n-1].At < decode.MinPiece) &&
		!d.areRest(s, t, n) {
		return 0
	}
	for end > 0 && n < t.Count && !j.isFull(n) && d.isRest(s, t, n) {
		to := j.tokenEnd(n + 1)
		if to == 0 {
			break
		}
		n, end = n+1, to
	}
	return end
}

// joined is a token in pieces as its rule reads it.
type joined struct {
	text    string
	literal int // length of the keyword, with which text begins
	rule    *rule.Rule
	pieces  *decode.Assembly
}

// matches reports whether the rule finds a token at the start of the first n bytes.
func (j *joined) matches(n int) bool {
	from, to := j.rule.Match(j.text[:n], 0, j.literal)
	return from == 0 && to > 0
}

// tokenEnd returns the end of the token if the first n pieces are one, else 0. Where nobody made
// the joint before the last piece, the token must have all of it: where it ends within the
// piece, the piece is other text.
func (j *joined) tokenEnd(n int) int {
	text, last := j.text[:j.pieces.End(n)], j.pieces.Pieces[n-1]
	from, to := j.rule.Match(text, 0, j.literal)
	if from != 0 || to <= last.At || last.Joint != decode.JointMade && strings.Trim(text[to:], ".") != "" {
		return 0
	}
	return to
}

// isFull reports whether the token in the first n pieces has its full length.
func (j *joined) isFull(n int) bool {
	return j.rule.IsFull != nil && j.rule.IsFull(j.text[:j.pieces.End(n)], 0)
}

// isToken reports whether text is a token of some rule. What another rule finds whole needs no
// second piece.
func (d *Detector) isToken(text string) bool {
	_, end := d.tokenAt(text)
	return end == len(text)
}

// areRest reports whether each of the first n pieces but the first is a rest; see isRest.
func (d *Detector) areRest(s string, t *decode.Assembly, n int) bool {
	for k := 1; k < n; k++ {
		if !d.isRest(s, t, k) {
			return false
		}
	}
	return true
}

// extendedEnd returns where a token found at from..to really ends: behind a joint that
// somebody made, or on the next line, if it goes on there. A token that has its full length, or
// ends with padding, ends there.
func (d *Detector) extendedEnd(s string, k *prefilter.Keyword, at, from, to int, w *window) int {
	r := &d.Rules[k.Rule]
	if r.Specificity != rule.ByShape || to >= len(s) || from != at || !decode.Joints[s[to]] || s[to-1] == '=' {
		return to
	}
	kind, next := decode.SkipJoint(s, to)
	if kind == decode.JointNone || kind == decode.JointSpace || next >= len(s) || !decode.TokenChars[s[next]] ||
		r.IsFull != nil && r.IsFull(s, at) {
		return to
	}
	if _, far := d.assemble(s, k, at, w); far > next {
		return far
	}
	return to
}

// isRest reports whether piece k, which follows a whole token, is the rest of it beyond doubt.
// Behind a joint that somebody made it must look random. It may be short if another such joint
// stands before or behind it. What begins a token of its own is no rest.
func (d *Detector) isRest(s string, t *decode.Assembly, k int) bool {
	p, before := t.Pieces[k], t.Pieces[k-1]
	v := s[p.From : p.From+t.End(k+1)-p.At]
	switch p.Joint {
	case decode.JointMade:
		if before.Joint == decode.JointMade {
			return decode.IsFragment(v)
		}
		if len(v) < decode.MinPiece {
			return k+1 < t.Count && t.Pieces[k+1].Joint == decode.JointMade && d.isRest(s, t, k+1)
		}
		return d.looksTorn(v)
	case decode.JointLine:
		to, end := t.Source(p.At), p.From+len(v)
		if !fillsLine(s, to, end) {
			return false
		}
		if before.Joint == decode.JointLine && columns(s, to) == columns(s, t.Source(before.At)) {
			return true // the line before is full
		}
		return strings.IndexByte(v, '.') < 0 && d.looksTorn(v) // a version has full stops
	}
	return false
}

// maxColumns bounds the length of a line that is measured.
const maxColumns = 256

// fillsLine reports whether what ends at end can be the rest of the line that ends at to: it
// fills its own line, which is not longer.
func fillsLine(s string, to, end int) bool {
	if lex.IsQuote(s[to]) || end < len(s) && strings.IndexByte("\r\n\"'`|<", s[end]) < 0 {
		return false
	}
	return columns(s, end) <= columns(s, to)
}

// looksTorn reports whether a piece looks random and like nothing that stands alone on a line: a
// setting, an identifier, a version, a time, a digest, words, another token.
func (d *Detector) looksTorn(piece string) bool {
	v := strings.TrimRight(piece, "=")
	l := lex.CountChars(v)
	if l.Upper == 0 || l.Lower == 0 || l.Digit == 0 || len(v) < decode.MinPiece {
		return false
	}
	words, _, _ := lex.WordsIn(v)
	if words > 0 || !lex.Interleaved(v, 4) {
		return false
	}
	return !d.holdsToken(piece)
}

// holdsToken reports whether a rule finds a token in a piece by its shape.
func (d *Detector) holdsToken(piece string) bool {
	var found prefilter.Batch
	for i := 0; i < len(piece); {
		var n int
		n, i = d.filter.Scan(piece, i, &found)
		for _, c := range found[:n] {
			for _, k := range d.filter.KeywordsAt(c.Gram) {
				at, r := int(c.At)-k.Off, &d.Rules[k.Rule]
				if k.Gram != c.Gram || r.Specificity != rule.ByShape || !k.Matches(piece, at) {
					continue
				}
				if from, to := r.Match(piece, at, at+len(k.Literal)); to > from {
					return true
				}
			}
		}
	}
	return false
}

// columns returns how many bytes of the line that holds i are in front of i.
func columns(s string, i int) int {
	from := max(0, i-maxColumns)
	return i - from - 1 - strings.LastIndexByte(s[from:i], '\n')
}
