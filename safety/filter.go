package safety

import "sort"

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
making, taking, asia, discord, linear search, twitter, sentry, travis, private`

// anchor is a literal that every match of a rule holds.
type anchor struct {
	lit  string // in lower case when fold
	fold bool
	gram uint32 // the trigram it is filed under
	off  int    // where that stands in it
	rule int

	// The first eight bytes of lit as a number, which of them count, and what
	// folds them: one comparison dismisses nearly every other text.
	first, mask, lower uint64
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
// told by a hash of three bytes, case folded; nearly all text fails that test.
type filter struct {
	bits    [2048]uint64
	heads   [4097]uint16
	anchors []anchor // in the order of their bucket
}

const hashFold, hashMul = 0x2020202020202020, 2654435761

func trigram(s string, i int) uint32 {
	return hash(uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | hashFold)
}

// hash mixes the low three bytes of x, which are folded already.
func hash(x uint64) uint32 { return uint32(x) << 8 * hashMul }

// newFilter files each anchor under its rarest trigram. Anchors are at least
// three bytes long.
func newFilter(anchors []anchor) *filter {
	common := map[uint32]int{}
	for i := 0; i+3 <= len(sample); i++ {
		common[trigram(sample, i)]++
	}
	f := &filter{anchors: anchors}
	for k := range anchors {
		a := &anchors[k]
		a.number()
		best := -1
		for i := 0; i+3 <= len(a.lit); i++ {
			if n := common[trigram(a.lit, i)]; best < 0 || n < best {
				best, a.off = n, i
			}
		}
		a.gram = trigram(a.lit, a.off)
		f.bits[a.gram>>21] |= 1 << (a.gram >> 15 & 63)
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

// batch is room for the places that one call of fill finds.
type batch [64]int32

// fill finds the places from i on where some anchor's trigram may stand, as many
// as fit, and gives their number and where to go on. It goes on at the end of
// the text when there is nothing left. Six places are told from one load, and
// most often one branch dismisses them all.
func (f *filter) fill(s string, i int, found *batch) (n, next int) {
	for ; i+8 <= len(s); i += 6 {
		x := eight(s, i) | hashFold
		any := f.bit(hash(x)) | f.bit(hash(x>>8)) | f.bit(hash(x>>16)) | f.bit(hash(x>>24)) | f.bit(hash(x>>32)) | f.bit(hash(x>>40))
		if any&1 == 0 {
			continue
		}
		if n+6 > len(found) {
			return n, i
		}
		for k := 0; k < 6; k++ {
			found[n] = int32(i + k)
			n += int(f.bit(hash(x)) & 1)
			x >>= 8
		}
	}
	for ; i+3 <= len(s); i++ {
		if n == len(found) {
			return n, i
		}
		found[n] = int32(i)
		n += int(f.bit(trigram(s, i)) & 1)
	}
	return n, len(s)
}

// bit is the filter's answer for a hash, in the lowest bit.
func (f *filter) bit(h uint32) uint64 { return f.bits[h>>21] >> (h >> 15 & 63) }

// at gives the anchors that may stand at i: those filed under a trigram, and
// others that share its bucket.
func (f *filter) at(gram uint32) []anchor {
	b := gram >> 20
	return f.anchors[f.heads[b]:f.heads[b+1]]
}
