package decode

import (
	"math/bits"

	"candor/safety/internal/lex"
)

// IsEscaped reports whether a text holds escapes, look-alikes, a series of numbers or a dump, so that
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
	if !ok {
		_, ok = NextDump(s, 0)
	}
	return ok
}

// minMixed is the length of the shortest base64 of a value of eight bytes, without the
// characters that carry bits of its neighbours.
const minMixed = 9

// minCapitals is the length of the shortest base32 of a value of eight bytes.
const minCapitals = 12

// Bytes is a set of the bytes from 0 to Z: the digits, the capitals, and the signs between them.
// Bit n stands for the byte '0'+n.
type Bytes uint64

// Add adds a byte that is from 0 to Z to the set.
func (b *Bytes) Add(c byte) { *b |= 1 << ((c - '0') & 63) }

// MayBeEncoded reports whether s[i:end] holds a part of a run of base64 characters that may hide a
// value of eight bytes. If not, it also returns which bytes from 0 to Z there are. It skips all
// others, eight at a time, since a run without capitals and digits is a word.
func MayBeEncoded(s string, i, end int) (encoded bool, seen Bytes) {
	if i >= end {
		return false, 0
	}
	r := runReader{s: s, end: end, judged: i}
	if crosses(s, i) && isMixed(runAround(s, i)) || crosses(s, end) && isMixed(runAround(s, end)) {
		return true, 0
	}
	for ; i+8 <= end; i += 8 {
		w := lex.Load8(s, i)
		if uneven := lex.ZeroToZMask(w); uneven != 0 && r.read(i, uneven, lex.SignMask(w)) {
			return true, 0
		}
	}
	if i < end {
		w := load(s[i:end])
		encoded = r.read(i, lex.ZeroToZMask(w), lex.SignMask(w))
	}
	return encoded, r.seen
}

// runReader judges the runs of base64 characters in a text that have bytes from 0 to Z.
type runReader struct {
	s      string
	end    int   // the end of the text
	judged int   // the end of the last run
	seen   Bytes // the bytes from 0 to Z
}

// read reads the uneven bytes among the eight at i. It reports whether one of them is in a run that
// may be encoded. Between two signs the run is too short.
func (r *runReader) read(i int, uneven, signs uint64) bool {
	for ; uneven != 0; uneven &= uneven - 1 {
		k := i + bits.TrailingZeros64(uneven)/8
		c, before := r.s[k], uneven&-uneven-1
		r.seen.Add(c)
		if signs&before != 0 && signs&^before != 0 || k < r.judged || !encoding[c] {
			continue
		}
		run := runAround(r.s, k)
		if isMixed(run) {
			return true
		}
		r.judged = k + 1
		for r.judged < r.end && encoding[r.s[r.judged]] {
			r.judged++
		}
	}
	return false
}

// load returns fewer than eight bytes as a number, with zeros behind them.
func load(s string) (w uint64) {
	for k := len(s) - 1; k >= 0; k-- {
		w = w<<8 | uint64(s[k])
	}
	return w
}

// crosses reports whether a run of base64 characters has bytes both before and behind i.
func crosses(s string, i int) bool { return i > 0 && i < len(s) && encoding[s[i-1]] && encoding[s[i]] }

// runAround returns the run of base64 characters that holds s[i], or so much of it that isMixed
// sees that it is long.
func runAround(s string, i int) string {
	return s[encoding.Back(s, i, lex.StatsLimit):encoding.Run(s, i, lex.StatsLimit+1)]
}

// isMixed reports whether a run of base64 characters is long enough to hide a value and no word:
// it has digits, changes of case that words do not have, or is in capitals and longer than most
// words are.
func isMixed(run string) bool {
	if len(run) < minMixed {
		return false
	}
	if lex.HasDigit(run) || len(run) > lex.StatsLimit {
		return true
	}
	if lex.CaseChanges(run) <= 2 {
		return len(run) >= minCapitals && base32Upper.Run(run, 0, len(run)) == len(run)
	}
	words, _, _ := lex.WordsIn(run)
	return words == 0
}
