package safety

import (
	"math/bits"
	"sort"
)

// sample is text of the kind agents write. An anchor is looked up by whichever
// of its trigrams is rarest here, so ordinary prose and code give few hits.
const sample = `I will read the configuration file first to find out which host the
service connects to, because the test that failed mentions a timeout. The request
to https://api.example.com/v1/users returned status 404, so I'm checking the
routes in internal/server/handler.go before changing anything. Running go test
./... to see whether the error is still there. {"name": "search", "arguments":
{"query": "the latest release", "limit": 10, "path": "/usr/local/share"}} The user
asked for a summary of the document; I need to open it, extract the sections and
compare them with the previous version. if err != nil { return fmt.Errorf("open
%s: %w", path, err) } for i := range items { total += items[i].count } commit
3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
import (
	"context"
	"encoding/json"
)
const result = await fetch(url, { method: "POST", headers }); console.log(result);
The tool listed five files in the workspace folder; three of them are tests. Next
step: update the function, then run the linter again. 2026-08-13T10:22:31Z INFO
server started addr=127.0.0.1:8080 pid=4312 [1/3] building image... done in 1.2s
def main(args): parser.add_argument("--output", default=None, help="where to write")
token count, the access rule, an author of the library, a secretary, keyboard input
making, taking, asia, discord, linear search, twitter, sentry, travis, private
and then it would be the same as before; which of these are there, and what else
must have been changed. Account, message, value, amount, mounted, latest interest,
password and secrets are checked against the intended handling of each session.
We should understand how the database connection pool is released under load, so
the standard approach comes to mind: separate commands, smaller commits, no errors.
Let me look at what is missing here, look for its callers and check each of them again.
They never make every other developer system wait, as users and human readers know
information, integration, another organization, support, compare, common, method.`

// anchor is a literal that every match of a rule holds.
type anchor struct {
	gram uint32 // the trigram it is filed under
	off  int    // where that stands in it

	// The first eight bytes of lit as a number, which of them count, and what
	// folds them: one comparison dismisses nearly every other text.
	first, mask, lower uint64

	lit     string
	fold    bool // lit is in lower case
	besides      // what stands around it in every match
	rule    int
	slot    int // its number
}

// besides is what must stand around an anchor for its rule to match. Where a
// class is nil, anything may.
type besides struct {
	prev *class // before the anchor, if it is not the first of the text
	next *class // behind the anchor
	far  *class // so many bytes behind that
	skip int
}

// fit reports whether what stands around the anchor at..end may be a match.
func (b *besides) fit(s string, at, end int) bool {
	if b.prev != nil && at > 0 && !b.prev[s[at-1]] {
		return false
	}
	return b.far == nil || end+b.skip < len(s) && b.far[s[end+b.skip]]
}

// number fills in what is told from the first eight bytes.
func (a *anchor) number() {
	for k := range min(len(a.lit), 8) {
		c := a.lit[k]
		a.first |= uint64(c) << (8 * k)
		a.mask |= 0xff << (8 * k)
		if a.fold && letter(c) {
			a.lower |= 0x20 << (8 * k)
		}
	}
}

// filter finds, in one pass, the places where an anchor may stand. A place is
// told by a hash of three bytes, case folded. Only every other one is looked up
// in near, which therefore holds, for each anchor, the trigram it is filed under
// and one of those beside it; nearly all text fails that test.
type filter struct {
	near    nearby
	heads   [4097]uint16
	anchors []anchor // in the order of their bucket
}

const (
	hashFold = 0x2020202020202020
	hashMul  = 9232381 // tried out: few trigrams of prose and code share a bit with an anchor
)

func trigram(s string, i int) uint32 {
	return hash(uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | hashFold)
}

// hash mixes the low three bytes of x, which are folded already.
func hash(x uint64) uint32 { return uint32(x) * (hashMul << 8 & 0xffffffff) }

// newFilter files each anchor under its rarest trigram. Anchors are at least
// three bytes long.
func newFilter(anchors []anchor) *filter {
	common := commonness()
	f := &filter{anchors: anchors}
	heads := map[uint32]int{} // of anchors of three bytes
	for _, a := range anchors {
		if len(a.lit) == 3 {
			heads[bigram(a.lit, 0)]++
		}
	}
	load := map[uint32]int{}
	for k := range anchors {
		a := &anchors[k]
		a.number()
		a.slot = k
		beside := a.file(common, load)
		load[a.gram]++
		f.near[a.gram>>16] |= atHere
		switch {
		case beside > a.off:
			f.near[trigram(a.lit, beside)>>16] |= atPrev
		case beside >= 0:
			f.near[trigram(a.lit, beside)>>16] |= atNext
		default:
			f.anyBeside(a, common, heads)
		}
	}
	sort.SliceStable(anchors, func(i, j int) bool { return anchors[i].gram>>20 < anchors[j].gram>>20 })
	for _, a := range anchors {
		f.heads[a.gram>>20+1]++
	}
	for b := 1; b < len(f.heads); b++ {
		f.heads[b] += f.heads[b-1]
	}
	return f
}

