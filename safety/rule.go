package safety

import "strings"

// tier orders rules by how much they know: where spans overlap, the marker
// names the rule of the highest tier.
type tier uint8

const (
	tierFlag    tier = iota // a finding, nothing to mask
	tierNamed               // a value beside a name such as password
	tierContext             // a value whose shape and neighbouring words agree
	tierToken               // a token that identifies itself
	tierBlock               // a private key, whole
)

// rule is one kind of thing to find. Rules are data: what proves them stands
// beside them, as templates that tests fill in, so that no credential is ever
// written down. {a36} in a hit is 36 letters and digits, as in a format.
type rule struct {
	id      string
	tier    tier
	anchors []string // every match holds one of them
	fold    bool     // anchors match in either case
	action  Action
	before  bool // the escape stands before the match, not inside it
	find    finder
	word    *word                            // how find judges the whole word that holds an anchor; nil if it judges the anchor alone
	reach   int                              // how far behind the anchor find looks, past spaces
	sight   int                              // all that find looks at lies this near behind the anchor's start; 0 is not known
	open    func(s string, at, end int) bool // whether more text could change what find says; nil means reach decides
	besides                                  // what stands around an anchor in every match
	hits    []string
	misses  []string
}

// finder gives the part of s to mask, given where an anchor stands, or to <=
// from. It looks only at the neighbourhood of the anchor.
type finder func(s string, at, end int) (from, to int)

// word judges the word that holds an anchor, whichever of its parts that is, so
// that a word with several anchors in it is judged once.
type word struct {
	end  func(s string, at int) int                      // where the word ends that holds an anchor at at
	find func(s string, low, at, end int) (from, to int) // a finder for the word, which begins at low or behind it
}

// costly is what a finder returns twice that found nothing after reading all of
// its sight: the same need not be read again.
const costly = -1

// token is a rule for tokens that identify themselves.
func token(id string, formats ...string) rule { return tokenOf(id, format{}, nil, formats) }

// randomToken is a token rule whose prefix is so common that the rest must look
// drawn by a machine.
func randomToken(id string, formats ...string) rule {
	return tokenOf(id, format{}, drawnByMachine, formats)
}

// drawnByMachine is random, or letters that change case too often for words.
func drawnByMachine(v string) bool { return random(v) || changes(v)*3 >= len(v) }

// unspoken is drawn by a machine, or one run of letters that is no word.
func unspoken(v string) bool {
	if drawnByMachine(v) {
		return true
	}
	words, _, _ := wordsIn(v)
	return words == 0
}

// drawnInBothCases is random with letters of both cases, as no class of a page is.
func drawnInBothCases(v string) bool { return random(v) && mixedCase(v) }

// scrambled is letters that change case at nearly every other place, as those of
// no name do.
func scrambled(v string) bool { return len(v) >= 10 && changes(v)*5 >= (len(v)-1)*2 }

// changes is how often letters change case.
func changes(v string) int {
	n := 0
	for i := 1; i < len(v); i++ {
		if letter(v[i]) && letter(v[i-1]) && upper(v[i]) != upper(v[i-1]) {
			n++
		}
	}
	return n
}

// looseToken is a token rule whose prefix is so rare that it may stand inside a
// word.
func looseToken(id string, formats ...string) rule {
	return tokenOf(id, format{loose: true}, nil, formats)
}

// link is a token rule for addresses that let whoever knows them post: what they
// begin with goes, too.
func link(id string, formats ...string) rule {
	r := looseToken(id, formats...)
	host := r.find
	r.find = func(s string, at, end int) (int, int) {
		from, to := host(s, at, end)
		for _, scheme := range [...]string{"https://", "http://"} {
			if to > 0 && from >= len(scheme) && hasFold(s, from-len(scheme), scheme) {
				return from - len(scheme), to
			}
		}
		return from, to
	}
	return r
}

// foldToken is a token rule in which case does not matter.
func foldToken(id string, formats ...string) rule {
	return tokenOf(id, format{fold: true}, nil, formats)
}

