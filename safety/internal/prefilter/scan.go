package prefilter

import (
	"math/bits"

	"candor/safety/internal/lex"
)

const (
	hashFold = 0x20 * lex.Ones // folds the case of eight bytes
	hashMul  = 11348681        // found by trial: few trigrams of prose and code collide with a keyword's
)

// Trigram returns the hash of the three bytes at i, case folded.
func Trigram(s string, i int) uint32 {
	return hash(uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | hashFold)
}

// hash returns the hash of the low three bytes of x, which are folded already.
func hash(x uint64) uint32 { return uint32(x) * (hashMul << 8 & 0xffffffff) }

// Candidate is a position where the trigram of some keyword may be.
type Candidate struct {
	At   int32  // offset in the text
	Gram uint32 // hash of the trigram there
}

// Batch receives the candidates that one call of [Filter.Scan] finds.
type Batch [32]Candidate

// The flags of a trigram in nearby: a keyword may be filed under the trigram before it,
// under itself, or under the one after it. The flags of every other trigram of a text,
// each shifted by two more bits, combine to a mask of positions.
const (
	atPrev = 1 << iota
	atHere
	atNext
)

// nearby maps the upper half of a trigram's hash to its flags.
type nearby [1 << 16]uint8

// here returns 1 if a keyword may be filed under the trigram, and 0 otherwise.
func (near *nearby) here(gram uint32) int { return int(near[gram>>16] >> 1 & 1) }

const (
	step  = 16 // positions that eight trigrams decide, one at every other position
	steps = 4  // steps in a mask of 64 positions
	slack = 8  // bytes that must follow the last step, as loads read past it
)

// gatherScalar returns the mask of candidate positions in up to four steps of t. Bit 0
// represents the position before t. It hashes one trigram after the other and has no
// branch that depends on the text.
func (near *nearby) gatherScalar(t string) (word uint64) {
	for shift := 0; len(t) >= step+slack; t = t[step:] {
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

// Scan writes to found the candidates of s from position i on, in ascending order and as
// many as fit. It returns their number and the position where the next call continues;
// that is len(s) when the text is finished. The positions of 64 bytes are gathered in a
// mask without branches, so that ordinary text causes few mispredictions.
func (f *Filter) Scan(s string, i int, found *Batch) (n, next int) {
	for last := len(s) - step - slack; last >= 0 && i <= last+step-2; {
		at := min(i, last) // the last steps overlap earlier ones
		width := min((len(s)-at-slack)/step, steps) * step
		word := f.near.gather(s[at:at+width+slack]) >> 1 & (1<<(width-1) - 1) &^ (1<<(i-at) - 1)
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

// take appends the candidates among the positions of a mask, which starts at index at and ends
// before to, to the n in found. It returns their number and the position to continue at:
// to, or an earlier one if found is full.
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
