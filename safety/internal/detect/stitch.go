package detect

import (
	"strings"

	"candor/safety/internal/decode"
	"candor/safety/internal/lex"
	"candor/safety/internal/prefilter"
	"candor/safety/internal/rule"
)

// runOut is the end of the run of a token's bytes that goes on at i. Anchors that
// stand in one run ask once.
func (w *window) runOut(s string, i int) int {
	if i < w.run.From || i > w.run.To {
		w.run = lex.Span{From: i, To: decode.TokenChars.Run(s, i, len(s))}
	}
	return w.run.To
}

// pieced appends the token that an anchor begins and that goes on behind a joint,
// if there is one.
func (d *Detector) pieced(s string, a *prefilter.Keyword, at int, w *window, buf []lex.Span) []lex.Span {
	end := at + len(a.Literal)
	r := &d.Rules[a.Rule]
	if r.Specificity != rule.ByShape || at < w.token.To && at >= w.token.From || len(s)-end < 8 || a.Prev != nil && at > 0 && !a.Prev[s[at-1]] {
		return buf
	}
	to := w.runOut(s, end)
	if to < len(s) && to > end && s[to-1] == '=' && decode.NextLine(s, to) >= 0 {
		to--
	}
	if to == len(s) || !decode.Joints[s[to]] || to-end > decode.MaxToken || !goesOnTorn(s, at, end, to) {
		return buf
	}
	if from, to := d.whole(s, a, at, w); to > 0 {
		w.token = lex.Span{From: from, To: to}
		return append(buf, lex.Span{From: from, To: to, Rule: a.Rule})
	}
	return buf
}

// goesOnTorn reports whether a token that breaks off at to may go on.
func goesOnTorn(s string, at, end, to int) bool {
	kind, next := decode.SkipJoint(s, to)
	if kind == decode.JointNone || next >= len(s) || !decode.TokenChars[s[next]] || kind != decode.JointMade && (to-end < 4 || !decode.IsFragment(s[end:to])) {
		return false
	}
	return !strings.HasPrefix(s[end:], s[at:end])
}

// whole is the token in pieces that an anchor begins, if there are pieces and they
// make one. Where the same anchor stood several times in vain just before, it is
// not asked.
func (d *Detector) whole(s string, a *prefilter.Keyword, at int, w *window) (from, to int) {
	v := &w.vain[a.Slot%len(w.vain)]
	if v.anchor != a || at-v.at >= vainWithin {
		*v = vain{anchor: a}
	}
	if v.n >= 3 {
		v.at = at
		return 0, 0
	}
	if from, to = d.join(s, a, at); to == 0 {
		v.at, v.n = at, v.n+1
	}
	return from, to
}

// vain is where an anchor began no token in pieces, and how often before that.
type vain struct {
	anchor *prefilter.Keyword
	at, n  int
}

// vainWithin is for how many bytes it is remembered that an anchor stood in vain.
const vainWithin = 512

func (d *Detector) join(s string, a *prefilter.Keyword, at int) (from, to int) {
	var t decode.Assembly
	n := len(a.Literal)
	if !t.Gather(s, at, at+n) || a.Far != nil && (n+a.Skip >= t.Len || !a.Far[t.Text[n+a.Skip]]) {
		return 0, 0
	}
	from, to = d.Rules[a.Rule].Match(string(t.Text[:t.Len]), 0, n)
	if from != 0 || to <= t.Pieces[1].At {
		return 0, 0
	}
	return at, t.Source(to)
}

// extended is where a token ends that was found up to to and goes on behind a
// joint that somebody made, or on the next line.
func (d *Detector) extended(s string, a *prefilter.Keyword, at, from, to int, w *window) int {
	if d.Rules[a.Rule].Specificity != rule.ByShape || to >= len(s) || from != at || !decode.Joints[s[to]] {
		return to
	}
	kind, next := decode.SkipJoint(s, to)
	if kind == decode.JointNone || kind == decode.JointSpace || next >= len(s) || !decode.TokenChars[s[next]] {
		return to
	}
	piece := decode.TokenChars.Run(s, next, decode.MaxToken)
	if again, far := decode.SkipJoint(s, piece); piece-next < decode.MinPiece && kind == decode.JointMade && again == decode.JointMade {
		next, piece = far, decode.TokenChars.Run(s, far, decode.MaxToken) // a few letters between two tags
	}
	if piece-next < decode.MinPiece || !decode.IsFragment(s[next:piece]) || kind == decode.JointLine && !fillsLine(s, from, to, next, piece) {
		return to
	}
	if _, far := d.whole(s, a, at, w); far > next {
		return far
	}
	return to
}

// fillsLine reports whether a piece on the next line looks like the rest of a token
// that did not fit on its own.
func fillsLine(s string, from, to, next, piece int) bool {
	v := s[next:piece]
	if l := lex.CountChars(v); l.Upper > 0 && l.Lower > 0 && l.Digit > 0 && lex.Random(v) {
		return true
	}
	if lex.Classes['x'].Run(v, 0, len(v)) == len(v) && len(v) >= 32 {
		return false // a digest
	}
	return (piece == len(s) || s[piece] == '\n' || s[piece] == '\r') && len(v) <= to-from && to-from >= 20
}
