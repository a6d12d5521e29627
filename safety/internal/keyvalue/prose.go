package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

const (
	// maxProse is how many bytes of a sentence may separate a name from its value.
	maxProse = 96
	// maxProseWords is how many words may do so.
	maxProseWords = 12
)

// matchAcross returns the credential that a sentence gives some words or signs behind the
// name s[left:right]: the password (do not share): …, for the token, use …. What an operator
// joins to a name has to be judged before.
func matchAcross(s string, left, right int) (int, int) {
	kind := kindInText(s, left, right)
	if kind != Secret && kind != keyed || belongsElsewhere(s, left, right) {
		return rule.Costly, rule.Costly
	}
	w := newWalk(s, right)
	for w.next() {
		v := w.value()
		c := candidate{s: s, name: s[left:right], kind: kind, op: opFlag, value: v, text: s[v.From:v.To]}
		if len(c.text) >= 8 && w.admits(&c) && isPlausible(&c) {
			return v.From, v.To
		}
		w.pass()
	}
	return rule.Costly, rule.Costly
}

// maybeAcross reports whether a sentence may go on at right, behind a name, and has a digit
// in reach. It rules most names out at little cost, many by the first letters of the next word.
func maybeAcross(s string, right int) bool {
	if right+8 >= len(s) || !afterNames[s[right]] {
		return false
	}
	if a, b := s[right+1], s[right+2]; s[right] == ' ' && lex.IsLetter(a) && lex.IsLetter(b) && !glueHeads.May(a, b) {
		return false
	}
	end := min(len(s), right+maxProse+8)
	i := right
	for ; i+16 <= end; i += 16 {
		if lex.DigitMask(lex.Load8(s, i))|lex.DigitMask(lex.Load8(s, i+8)) != 0 {
			return true
		}
	}
	return i+8 <= end && lex.AnyDigit(lex.Load8(s, i)) || lex.AnyDigit(lex.Load8(s, end-8))
}

// afterNames are the bytes that may follow a name in a sentence.
var afterNames = func() (c lex.Class) {
	c = *lex.NewClass(" \t\n,;:.?!)*'\"`-<")
	for b := 0x80; b < 0x100; b++ {
		c[b] = true
	}
	return c
}()

// walk goes over the words of a sentence behind a name, and stops at each that may be its
// value because it has a digit.
type walk struct {
	s       string
	at, end int
	from    int // where the word that next found starts, without opening signs
	words   int
	glued   bool // all words so far are glue
	line    bool // a line has ended since the name
	opens   bool // the first line ended as one that introduces the next: in a colon, or it is a heading
	signs   bool // there were signs alone between blanks
	ran     bool // the text ended before the sentence did
}

// newWalk returns a walk that starts behind the name that ends at right.
func newWalk(s string, right int) walk {
	return walk{s: s, at: right, end: min(len(s), right+maxProse), glued: true}
}

// next moves to the next word that has a digit. It returns false behind words of code, at
// the end of the reach, and where a word says that the value is something else.
func (w *walk) next() bool {
	for w.words < maxProseWords {
		if !w.skipSpaces() {
			return false
		}
		to := wordEnd(w.s, w.at)
		w.from = skipSigns(w.s, w.at, to)
		switch {
		case lex.HasDigit(w.s[w.from:to]):
			return true
		case w.from == to:
			w.signs = true
		case !w.readWord(to):
			return false
		}
		w.at = to
	}
	return false
}

// skipSpaces moves to the next word, across at most three line ends. It returns false if
// there is none in reach.
func (w *walk) skipSpaces() bool {
	lines := 0
	for ; w.at < w.end && (w.s[w.at] <= ' '); w.at++ {
		if w.s[w.at] == '\n' {
			if lines++; !w.line {
				w.line, w.opens = true, introduces(w.s, w.at)
			}
		}
	}
	w.ran = w.at >= len(w.s)
	return w.at < w.end && lines <= 3
}

// readWord reads the word at w.from that ends at to and has no digit. It returns false if
// it is code, begins another line, or identifies what follows.
func (w *walk) readWord(to int) bool {
	w.ran = to == len(w.s)
	if strings.HasPrefix(w.s[w.at:], "```") { // the fence of a block, and its language
		return true
	}
	if w.line && to-w.from > 2 {
		return false
	}
	word := strings.TrimRight(w.s[w.from:to], ".,;:!?)]*_\"'`>\u201d\u3002")
	if !isPlainProse(word) {
		return false
	}
	isGlue := len(word) <= 1 || word[0] >= 0x80 || glue.Has(word)
	if identifying.Has(word) || w.words == 0 && !isGlue && !w.signs && w.from == w.at {
		return false // in "token count" the name only describes another
	}
	w.words++
	w.glued = w.glued && isGlue
	return true
}

// value returns the word that next found as a value.
func (w *walk) value() Value {
	i := w.from
	if i > 0 && lex.IsQuote(w.s[i-1]) {
		return ReadValue(w.s, i-1)
	}
	v := ReadValue(w.s, i)
	if i > 0 && strings.IndexByte("*_", w.s[i-1]) >= 0 {
		for v.To > v.From && w.s[v.To-1] == w.s[i-1] {
			v.To--
		}
	}
	return v
}

// pass goes on behind a word with a digit that is not the value.
func (w *walk) pass() {
	w.words++
	w.glued = false
	w.at = wordEnd(w.s, w.at)
}

// mayReachAcross reports whether text that has not arrived yet could bring the name
// s[left:right] a value across a sentence.
func mayReachAcross(s string, left, right int) bool {
	if right >= len(s) {
		return true
	}
	kind := kindInText(s, left, right)
	if !afterNames[s[right]] || kind != Secret && kind != keyed {
		return false
	}
	w := newWalk(s, right)
	for w.next() {
		if w.value().To+64 > len(s) || wordEnd(s, w.at)+16 > len(s) {
			return true
		}
		w.pass()
	}
	return w.ran || w.at+24 > len(s)
}
