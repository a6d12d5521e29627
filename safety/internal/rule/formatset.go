package rule

import (
	"math/bits"
	"slices"

	"candor/safety/internal/lex"
)

// maxFormats is the number of formats in a set: one for each bit of a mask.
const maxFormats = 64

// formatSet is a set of formats that are tried at the same place. A rule may have many
// formats that begin alike, so two bytes of the text select those that may match.
type formatSet struct {
	formats []Format
	allowed [2][256]uint64 // by selector and byte: the formats that allow it, a bit each
}

// selectors are the offsets, from the start of a keyword, of the bytes that select formats.
var selectors = [2]int{1, 3}

// newFormatSets distributes formats, in order, over as many sets as they need.
func newFormatSets(formats []Format) []formatSet {
	var all []formatSet
	for group := range slices.Chunk(formats, maxFormats) {
		set := formatSet{formats: group}
		for k := range group {
			for n, offset := range selectors {
				for b := range 256 {
					if group[k].allows(offset, byte(b)) {
						set.allowed[n][b] |= 1 << k
					}
				}
			}
		}
		all = append(all, set)
	}
	return all
}

// at returns the formats that may match a keyword at i, a bit each. Near the end of s it
// returns all of them.
func (v *formatSet) at(s string, i int) uint64 {
	if i+selectors[1] >= len(s) {
		return 1<<len(v.formats) - 1
	}
	return v.allowed[0][s[i+selectors[0]]] & v.allowed[1][s[i+selectors[1]]]
}

// match returns what the first matching format matches around the keyword at i, followed
// to its end. A match that pass rejects or that is a placeholder does not count. pass is
// given the variable part; nil accepts all. The result is 0, 0 if nothing matches.
func (v *formatSet) match(s string, i int, pass func(string) bool) (from, to int) {
	for may := v.at(s, i); may != 0; may &= may - 1 {
		f := &v.formats[bits.TrailingZeros64(may)]
		if !f.literal(s, i, f.keyword) {
			continue
		}
		from, to, ok := f.Match(s, i)
		if ok && (pass == nil || pass(s[f.body(from, i):to])) && !lex.Placeholder(s[from:to]) {
			return from, f.extend(s, to)
		}
	}
	return 0, 0
}

// allows reports whether f may match a text with b at offset from the start of its keyword.
func (f *Format) allows(offset int, b byte) bool {
	switch n := len(f.keyword); {
	case offset < n && f.Fold:
		return lex.ToLower(b) == f.keyword[offset]
	case offset < n:
		return b == f.keyword[offset]
	case offset == n && len(f.Right) > 0 && f.Right[0].Set != nil && f.Right[0].Min > 0:
		return f.Right[0].Set[b]
	}
	return true
}

// longest returns the length of the longest text that the formats allow around the
// keyword at i.
func longest(sets []formatSet, s string, i int) int {
	n := 0
	for k := range sets {
		for may := sets[k].at(s, i); may != 0; may &= may - 1 {
			if f := &sets[k].formats[bits.TrailingZeros64(may)]; f.literal(s, i, f.keyword) {
				n = max(n, f.maxLen())
			}
		}
	}
	return n
}

// maxLen returns the length of the longest text that f matches.
func (f *Format) maxLen() int {
	n := len(f.keyword)
	for _, parts := range [...][]Part{f.Left, f.Right} {
		for _, p := range parts {
			n += max(len(p.Lit), p.Max)
		}
	}
	return n
}
