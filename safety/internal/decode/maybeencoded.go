package decode

import "candor/safety/internal/lex"

// IsEscaped reports whether a text holds escapes, look-alikes or a series of numbers, so that
// it may read otherwise than it is written.
func IsEscaped(s string) bool {
	c := newCursors(s)
	for i := c.next(0); i < len(s); i = c.next(i + 1) {
		if _, n := Escape(s, i); n > 0 {
			return true
		}
	}
	if hasLookalike(s) {
		return true
	}
	_, ok := NextSeries(s, 0)
	return ok
}

// minMixed is the length of the shortest base64 of a value of eight bytes, without the
// characters that carry bits of its neighbours.
const minMixed = 9

// minCapitals is the length of the shortest base32 of a value of eight bytes.
const minCapitals = 12

// NextMixed finds the next run of base64 characters from i on that is no word: of at least nine
// bytes, with digits, with changes of case that words do not have, or in capitals and longer
// than most words are. It returns to == 0 if there is none.
func NextMixed(s string, i int) (from, to int) {
	for ; i < len(s); i++ {
		to = encoding.Run(s, i, len(s))
		if to-i >= minMixed && isMixed(s[i:to]) {
			return i, to
		}
		i = to
	}
	return 0, 0
}

func isMixed(run string) bool {
	if lex.HasDigit(run) || len(run) > lex.StatsLimit {
		return true
	}
	if lex.CaseChanges(run) <= 2 {
		return len(run) >= minCapitals && base32Upper.Run(run, 0, len(run)) == len(run)
	}
	words, _, _ := lex.WordsIn(run)
	return words == 0
}