// commonness is how common trigrams are, and what begins with two bytes, in places
// of 32768.
func commonness() map[uint32]int {
	common := map[uint32]int{}
	for band, grams := range commonGrams {
		for i := 0; i < len(grams); i += 3 {
			common[trigram(grams, i)] = 1 << (len(commonGrams) - band)
			common[bigram(grams, i)] += 1 << (len(commonGrams) - band)
		}
	}
	for i := 0; i+3 <= len(sample); i++ {
		common[trigram(sample, i)] += 4
		common[bigram(sample, i)] += 4
	}
	return common
}

// file chooses the trigram that a is filed under, and gives where the one beside
// it starts, so that the two together are the rarest, and shared with the fewest
// others; -1 where a has no two.
func (a *anchor) file(common, load map[uint32]int) (beside int) {
	a.off, beside = 0, -1
	best := 0
	for i := 0; i+4 <= len(a.lit); i++ {
		here, next := common[trigram(a.lit, i)], common[trigram(a.lit, i+1)]
		if n := 64*(here+next) + min(load[trigram(a.lit, i)]/3, 63); beside < 0 || n < best {
			best, a.off, beside = n, i, i+1
			if next < here {
				a.off, beside = i+1, i
			}
		}
	}
	a.gram = trigram(a.lit, a.off)
	return beside
}

// anyBeside lets near pass an anchor of three bytes wherever its first two stand
// behind what may precede it, or its last two before what may follow it,
// whichever is rarer. Anchors that share their first two bytes pass by those.
func (f *filter) anyBeside(a *anchor, common, heads map[uint32]int) {
	head, tail := bigram(a.lit, 0), bigram(a.lit, 1)
	before := heads[head] > 1 || common[head]+min(1, common[tail]) < common[tail]
	side, x, shift, where := a.next, uint64(a.lit[1])|uint64(a.lit[2])<<8, 16, uint8(atPrev)
	if before {
		side, x, shift, where = a.prev, uint64(a.lit[0])<<8|uint64(a.lit[1])<<16, 0, atNext
	}
	for b := range uint64(256) {
		if side == nil || side[b] {
			f.near[hash(x|b<<shift|hashFold)>>16] |= where
		}
	}
}

// bigram is a number for two bytes in either case, which no trigram's hash is
// mistaken for often enough to matter.
func bigram(s string, i int) uint32 {
	return uint32(s[i]|0x20)<<8 | uint32(s[i+1]|0x20)
}

// matches reports whether the whole anchor stands at i.
func (a *anchor) matches(s string, i int) bool {
	if i < 0 || len(s)-i < len(a.lit) {
		return false
	}
	if len(s)-i >= 8 {
		if (eight(s, i)|a.lower)&a.mask != a.first {
			return false
		}
		if len(a.lit) <= 8 {
			return true
		}
	}
	if a.fold {
		return hasFold(s, i, a.lit)
	}
	return s[i:i+len(a.lit)] == a.lit
}

// place is where the trigram of some anchor stands.
type place struct {
	at   int32
	gram uint32
}

// batch is room for the places that one call of scan finds.
type batch [32]place

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
		x, y, z := eight(t, 0)|hashFold, eight(t, 6)|hashFold, eight(t, 12)|hashFold
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

// scan finds the places from i on where some anchor's trigram stands, as many as fit,
// and gives their number and where to go on: at the end of the text when there is
// nothing left. The places of 64 bytes are gathered in a word without a branch, so that
// few are mispredicted.
func (f *filter) scan(s string, i int, found *batch) (n, next int) {
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
		gram := trigram(s, i)
		found[n] = place{int32(i), gram}
		n += f.near.here(gram)
	}
	return n, len(s)
}

// take adds those places of a word, which begins at at and ends before to, where an
// anchor's trigram stands, and gives where to go on: at to, unless there is no room.
func (f *filter) take(s string, at, to int, word uint64, n int, found *batch) (int, int) {
	for ; word != 0; word &= word - 1 {
		k := at + bits.TrailingZeros64(word)
		if n >= len(found) {
			return n, k
		}
		gram := hash(uint64(four(s, k)) | hashFold)
		found[n] = place{int32(k), gram}
		n += f.near.here(gram)
	}
	return n, to
}

// four are the four bytes at i as one number.
func four(s string, i int) uint32 {
	s = s[i : i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// at gives the anchors that may stand at i: those filed under a trigram, and
// others that share its bucket.
func (f *filter) at(gram uint32) []anchor {
	b := gram >> 20
	return f.anchors[f.heads[b]:f.heads[b+1]]
}
