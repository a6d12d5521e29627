package decode

import (
	"math/bits"

	"candor/safety/internal/lex"
)

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

// NextLong finds the next run of base64 characters from i on that may hide a value of eight
// bytes. It returns to == 0 if there is none.
func NextLong(s string, i int) (from, to int) {
	for i < len(s) {
		from, end := nextStretch(s, i)
		for i = from; i < end; i++ {
			from, i = i, encoding.Run(s, i, len(s))
			if i-from >= minMixed {
				return from, i
			}
		}
		i = max(i, end)
	}
	return 0, 0
}

// nextStretch returns the bounds of the next minMixed bytes or more from i on that have no blank
// and none of the signs that a run of base64 never has. Both are len(s) if there are none.
func nextStretch(s string, i int) (from, to int) {
	before := 0 // how many such bytes are in front of i
	for ; i+8 <= len(s); i += 8 {
		signs := lex.SignMask(lex.Load8(s, i))
		if signs == 0 {
			before += 8
			continue
		}
		if n := bits.TrailingZeros64(signs) / 8; before+n >= minMixed {
			return i - before, i + n
		}
		before = bits.LeadingZeros64(signs) / 8
	}
	from = i - before
	for i < len(s) && s[i] >= '+' {
		i++
	}
	if i-from >= minMixed {
		return from, i
	}
	return len(s), len(s)
}

// IsMixed reports whether a run of base64 characters is no word: it has digits, changes of case
// that words do not have, or is in capitals and longer than most words are.
func IsMixed(run string) bool {
	if lex.HasDigit(run) || len(run) > lex.StatsLimit {
		return true
	}
	if lex.CaseChanges(run) <= 2 {
		return len(run) >= minCapitals && base32Upper.Run(run, 0, len(run)) == len(run)
	}
	words, _, _ := lex.WordsIn(run)
	return words == 0
}
