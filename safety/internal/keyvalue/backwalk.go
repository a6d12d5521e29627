package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// backWalk goes over the words of a sentence in front of a name, from the last one on.
type backWalk struct {
	s        string
	low, at  int  // the bounds of what was not read yet
	limit    int  // the words that are no value start here or later
	from, to int  // the word that previous found
	owners   int  // words that say whose the name is: the API in "as the API key"
	stores   bool // one of them is a verb of commands that store a secret
	noun     bool // a word that ends the name's noun phrase was read, such as "the"
	linked   bool // a word or sign was read that joins a value to a name behind it
	apposed  bool // the name stands between commas, or a comma and the end
	yours    bool // the name is "your" one
	refers   bool // the name is of what the clause before is about: …; it's the token
	of       bool // the value has to be "the value" of the name
	capitals bool // the name is one of a variable of the environment
}

// newBackWalk returns a walk that starts in front of the name s[left:right].
func newBackWalk(s string, low, left, right int) backWalk {
	return backWalk{
		s: s, at: left, low: max(low, right-maxBefore-maxEarlier), limit: right - maxBefore,
		capitals: isVariableName(s, right),
		apposed:  right == len(s) || strings.IndexByte(",.!?\n", s[right]) >= 0,
	}
}

// findValue moves to the word that is the value, if the words between lead to the name.
func (w *backWalk) findValue() bool {
	for n := 0; n < maxProseWords && w.previous(); n++ {
		if w.isLinked() && mayBeEarlier(w.word()) {
			return !w.endsClause()
		}
		if w.from < w.limit || !w.read() {
			break
		}
	}
	return false
}

// isLinked reports whether what was read so far joins the word that previous found to the name.
func (w *backWalk) isLinked() bool { return w.linked || w.asks() || w.apposes() }

// previous moves to the word before those read, on the same line. It returns false if there
// is none in reach.
func (w *backWalk) previous() bool {
	w.to = w.at
	for w.to > w.low && (w.s[w.to-1] == ' ' || w.s[w.to-1] == '\t') {
		w.to--
	}
	w.from = w.to
	for w.from > w.low && w.s[w.from-1] > ' ' {
		w.from--
	}
	w.at = w.from
	return w.from < w.to && (w.from > w.low || w.low == 0)
}

// word returns the word that previous found.
func (w *backWalk) word() string { return w.s[w.from:w.to] }

// apposes reports whether a name between commas follows the word that previous found: …, our
// token, ….
func (w *backWalk) apposes() bool {
	return w.apposed && w.noun && w.s[w.to-1] == ','
}

// asks reports whether the word before the one that previous found makes a question of it: is
// … the token?
func (w *backWalk) asks() bool {
	return w.noun && w.from >= 3 && lex.HasFold(w.s, w.from-3, "is ") && (w.from == 3 || w.s[w.from-4] <= ' ')
}

// read reads a word that is no value. It returns false if no value can be before it.
func (w *backWalk) read() bool {
	word := w.word()
	switch {
	case backSigns.Has(word) || len(word) == 3 && word[0] == 0xe2: // a dash or an arrow
		w.linked, w.noun = true, true
		return true
	case word == "|":
		w.linked, w.noun = w.stores, true
		return w.stores
	}
	opening := word[0]
	word = strings.TrimLeft(word, "([`*\"'$")
	if word != "" && (strings.IndexByte(".!?:;,", word[len(word)-1]) >= 0 || !w.readPlain(word)) {
		return false
	}
	if opening == '(' || opening == '[' {
		w.linked, w.noun = true, true
	}
	return true
}

// readPlain reads a word without signs around it.
func (w *backWalk) readPlain(word string) bool {
	switch {
	case !isPlainProse(word) && len(word) >= 8:
		return false
	case backLinks.Has(word), foreignLinks[word]:
		w.linked, w.noun = true, true
		w.refers = w.refers || strings.HasSuffix(word, "'s")
	case word == "to" && w.capitals && !w.noun, word == "with" && w.yours, word == "of" && w.noun:
		w.linked, w.noun, w.of = true, true, word == "of"
	case backGlue.Has(word):
		w.noun = true
		w.yours = w.yours || word == "your"
	case w.noun || w.owners == 4:
		return false
	default:
		w.owners++
		w.stores = w.stores || storeWords.Has(word)
	}
	return true
}

// value returns the word that previous found as a value, without the quotes, brackets and
// signs around it. In code it is the last string of the word.
func (w *backWalk) value() Value {
	from, to := w.from, w.to
	for to > from && strings.IndexByte(",;:.)*_>]", w.s[to-1]) >= 0 {
		to--
	}
	if to > from && lex.IsQuote(w.s[to-1]) {
		if i := strings.LastIndexByte(w.s[from:to-1], w.s[to-1]); i >= 0 {
			return Value{From: from + i + 1, To: to - 1, Quoted: true}
		}
	}
	from = skipSigns(w.s, from, to)
	for to > from && (w.s[to-1] >= 0x80 || lex.IsQuote(w.s[to-1])) {
		to--
	}
	return Value{From: from, To: to}
}

// endsClause reports whether the word ends a clause, so that the words behind it are about
// something else. A password may end in a mark, and a string of code is followed by a comma.
func (w *backWalk) endsClause() bool {
	switch w.s[w.to-1] {
	case '.', ';', ':':
		return !w.refers && w.s[w.to-2] != '"' && w.s[w.to-2] != '\'' && w.s[w.to-2] != ')'
	case ',':
		return !w.refers && !w.apposed && !lex.IsQuote(w.s[w.to-2])
	case '!', '?':
		if w.refers {
			return false
		}
		next := lex.SkipBlank(w.s, w.to, 3)
		return next < len(w.s) && lex.IsUpper(w.s[next])
	}
	return false
}

// admitsEarlier reports whether a value in front of its name looks generated or like a password
// that a person made up, and no word before it says that it is something else.
func (w *backWalk) admitsEarlier(c *candidate) bool {
	c.chars = lex.CountChars(c.text)
	if isOtherKind(c.text) || w.isIdentified() {
		return false
	}
	return isDigest(c.text) || isWordless(c) || isGrouped(c.text) || isPrefixed(c.text) ||
		isShortDigest(c) || namesPassword(c.name) && isChosenPassword(c.text)
}

// isIdentified reports whether the word before the value says what it is: commit …, id ….
func (w *backWalk) isIdentified() bool {
	if !w.previous() {
		return w.of
	}
	word := strings.Trim(w.word(), "(`*\"':#,")
	return w.of && word != "value" || identifying.Has(word) || thingWords.Has(word)
}
