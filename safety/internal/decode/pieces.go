package decode

import (
	"strings"

	"candor/safety/internal/lex"
)

// Bounds of a token in pieces. MinPiece is the least length of a piece before a joint that
// nobody made, such as a line end: shorter pieces are words.
const (
	MaxToken  = 1024
	maxPieces = 32
	MinPiece  = 8
)

// Assembly collects the pieces of one token, from its prefix on, so that a matcher can read
// them as one text. Its size is fixed; it is meant to live on the stack and to be used again.
type Assembly struct {
	Text   [MaxToken]byte
	Len    int
	Pieces [maxPieces]Piece
	Count  int // of the pieces
	blanks int
	Open   bool // the end of the text leaves open what follows
}

// Piece is a part of a token in pieces.
type Piece struct {
	At    int   // where it starts in the joined text
	From  int   // where it starts in the source
	Joint Joint // what separates it from the piece before it
}

// TokenChars are the bytes that a piece of a token may be made of.
var TokenChars = lex.NewClass("A-Za-z0-9._+/=-")

// put appends a piece and reports whether there was room for it.
func (t *Assembly) put(s string, from, to int, kind Joint) bool {
	if t.Count == maxPieces || to-from > MaxToken-t.Len {
		return false
	}
	t.Pieces[t.Count] = Piece{t.Len, from, kind}
	t.Count++
	t.Len += copy(t.Text[t.Len:], s[from:to])
	return true
}

// Source maps an offset in the joined text back to the input. An offset between two pieces is
// taken as the end of the first.
func (t *Assembly) Source(i int) int {
	k := t.Count - 1
	for k > 0 && t.Pieces[k].At >= i {
		k--
	}
	return t.Pieces[k].From + i - t.Pieces[k].At
}

// End returns the length of the first n pieces, joined.
func (t *Assembly) End(n int) int {
	if n == t.Count {
		return t.Len
	}
	return t.Pieces[n].At
}

// Gather collects the pieces of the token whose prefix is s[at:end] and reports whether
// there is more than one. It stops at the first joint or piece that does not fit, at a piece too
// short to be anything but the last, and at its bounds.
func (t *Assembly) Gather(s string, at, end int) bool {
	t.Len, t.Count, t.blanks, t.Open = 0, 0, 0, false
	to := pieceEnd(s, end)
	if !t.put(s, at, to, JointNone) {
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
		if t.Count == 1 && kind != JointMade && (len(body) < 4 || !IsFragment(body)) {
			break
		}
		piece := pieceEnd(s, next)
		if piece == len(s) {
			t.Open = true
		}
		if !t.fits(s[at:end], s[next:piece], kind) || !t.put(s, next, piece, kind) {
			break
		}
		if to = piece; kind != JointMade && piece-next < MinPiece {
			break
		}
	}
	return t.Count > 1
}

// pieceEnd returns the end of the piece that starts at i, without the = that quoted-printable
// puts at the end of a line.
func pieceEnd(s string, i int) int {
	to := TokenChars.Run(s, i, MaxToken)
	if to < len(s) && to > i && s[to-1] == '=' && (s[to] == '\n' || s[to] == '\r') {
		to--
	}
	return to
}

// fits reports whether a piece may continue a token that begins with prefix. A piece with the
// same prefix is a token of its own, and more than three blanks separate words. Behind a joint
// that nobody made, NAME=value is a setting.
func (t *Assembly) fits(prefix, piece string, kind Joint) bool {
	if piece == "" || strings.HasPrefix(piece, prefix) {
		return false
	}
	if kind == JointSpace {
		if t.blanks++; t.blanks > 3 {
			return false
		}
	}
	return kind == JointMade || IsFragment(piece) && strings.IndexByte(strings.TrimRight(piece, "="), '=') < 0
}

// IsFragment reports whether a piece looks like part of something random rather than a word:
// digits among letters, many capitals or digits, or capitals among small letters.
func IsFragment(v string) bool {
	l := lex.CountChars(v)
	return l.Digit > 0 && l.Lower+l.Upper > 0 || l.Upper >= 6 && l.Lower == 0 || l.Digit >= 6 ||
		l.Upper > 1 && l.Lower > 1 || lex.CaseChanges(v) >= 3
}
