package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

const (
	// maxProse is how many bytes of a sentence may separate a name from its value.
	maxProse = 96
	// maxAcross is how many bytes behind a name have a digit if a sentence tells its value there.
	maxAcross = maxProse + 8
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
		if v.To < len(s) && s[v.To] == '?' && namesPassword(s[left:right]) && !isDigest(s[v.From:v.To]) {
			v.To++ // of the password, or else of the sentence
		}
		c := candidate{s: s, name: s[left:right], kind: kind, op: opFlag, value: v, text: s[v.From:v.To]}
		if len(c.text) >= 8 && w.admits(&c) && isPlausible(&c) {
			return v.From, v.To
		}
		w.pass()
	}
	return rule.Costly, rule.Costly
}

// maybeAcross reports whether a sentence may go on at right, behind a name, and tell its value.
// It rules most names out by the first letters of the next word.
func maybeAcross(s string, right int) bool {
	if right+8 >= len(s) || !afterNames[s[right]] {
		return false
	}
	a, b := s[right+1], s[right+2]
	return s[right] != ' ' || !lex.IsLetter(a) || !lex.IsLetter(b) || glueHeads.May(a, b) ||
		startsGenerated(lex.Load8(s, right+1)) // a value right behind its name
}

// afterNames are the bytes that may follow a name in a sentence.
var afterNames = func() (c lex.Class) {
	c = *lex.NewClass(" \t\n,;:.?!)*'\"`<|]-")
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
	tied    bool // the last word that was read joins a value: is, was, or a colon
	things  bool // a word names a thing with identifiers of its own, such as a user
	names   bool // a noun follows the name: the token call
	clause  bool // a comma or a semicolon has ended a clause
	line    bool // a line has ended since the name
	opens   bool // the first line ended as one that introduces the next: in a colon, or it is a heading
	asked   bool // the first line ended in a question mark
	titles  bool // the first line is a title of a few words that ends in the name
	signs   bool // there were signs alone between blanks
	ran     bool // the text ended before the sentence did
}

// newWalk returns a walk that starts behind the name that ends at right.
func newWalk(s string, right int) walk {
	return walk{s: s, at: right, end: min(len(s), right+maxProse), glued: true}
}

// next moves to the next word that has a digit. It returns false behind words of code, at
// the end of the reach, where a word says that the value is something else, and at a marker: the
// name had its value.
func (w *walk) next() bool {
	for w.words < maxProseWords {
		if !w.skipSpaces() {
			return false
		}
		to := wordEnd(w.s, w.at)
		w.from = skipSigns(w.s, w.at, to)
		switch {
		case lex.HasDigit(w.s[w.from:to]):
			return !strings.Contains(w.s[w.at:to], lex.MarkerPrefix)
		case w.from == to:
			w.signs, w.tied = true, isSign(w.s[w.at:to])
		case !w.readWord(to):
			return false
		}
		w.at = to
	}
	return false
}

// isSign reports whether a word without letters assigns what follows.
func isSign(word string) bool {
	return word == "=" || word == ":" || word == "==" || word == "->" || word == "=>" || word == arrow
}

// skipSpaces moves to the next word, across at most three line ends. It returns false if
// there is none in reach.
func (w *walk) skipSpaces() bool {
	lines := 0
	for ; w.at < w.end && (w.s[w.at] <= ' '); w.at++ {
		if w.s[w.at] == '\n' {
			if lines++; !w.line {
				w.line, w.opens, w.asked = true, introduces(w.s, w.at), strings.HasSuffix(w.s[:w.at], "?")
				w.titles = w.words == 0 && isTitle(w.s, w.at) || isCommand(w.s, w.at)
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
	if w.line && to-w.from > 2 && !w.speaks(to) {
		return false
	}
	word := strings.TrimRight(w.s[w.from:to], ".,;:!?)]*_\"'`>\u201d\u3002")
	if !isPlainProse(word) {
		return w.readPlace(word)
	}
	if identifying.Has(word) || w.isFirst() && (measures.Has(word) || thingWords.Has(word)) {
		return false // in "token count" the name only describes another
	}
	w.count(word, w.s[to-1])
	return true
}

// isFirst reports whether the word that was read is right behind the name, without signs.
func (w *walk) isFirst() bool { return w.words == 0 && w.from == w.at }

// count remembers of a word of prose, which ends with the sign last, what it says of the value
// to come.
func (w *walk) count(word string, last byte) {
	isGlue := len(word) <= 1 || word[0] >= 0x80 || glue.Has(word)
	w.names = w.names || w.isFirst() && !isGlue && !isParticiple(word)
	w.glued, w.things = w.glued && isGlue, w.things || thingWords.Has(word)
	w.tied = joiners.Has(word) || last == ':'
	w.clause = (w.clause || strings.IndexByte(",;.", last) >= 0) && word != "one" // the new one is …
	w.words++
}

// readPlace reads a word that is no prose: a path, an address of mail or of the web says where
// or of whom the value is. It returns false for code.
func (w *walk) readPlace(word string) bool {
	w.words++
	w.glued, w.tied = false, false
	return strings.ContainsAny(word, "/@") && !strings.ContainsAny(word, "()=;{}<>\"'`$\\") && !w.line
}

// speaks reports whether the word that ends at to may be in front of the answer to a question
// on the line before: "bob:", or "it's".
func (w *walk) speaks(to int) bool {
	return w.asked && (w.s[to-1] == ':' && to-w.from <= 16 || glue.Has(w.s[w.from:to]))
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
	w.at = wordEnd(w.s, w.at)
	w.glued, w.tied = false, w.s[w.at-1] == ':'
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
