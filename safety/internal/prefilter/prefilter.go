package prefilter

import (
	"sort"

	"candor/safety/internal/lex"
)

// Keyword is a literal that every match of a rule holds.
type Keyword struct {
	Gram uint32 // the trigram it is filed under
	Off  int    // where that stands in it

	// The first eight bytes of lit as a number, which of them count, and what
	// folds them: one comparison dismisses nearly every other text.
	first, mask, lower uint64

	Literal string
	Fold    bool // lit is in lower case
	Context      // what stands around it in every match
	Rule    int
	Slot    int // its number
}

// Context is what must stand around an anchor for its rule to match. Where a
// class is nil, anything may.
type Context struct {
	Prev *lex.Class // before the anchor, if it is not the first of the text
	Next *lex.Class // behind the anchor
	Far  *lex.Class // so many bytes behind that
	Skip int
}

// Fits reports whether what stands around the anchor at..end may be a match.
func (b *Context) Fits(s string, at, end int) bool {
	if b.Prev != nil && at > 0 && !b.Prev[s[at-1]] {
		return false
	}
	return b.Far == nil || end+b.Skip < len(s) && b.Far[s[end+b.Skip]]
}

// number fills in what is told from the first eight bytes.
func (a *Keyword) number() {
	for k := range min(len(a.Literal), 8) {
		c := a.Literal[k]
		a.first |= uint64(c) << (8 * k)
		a.mask |= 0xff << (8 * k)
		if a.Fold && lex.IsLetter(c) {
			a.lower |= 0x20 << (8 * k)
		}
	}
}

// Filter finds, in one pass, the places where an anchor may stand. A place is
// told by a hash of three bytes, case folded. Only every other one is looked up
// in near, which therefore holds, for each anchor, the trigram it is filed under
// and one of those beside it; nearly all text fails that test.
type Filter struct {
	near     nearby
	heads    [4097]uint16
	Keywords []Keyword // in the order of their bucket
}

// New files each anchor under its rarest trigram. Anchors are at least
// three bytes long.
func New(anchors []Keyword) *Filter {
	common := commonness()
	f := &Filter{Keywords: anchors}
	heads := map[uint32]int{} // of anchors of three bytes
	for _, a := range anchors {
		if len(a.Literal) == 3 {
			heads[bigram(a.Literal, 0)]++
		}
	}
	load := map[uint32]int{}
	for k := range anchors {
		a := &anchors[k]
		a.number()
		a.Slot = k
		beside := a.file(common, load)
		load[a.Gram]++
		f.near[a.Gram>>16] |= atHere
		switch {
		case beside > a.Off:
			f.near[Trigram(a.Literal, beside)>>16] |= atPrev
		case beside >= 0:
			f.near[Trigram(a.Literal, beside)>>16] |= atNext
		default:
			f.anyBeside(a, common, heads)
		}
	}
	sort.SliceStable(anchors, func(i, j int) bool { return anchors[i].Gram>>20 < anchors[j].Gram>>20 })
	for _, a := range anchors {
		f.heads[a.Gram>>20+1]++
	}
	for b := 1; b < len(f.heads); b++ {
		f.heads[b] += f.heads[b-1]
	}
	return f
}

// file chooses the trigram that a is filed under, and gives where the one beside
// it starts, so that the two together are the rarest, and shared with the fewest
// others; -1 where a has no two.
func (a *Keyword) file(common, load map[uint32]int) (beside int) {
	a.Off, beside = 0, -1
	best := 0
	for i := 0; i+4 <= len(a.Literal); i++ {
		here, next := common[Trigram(a.Literal, i)], common[Trigram(a.Literal, i+1)]
		if n := 64*(here+next) + min(load[Trigram(a.Literal, i)]/3, 63); beside < 0 || n < best {
			best, a.Off, beside = n, i, i+1
			if next < here {
				a.Off, beside = i+1, i
			}
		}
	}
	a.Gram = Trigram(a.Literal, a.Off)
	return beside
}

// anyBeside lets near pass an anchor of three bytes wherever its first two stand
// behind what may precede it, or its last two before what may follow it,
// whichever is rarer. Anchors that share their first two bytes pass by those.
func (f *Filter) anyBeside(a *Keyword, common, heads map[uint32]int) {
	head, tail := bigram(a.Literal, 0), bigram(a.Literal, 1)
	before := heads[head] > 1 || common[head]+min(1, common[tail]) < common[tail]
	side, x, shift, where := a.Next, uint64(a.Literal[1])|uint64(a.Literal[2])<<8, 16, uint8(atPrev)
	if before {
		side, x, shift, where = a.Prev, uint64(a.Literal[0])<<8|uint64(a.Literal[1])<<16, 0, atNext
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

// Matches reports whether the whole anchor stands at i.
func (a *Keyword) Matches(s string, i int) bool {
	if i < 0 || len(s)-i < len(a.Literal) {
		return false
	}
	if len(s)-i >= 8 {
		if (lex.Load8(s, i)|a.lower)&a.mask != a.first {
			return false
		}
		if len(a.Literal) <= 8 {
			return true
		}
	}
	if a.Fold {
		return lex.HasFold(s, i, a.Literal)
	}
	return s[i:i+len(a.Literal)] == a.Literal
}

// KeywordsAt gives the anchors that may stand at i: those filed under a trigram, and
// others that share its bucket.
func (f *Filter) KeywordsAt(gram uint32) []Keyword {
	b := gram >> 20
	return f.Keywords[f.heads[b]:f.heads[b+1]]
}