// exactToken is a token rule for formats of one length: a longer run is no match,
// but for a letter of the text that has run into it.
func exactToken(id string, formats ...string) rule {
	return tokenOf(id, format{exact: true, spare: true}, nil, formats)
}

func tokenOf(id string, how format, pass func(string) bool, specs []string) rule {
	r := rule{id: id, tier: tierToken, fold: how.fold, hits: specs}
	var formats []format
	for _, spec := range specs {
		f := mustFormat(spec)
		f.loose, f.exact, f.spare = how.loose, how.exact, how.spare
		if how.fold {
			f = f.folded()
		}
		formats = append(formats, f)
		r.anchors = append(r.anchors, anchorsOf(f)...)
	}
	r.anchors = shortest(r.anchors)
	r.prev = preceding(formats)
	r.next, r.far, r.skip = following(formats)
	sieves := newSieves(formats)
	r.find = func(s string, at, _ int) (from, to int) {
		for k := range sieves {
			if from, to = sieves[k].find(s, at, pass); to > 0 {
				break
			}
		}
		return from, to
	}
	return r
}

// alone makes a rule leave alone what stands in the middle of base64, which now
// and then holds so short a prefix.
func (r rule) alone() rule {
	find := r.find
	r.find = func(s string, at, end int) (int, int) {
		from, to := find(s, at, end)
		if to > from && (from > 0 && (s[from-1] == '+' || s[from-1] == '/') || to < len(s) && s[to] == '+') {
			return 0, 0
		}
		return from, to
	}
	return r
}

// within tells that a rule's find looks no farther than sight where it finds
// nothing, so that what repeats itself is judged once.
func (r rule) within(sight int) rule {
	find := r.find
	r.sight = sight
	r.find = func(s string, at, end int) (int, int) {
		from, to := find(s, at, end)
		if to <= from {
			return costly, costly
		}
		return from, to
	}
	return r
}

// but adds texts the rule must leave alone.
func (r rule) but(misses ...string) rule {
	r.misses = append(r.misses, misses...)
	return r
}

// anchorsOf is the anchor of a format. One of two bytes is too short for the
// filter and stands for all its continuations.
func anchorsOf(f format) []string {
	if len(f.anchor) >= 3 {
		return []string{f.anchor}
	}
	return spread(f.anchor, f.right[0].set)
}

// following is what stands behind an anchor in every match of any format, and
// what stands so many bytes further on, at the end of the shortest run; nil where
// that is not known.
func following(formats []format) (next, far *class, skip int) {
	next, skip = &class{}, maxTail
	for _, f := range formats {
		lead := 0
		if len(f.anchor) < 3 { // it stands for all its continuations
			lead = 1
		}
		if len(f.right) == 0 || f.right[0].min <= lead {
			return nil, nil, 0
		}
		next.join(f.right[0].set)
		skip = min(skip, f.right[0].min-1-lead)
	}
	return next, next, skip
}

// preceding is what stands before an anchor in every match of any format, or nil
// where that is not known.
func preceding(formats []format) *class {
	var all class
	for _, f := range formats {
		switch {
		case len(f.left) == 0 && f.loose, len(f.left) > 0 && f.left[0].set != nil && f.left[0].min == 0:
			return nil
		case len(f.left) == 0:
			all.join(unjoined)
		case f.left[0].set == nil:
			b := f.left[0].lit[len(f.left[0].lit)-1]
			all[b] = true
			all[upperOf(b)] = all[upperOf(b)] || f.fold
		default:
			all.join(f.left[0].set)
		}
	}
	return &all
}

func spread(lit string, next *class) []string {
	var all []string
	for b := range next {
		if next[b] {
			all = append(all, lit+string(rune(b)))
		}
	}
	return all
}

// shortest drops every literal that another one begins.
func shortest(lits []string) []string {
	var out []string
	for i, a := range lits {
		covered := false
		for j, b := range lits {
			covered = covered || strings.HasPrefix(a, b) && (len(b) < len(a) || j < i)
		}
		if !covered {
			out = append(out, a)
		}
	}
	return out
}
