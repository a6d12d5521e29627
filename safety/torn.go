package safety

import "strings"

const (
	maxTorn   = 1024 // bytes of a token that is put together
	maxPieces = 32
	minTorn   = 8 // of a piece that is not the last, where nobody made the joint
)

// pieced puts together what stands in pieces from an anchor on.
type pieced struct {
	text   [maxTorn]byte
	n      int
	pieces [maxPieces]struct{ at, from int } // where each piece starts, in text and in the source
	count  int
	blanks int
	open   bool // the end of the text leaves open what follows
}

var tornBytes = newClass("A-Za-z0-9._+/=-")

// put adds a piece.
func (t *pieced) put(s string, from, to int) bool {
	if t.count == maxPieces || to-from > maxTorn-t.n {
		return false
	}
	t.pieces[t.count].at, t.pieces[t.count].from = t.n, from
	t.count++
	t.n += copy(t.text[t.n:], s[from:to])
	return true
}

// source is where the byte at i came from. An end is the end of a piece.
func (t *pieced) source(i int) int {
	k := t.count - 1
	for k > 0 && t.pieces[k].at >= i {
		k--
	}
	return t.pieces[k].from + i - t.pieces[k].at
}

// gather collects the pieces of the token whose anchor stands at at..end. It
// reports whether there is more than one.
func (t *pieced) gather(s string, at, end int) bool {
	t.n, t.count, t.blanks, t.open = 0, 0, 0, false
	to := pieceEnd(s, end)
	if !t.put(s, at, to) {
		return false
	}
	if to == len(s) {
		t.open = true
		return false
	}
	body := s[end:to]
	for {
		kind, next := tear(s, to)
		if kind == jointNone {
			t.open = t.open || next == len(s)
			break
		}
		if t.count == 1 && kind != jointMade && (len(body) < 4 || !fragment(body)) {
			break
		}
		piece := pieceEnd(s, next)
		if piece == len(s) {
			t.open = true
		}
		if !t.fits(s[at:end], s[next:piece], kind) || !t.put(s, next, piece) {
			break
		}
		if to = piece; kind != jointMade && piece-next < minTorn {
			break
		}
	}
	return t.count > 1
}

// pieceEnd is the end of a piece that starts at i. The = of quoted-printable at the
// end of a line is not part of it.
func pieceEnd(s string, i int) int {
	to := tornBytes.run(s, i, maxTorn)
	if to < len(s) && to > i && s[to-1] == '=' && (s[to] == '\n' || s[to] == '\r') {
		to--
	}
	return to
}

// fits reports whether a piece may go on a token that begins with an anchor.
func (t *pieced) fits(anchor, piece string, kind joint) bool {
	if piece == "" || strings.HasPrefix(piece, anchor) {
		return false
	}
	if kind == jointSpace {
		if t.blanks++; t.blanks > 3 {
			return false
		}
	}
	return kind == jointMade || fragment(piece)
}

// fragment reports whether a piece looks like part of something random and not like a
// word: digits among letters, or capitals among small ones.
func fragment(v string) bool {
	l := look(v)
	return l.digit > 0 && l.lower+l.upper > 0 || l.upper >= 6 && l.lower == 0 || l.digit >= 6 || l.upper > 1 && l.lower > 1 || changes(v) >= 3
}

// runOut is the end of the run of a token's bytes that goes on at i. Anchors that
// stand in one run ask once.
func (w *window) runOut(s string, i int) int {
	if i < w.run.from || i > w.run.to {
		w.run = span{from: i, to: tornBytes.run(s, i, len(s))}
	}
	return w.run.to
}

// pieced appends the token that an anchor begins and that goes on behind a joint,
// if there is one.
func (d *detector) pieced(s string, a *anchor, at int, w *window, buf []span) []span {
	end := at + len(a.lit)
	r := &d.rules[a.rule]
	if r.tier != tierToken || at < w.token.to && at >= w.token.from || len(s)-end < 8 || a.prev != nil && at > 0 && !a.prev[s[at-1]] {
		return buf
	}
	to := w.runOut(s, end)
	if to < len(s) && to > end && s[to-1] == '=' && nextLine(s, to) >= 0 {
		to--
	}
	if to == len(s) || !joints[s[to]] || to-end > maxTorn || !goesOnTorn(s, at, end, to) {
		return buf
	}
	if from, to := d.whole(s, a, at, w); to > 0 {
		w.token = span{from: from, to: to}
		return append(buf, span{from, to, a.rule})
	}
	return buf
}

// goesOnTorn reports whether a token that breaks off at to may go on.
func goesOnTorn(s string, at, end, to int) bool {
	kind, next := tear(s, to)
	if kind == jointNone || next >= len(s) || !tornBytes[s[next]] || kind != jointMade && (to-end < 4 || !fragment(s[end:to])) {
		return false
	}
	return !strings.HasPrefix(s[end:], s[at:end])
}

// whole is the token in pieces that an anchor begins, if there are pieces and they
// make one. Where the same anchor stood several times in vain just before, it is
// not asked.
func (d *detector) whole(s string, a *anchor, at int, w *window) (from, to int) {
	v := &w.vain[a.slot%len(w.vain)]
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
	anchor *anchor
	at, n  int
}

// vainWithin is for how many bytes it is remembered that an anchor stood in vain.
const vainWithin = 512

func (d *detector) join(s string, a *anchor, at int) (from, to int) {
	var t pieced
	n := len(a.lit)
	if !t.gather(s, at, at+n) || a.far != nil && (n+a.skip >= t.n || !a.far[t.text[n+a.skip]]) {
		return 0, 0
	}
	from, to = d.rules[a.rule].find(string(t.text[:t.n]), 0, n)
	if from != 0 || to <= t.pieces[1].at {
		return 0, 0
	}
	return at, t.source(to)
}

// extended is where a token ends that was found up to to and goes on behind a
// joint that somebody made, or on the next line.
func (d *detector) extended(s string, a *anchor, at, from, to int, w *window) int {
	if d.rules[a.rule].tier != tierToken || to >= len(s) || from != at || !joints[s[to]] {
		return to
	}
	kind, next := tear(s, to)
	if kind == jointNone || kind == jointSpace || next >= len(s) || !tornBytes[s[next]] {
		return to
	}
	piece := tornBytes.run(s, next, maxTorn)
	if again, far := tear(s, piece); piece-next < minTorn && kind == jointMade && again == jointMade {
		next, piece = far, tornBytes.run(s, far, maxTorn) // a few letters between two tags
	}
	if piece-next < minTorn || !fragment(s[next:piece]) || kind == jointLine && !fillsLine(s, from, to, next, piece) {
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
	if l := look(v); l.upper > 0 && l.lower > 0 && l.digit > 0 && random(v) {
		return true
	}
	if classes['x'].run(v, 0, len(v)) == len(v) && len(v) >= 32 {
		return false // a digest
	}
	return (piece == len(s) || s[piece] == '\n' || s[piece] == '\r') && len(v) <= to-from && to-from >= 20
}
