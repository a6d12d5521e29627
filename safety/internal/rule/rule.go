package rule

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/prefilter"
)

// Specificity orders rules by how much they know: where spans overlap, the marker
// names the rule of the highest tier.
type Specificity uint8

const (
	FlagOnly   Specificity = iota // a finding, nothing to mask
	ByName                        // a value beside a name such as password
	ByContext                     // a value whose shape and neighbouring words agree
	ByShape                       // a token that identifies itself
	WholeBlock                    // a private key, whole
)

// Rule is one kind of thing to find. Rules are data: what proves them stands
// beside them, as templates that tests fill in, so that no credential is ever
// written down. {a36} in a hit is 36 letters and digits, as in a format.
type Rule struct {
	ID                string
	Specificity       Specificity
	Keywords          []string // every match holds one of them
	Fold              bool     // anchors match in either case
	Action            Action
	EscapeBefore      bool // the escape stands before the match, not inside it
	Match             Matcher
	Word              *Word                            // how find judges the whole word that holds an anchor; nil if it judges the anchor alone
	MaxGap            int                              // how far behind the anchor find looks, past spaces
	Lookahead         int                              // all that find looks at lies this near behind the anchor's start; 0 is not known
	Open              func(s string, at, end int) bool // whether more text could change what find says; nil means reach decides
	prefilter.Context                                  // what stands around an anchor in every match
	Hits              []string
	Misses            []string
}

// Matcher gives the part of s to mask, given where an anchor stands, or to <=
// from. It looks only at the neighbourhood of the anchor.
type Matcher func(s string, at, end int) (from, to int)

// Word judges the word that holds an anchor, whichever of its parts that is, so
// that a word with several anchors in it is judged once.
type Word struct {
	End   func(s string, at int) int                      // where the word ends that holds an anchor at at
	Match func(s string, low, at, end int) (from, to int) // a finder for the word, which begins at low or behind it
}

// Costly is what a finder returns twice that found nothing after reading all of
// its sight: the same need not be read again.
const Costly = -1

// Token is a rule for tokens that identify themselves.
func Token(id string, formats ...string) Rule { return TokenOf(id, Format{}, nil, formats) }

// RandomToken is a token rule whose prefix is so common that the rest must look
// drawn by a machine.
func RandomToken(id string, formats ...string) Rule {
	return TokenOf(id, Format{}, lex.LooksGenerated, formats)
}

// LooseToken is a token rule whose prefix is so rare that it may stand inside a
// word.
func LooseToken(id string, formats ...string) Rule {
	return TokenOf(id, Format{Loose: true}, nil, formats)
}

// Link is a token rule for addresses that let whoever knows them post: what they
// begin with goes, too.
func Link(id string, formats ...string) Rule {
	r := LooseToken(id, formats...)
	host := r.Match
	r.Match = func(s string, at, end int) (int, int) {
		from, to := host(s, at, end)
		for _, scheme := range [...]string{"https://", "http://"} {
			if to > 0 && from >= len(scheme) && lex.HasFold(s, from-len(scheme), scheme) {
				return from - len(scheme), to
			}
		}
		return from, to
	}
	return r
}

// FoldToken is a token rule in which case does not matter.
func FoldToken(id string, formats ...string) Rule {
	return TokenOf(id, Format{Fold: true}, nil, formats)
}

// ExactToken is a token rule for formats of one length: a longer run is no match,
// but for a letter of the text that has run into it.
func ExactToken(id string, formats ...string) Rule {
	return TokenOf(id, Format{Exact: true, Spare: true}, nil, formats)
}

// TokenOf is a rule for tokens of the formats specs, matched as how says. If pass is not
// nil, the part that varies has to pass it.
func TokenOf(id string, how Format, pass func(string) bool, specs []string) Rule {
	r := Rule{ID: id, Specificity: ByShape, Fold: how.Fold, Hits: specs}
	var formats []Format
	for _, spec := range specs {
		f := MustFormat(spec)
		f.Loose, f.Exact, f.Spare = how.Loose, how.Exact, how.Spare
		if how.Fold {
			f = f.Folded()
		}
		formats = append(formats, f)
		r.Keywords = append(r.Keywords, anchorsOf(f)...)
	}
	r.Keywords = shortest(r.Keywords)
	r.Prev = preceding(formats)
	r.Next, r.Far, r.Skip = following(formats)
	sieves := newSieves(formats)
	r.Match = func(s string, at, _ int) (from, to int) {
		for k := range sieves {
			if from, to = sieves[k].find(s, at, pass); to > 0 {
				break
			}
		}
		return from, to
	}
	return r
}

// Isolated makes a rule leave alone what stands in the middle of base64, which now
// and then holds so short a prefix.
func (r Rule) Isolated() Rule {
	find := r.Match
	r.Match = func(s string, at, end int) (int, int) {
		from, to := find(s, at, end)
		if to > from && (from > 0 && (s[from-1] == '+' || s[from-1] == '/') || to < len(s) && s[to] == '+') {
			return 0, 0
		}
		return from, to
	}
	return r
}

// WithLookahead tells that a rule's find looks no farther than sight where it finds
// nothing, so that what repeats itself is judged once.
func (r Rule) WithLookahead(sight int) Rule {
	find := r.Match
	r.Lookahead = sight
	r.Match = func(s string, at, end int) (int, int) {
		from, to := find(s, at, end)
		if to <= from {
			return Costly, Costly
		}
		return from, to
	}
	return r
}

// Except adds texts the rule must leave alone.
func (r Rule) Except(misses ...string) Rule {
	r.Misses = append(r.Misses, misses...)
	return r
}

// anchorsOf is the anchor of a format. One of two bytes is too short for the
// filter and stands for all its continuations.
func anchorsOf(f Format) []string {
	if len(f.anchor) >= 3 {
		return []string{f.anchor}
	}
	return Spread(f.anchor, f.Right[0].Set)
}

// following is what stands behind an anchor in every match of any format, and
// what stands so many bytes further on, at the end of the shortest run; nil where
// that is not known.
func following(formats []Format) (next, far *lex.Class, skip int) {
	next, skip = &lex.Class{}, MaxTail
	for _, f := range formats {
		lead := 0
		if len(f.anchor) < 3 { // it stands for all its continuations
			lead = 1
		}
		if len(f.Right) == 0 || f.Right[0].Min <= lead {
			return nil, nil, 0
		}
		next.Join(f.Right[0].Set)
		skip = min(skip, f.Right[0].Min-1-lead)
	}
	return next, next, skip
}

// preceding is what stands before an anchor in every match of any format, or nil
// where that is not known.
func preceding(formats []Format) *lex.Class {
	var all lex.Class
	for _, f := range formats {
		switch {
		case len(f.Left) == 0 && f.Loose, len(f.Left) > 0 && f.Left[0].Set != nil && f.Left[0].Min == 0:
			return nil
		case len(f.Left) == 0:
			all.Join(lex.BeforeToken)
		case f.Left[0].Set == nil:
			b := f.Left[0].Lit[len(f.Left[0].Lit)-1]
			all[b] = true
			all[lex.ToUpper(b)] = all[lex.ToUpper(b)] || f.Fold
		default:
			all.Join(f.Left[0].Set)
		}
	}
	return &all
}

// Spread gives lit with each byte of next behind it.
func Spread(lit string, next *lex.Class) []string {
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
