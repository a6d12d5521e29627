package detect

import (
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
	if !d.mayBePieced(s, k, at, w) {
		return buf
	}
	end := at + len(k.Literal)
	to := w.runEnd(s, end)
	if to < len(s) && to > end && s[to-1] == '=' && decode.NextLine(s, to) >= 0 {
		to-- // the = of quoted-printable at the end of a line
	}
	if to == len(s) || !decode.Joints[s[to]] || to-end > decode.MaxToken || !continuesBehind(s, at, end, to) {
		return buf
	}
	if from, to := d.assemble(s, k, at, w); to > 0 {
		w.token = lex.Span{From: from, To: to}
		return append(buf, lex.Span{From: from, To: to, Rule: k.Rule})
	}
	return buf
}

// mayBePieced reports whether the keyword at index at can begin a token in pieces: its rule
// knows tokens by their shape, it is outside the last token, at least eight bytes follow
// it, and the byte before it is allowed.
func (d *Detector) mayBePieced(s string, k *prefilter.Keyword, at int, w *window) bool {
	if d.Rules[k.Rule].Specificity != rule.ByShape || at < w.token.To && at >= w.token.From {
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

// join collects the pieces behind a keyword and asks its rule about them. The token must
// reach into the second piece.
func (d *Detector) join(s string, k *prefilter.Keyword, at int) (from, to int) {
	var t decode.Assembly
	n := len(k.Literal)
	if !t.Gather(s, at, at+n) || k.Far != nil && (n+k.Skip >= t.Len || !k.Far[t.Text[n+k.Skip]]) {
		return 0, 0
	}
	from, to = d.Rules[k.Rule].Match(string(t.Text[:t.Len]), 0, n)
	if from != 0 || to <= t.Pieces[1].At {
		return 0, 0
	}
	return at, t.Source(to)
}

// extendedEnd returns where a token found at from..to really ends: behind a joint that
// somebody made, or on the next line, if it goes on there.
func (d *Detector) extendedEnd(s string, k *prefilter.Keyword, at, from, to int, w *window) int {
	if d.Rules[k.Rule].Specificity != rule.ByShape || to >= len(s) || from != at || !decode.Joints[s[to]] {
		return to
	}
	next, ok := nextPiece(s, from, to)
	if !ok {
		return to
	}
	if _, far := d.assemble(s, k, at, w); far > next {
		return far
	}
	return to
}

// nextPiece returns where the piece behind the joint at to begins, if it looks like the
// rest of the token from..to.
func nextPiece(s string, from, to int) (next int, ok bool) {
	kind, next := decode.SkipJoint(s, to)
	if kind == decode.JointNone || kind == decode.JointSpace || next >= len(s) || !decode.TokenChars[s[next]] {
		return 0, false
	}
	end := decode.TokenChars.Run(s, next, decode.MaxToken)
	if end-next < decode.MinPiece && kind == decode.JointMade {
		if again, far := decode.SkipJoint(s, end); again == decode.JointMade { // a few letters between two tags
			next, end = far, decode.TokenChars.Run(s, far, decode.MaxToken)
		}
	}
	if end-next < decode.MinPiece || !decode.IsFragment(s[next:end]) {
		return 0, false
	}
	return next, kind != decode.JointLine || fillsLine(s, from, to, next, end)
}

// fillsLine reports whether the piece next..end on the next line looks like the rest of a
// token that did not fit on its own line. A digest on the next line does not.
func fillsLine(s string, from, to, next, end int) bool {
	v := s[next:end]
	if l := lex.CountChars(v); l.Upper > 0 && l.Lower > 0 && l.Digit > 0 && lex.Random(v) {
		return true
	}
	if lex.Classes['x'].Run(v, 0, len(v)) == len(v) && len(v) >= 32 {
		return false
	}
	return (end == len(s) || s[end] == '\n' || s[end] == '\r') && len(v) <= to-from && to-from >= 20
}
