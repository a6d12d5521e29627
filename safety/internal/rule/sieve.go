package rule

import (
	"math/bits"
	"slices"

	"candor/safety/internal/lex"
)

// sieve tells by two bytes behind the start of an anchor which of up to 64 formats may
// match there: a rule may have many that begin alike.
type sieve struct {
	formats []Format
	pass    [2][256]uint64
}

// sievePlaces are where those bytes stand.
var sievePlaces = [2]int{1, 3}

// newSieves makes as many as formats take.
func newSieves(formats []Format) []sieve {
	var all []sieve
	for group := range slices.Chunk(formats, 64) {
		v := sieve{formats: group}
		for k := range group {
			for n, place := range sievePlaces {
				for b := range 256 {
					if group[k].allows(place, byte(b)) {
						v.pass[n][b] |= 1 << k
					}
				}
			}
		}
		all = append(all, v)
	}
	return all
}

// at are the formats that may match at i, a bit each.
func (v *sieve) at(s string, i int) uint64 {
	if i+sievePlaces[1] >= len(s) {
		return 1<<len(v.formats) - 1
	}
	return v.pass[0][s[i+sievePlaces[0]]] & v.pass[1][s[i+sievePlaces[1]]]
}

// find is what the first format matches at i that does, if it passes and is no stand-in.
func (v *sieve) find(s string, i int, pass func(string) bool) (from, to int) {
	for may := v.at(s, i); may != 0; may &= may - 1 {
		f := &v.formats[bits.TrailingZeros64(may)]
		if !f.literal(s, i, f.anchor) {
			continue
		}
		from, to, ok := f.Match(s, i)
		if ok && (pass == nil || pass(s[f.body(from, i):to])) && !lex.Placeholder(s[from:to]) {
			return from, f.extend(s, to)
		}
	}
	return 0, 0
}

// allows reports whether a byte may stand so many places behind the start of a
// format's anchor.
func (f *Format) allows(place int, b byte) bool {
	switch n := len(f.anchor); {
	case place < n && f.Fold:
		return lex.ToLower(b) == f.anchor[place]
	case place < n:
		return b == f.anchor[place]
	case place == n && len(f.Right) > 0 && f.Right[0].Set != nil && f.Right[0].Min > 0:
		return f.Right[0].Set[b]
	}
	return true
}
