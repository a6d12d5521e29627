package prefilter

import (
	"math/bits"

	"candor/safety/internal/lex"
)

const (
	hashFold = 0x20 * lex.Ones
	hashMul  = 11348681 // tried out: few trigrams of prose and code share a bit with an anchor
)

// Trigram is the hash of the three bytes at i, folded.
func Trigram(s string, i int) uint32 {
	return hash(uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | hashFold)
}

// hash mixes the low three bytes of x, which are folded already.
func hash(x uint64) uint32 { return uint32(x) * (hashMul << 8 & 0xffffffff) }

// Candidate is where the trigram of some anchor stands.
type Candidate struct {
	At   int32
	Gram uint32
}

// Batch is room for the places that one call of scan finds.
type Batch [32]Candidate

// What near tells about a trigram: that an anchor may be told by the one before it, by
// itself, or by the one behind it. Those of every other trigram, two bits further each,
// make a mask of places.
const (
	atPrev = 1 << iota
	atHere
	atNext
)

// nearby tells, by the upper half of a trigram's hash, which of the places around it
// to look at.
type nearby [1 << 16]uint8

// here is 1 where a trigram may be an anchor's.
func (near *nearby) here(gram uint32) int { return int(near[gram>>16] >> 1 & 1) }

const (
	step   = 16 // bytes that eight trigrams are told from
	steps  = 4  // as many as a word has room for
	behind = 8  // bytes of text that stand behind the last
)

// gatherOne is the mask of the places of up to four steps, from the one before them
// on, one trigram after the other.
func (near *nearby) gatherOne(t string) (word uint64) {
	for shift := 0; len(t) >= step+behind; t = t[step:] {
		x, y, z := lex.Load8(t, 0)|hashFold, lex.Load8(t, 6)|hashFold, lex.Load8(t, 12)|hashFold
		mask := uint64(near[hash(z>>16)>>16])
		mask = mask<<2 | uint64(near[hash(z)>>16])
		mask = mask<<2 | uint64(near[hash(y>>32)>>16])
		mask = mask<<2 | uint64(near[hash(y>>16)>>16])
		mask = mask<<2 | uint64(near[hash(y)>>16])
		mask = mask<<2 | uint64(near[hash(x>>32)>>16])
		mask = mask<<2 | uint64(near[hash(x>>16)>>16])
		mask = mask<<2 | uint64(near[hash(x)>>16])
		word |= mask << (shift & 63)
		shift += step
	}
	return word
}

// Scan finds the places from i on where some anchor's trigram stands, as many as fit,
// and gives their number and where to go on: at the end of the text when there is
// nothing left. The places of 64 bytes are gathered in a word without a branch, so that
// few are mispredicted.
func (f *Filter) Scan(s string, i int, found *Batch) (n, next int) {
	for last := len(s) - step - behind; last >= 0 && i <= last+step-2; {
		at := min(i, last) // the last steps take some text again
		width := min((len(s)-at-behind)/step, steps) * step
		word := f.near.gather(s[at:at+width+behind]) >> 1 & (1<<(width-1) - 1) &^ (1<<(i-at) - 1)
		if n, i = f.take(s, at, at+width-1, word, n, found); i < at+width-1 {
			return n, i
		}
	}
	for ; i+3 <= len(s); i++ {
		if n == len(found) {
			return n, i
		}
		gram := Trigram(s, i)
		found[n] = Candidate{int32(i), gram}
		n += f.near.here(gram)
	}
	return n, len(s)
}

// take adds those places of a word, which begins at at and ends before to, where an
// anchor's trigram stands, and gives where to go on: at to, unless there is no room.
func (f *Filter) take(s string, at, to int, word uint64, n int, found *Batch) (int, int) {
	for ; word != 0; word &= word - 1 {
		k := at + bits.TrailingZeros64(word)
		if n >= len(found) {
			return n, k
		}
		gram := hash(uint64(lex.Load4(s, k)) | hashFold)
		found[n] = Candidate{int32(k), gram}
		n += f.near.here(gram)
	}
	return n, to
}
