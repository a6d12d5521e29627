package decode

import (
	"strings"

	"candor/safety/internal/lex"
)

const (
	MaxToken  = 1024 // bytes of a token that is put together
	maxPieces = 32
	MinPiece  = 8 // of a piece that is not the last, where nobody made the joint
)

// Assembly puts together what stands in pieces from an anchor on.
type Assembly struct {
	Text   [MaxToken]byte
	Len    int
	Pieces [maxPieces]struct{ At, from int } // where each piece starts, in text and in the source
	count  int
	blanks int
	Open   bool // the end of the text leaves open what follows
}

// TokenChars are the bytes that a piece of a token may be made of.
var TokenChars = lex.NewClass("A-Za-z0-9._+/=-")

// put adds a piece.
func (t *Assembly) put(s string, from, to int) bool {
	if t.count == maxPieces || to-from > MaxToken-t.Len {
		return false
	}
	t.Pieces[t.count].At, t.Pieces[t.count].from = t.Len, from
	t.count++
	t.Len += copy(t.Text[t.Len:], s[from:to])
	return true
}

// Source is where the byte at i came from. An end is the end of a piece.
func (t *Assembly) Source(i int) int {
	k := t.count - 1
	for k > 0 && t.Pieces[k].At >= i {
		k--
	}
	return t.Pieces[k].from + i - t.Pieces[k].At
}

// Gather collects the pieces of the token whose anchor stands at at..end. It
// reports whether there is more than one.
func (t *Assembly) Gather(s string, at, end int) bool {
	t.Len, t.count, t.blanks, t.Open = 0, 0, 0, false
	to := pieceEnd(s, end)
	if !t.put(s, at, to) {
		return false
	}
	if to == len(s) {
		t.Open = true
		return false
	}
	body := s[end:to]
	for {
		kind, next := SkipJoint(s, to)
		if kind == JointNone {
			t.Open = t.Open || next == len(s)
			break
		}
		if t.count == 1 && kind != JointMade && (len(body) < 4 || !IsFragment(body)) {
			break
		}
		piece := pieceEnd(s, next)
		if piece == len(s) {
			t.Open = true
		}
		if !t.fits(s[at:end], s[next:piece], kind) || !t.put(s, next, piece) {
			break
		}
		if to = piece; kind != JointMade && piece-next < MinPiece {
			break
		}
	}
	return t.count > 1
}

// pieceEnd is the end of a piece that starts at i. The = of quoted-printable at the
// end of a line is not part of it.
func pieceEnd(s string, i int) int {
	to := TokenChars.Run(s, i, MaxToken)
	if to < len(s) && to > i && s[to-1] == '=' && (s[to] == '\n' || s[to] == '\r') {
		to--
	}
	return to
}

// fits reports whether a piece may go on a token that begins with an anchor.
func (t *Assembly) fits(anchor, piece string, kind Joint) bool {
	if piece == "" || strings.HasPrefix(piece, anchor) {
		return false
	}
	if kind == JointSpace {
		if t.blanks++; t.blanks > 3 {
			return false
		}
	}
	return kind == JointMade || IsFragment(piece)
}

// IsFragment reports whether a piece looks like part of something random and not like a
// word: digits among letters, or capitals among small ones.
func IsFragment(v string) bool {
	l := lex.CountChars(v)
	return l.Digit > 0 && l.Lower+l.Upper > 0 || l.Upper >= 6 && l.Lower == 0 || l.Digit >= 6 || l.Upper > 1 && l.Lower > 1 || lex.CaseChanges(v) >= 3
}
