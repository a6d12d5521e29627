package safety

import "sort"

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

// at gives the anchors that may stand at i: those filed under a trigram, and
// others that share its bucket.
func (f *filter) at(gram uint32) []anchor {
	b := gram >> 20
	return f.anchors[f.heads[b]:f.heads[b+1]]
}
