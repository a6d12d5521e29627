package rule

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/prefilter"
)

// Specificity says how much a rule knows about what it matches. Where matches overlap,
// the marker names the rule of the highest specificity.
type Specificity uint8

const (
	FlagOnly   Specificity = iota // reports a finding and masks nothing
	ByName                        // a value beside a name such as password
	ByContext                     // a value whose shape and neighbouring words agree
	ByShape                       // a token that identifies itself
	WholeBlock                    // a complete block, such as a private key
)

// Rule describes one kind of text to find. Rules are data and are not modified once a
// detector uses them. The package comment explains how Hits and Misses prove a rule.
type Rule struct {
	// ID names the rule in findings and markers. It is unique and does not change.
	ID string
	// Specificity decides which rule names a marker where matches overlap.
	Specificity Specificity
	// Keywords are literals of at least three bytes; every match contains one of them.
	Keywords []string
	// Fold makes keywords match in either case.
	Fold bool
	// LongWords makes the keywords count only in words of at least 24 characters, such as
	// tokens. They cost other text nothing, however many and short they are.
	LongWords bool
	// Severity says what happens to a match; "" means High.
	Severity Severity
	// Neutralise puts a visible escape into each match of a rule of Low or Medium severity.
	Neutralise bool
	// EscapeBefore puts the escape of Neutralise before the match, not inside it.
	EscapeBefore bool
	// Match is called at each keyword whose Context fits, unless Word is set.
	Match Matcher
	// Word, if not nil, replaces Match: it judges the whole word that contains a keyword.
	Word *Word
	// MaxGap is how many bytes after the keyword Match may examine. A stream that holds
	// fewer waits for more text, unless Open is set.
	MaxGap int
	// Lookahead bounds the bytes that Match examines after the start of the keyword, when
	// it finds nothing. Before the keyword it examines lex.Lookbehind at most. 0 means
	// that there is no such bound.
	Lookahead int
	// Open reports whether more text after the end of s could change what Match returns.
	// It serves streams, which hold back such text; nil means that MaxGap decides.
	Open func(s string, at, end int) bool
	// IsFull reports whether the token that Match finds at the keyword at index at has
	// exactly the greatest length that its formats allow, so that no text behind a line
	// end belongs to it. It serves tokens of a known length; nil means that a token may
	// always go on.
	IsFull func(s string, at int) bool
	// Context is what surrounds a keyword in every match.
	prefilter.Context
	// Hits are templates of texts that the rule must find.
	Hits []string
	// Misses are texts that the rule must leave alone.
	Misses []string
}

// Matcher returns the part of s to mask, given a keyword at s[at:end]. A result with
// to <= from means that there is none. A Matcher examines only the neighbourhood of the
// keyword, so that the cost of a scan stays linear in the length of s.
type Matcher func(s string, at, end int) (from, to int)

// Word judges the word that contains a keyword instead of the keyword itself, so that a
// word with several keywords is judged only once.
type Word struct {
	// End returns the end of the word that contains a keyword at index at.
	End func(s string, at int) int
	// Match is a Matcher for the word that ends at end. The word starts at or after low.
	// The last argument tells whether there is a decimal digit near by.
	Match func(s string, low, at, end int, digits bool) (from, to int)
	// Before and Behind are how many bytes in front of a keyword and behind its word are near.
	Before, Behind int
}

// Costly is returned as both offsets by a [Matcher] that found nothing after it examined
// its whole lookahead. The detector then skips repetitions of the same text.
const Costly = -1

// Isolated returns a rule that ignores matches next to + or /. It is for tokens with a
// prefix so short that base64 contains it by chance.
func (r Rule) Isolated() Rule {
	match := r.Match
	r.Match = func(s string, at, end int) (int, int) {
		from, to := match(s, at, end)
		if to > from && (from > 0 && (s[from-1] == '+' || s[from-1] == '/') || to < len(s) && s[to] == '+') {
			return 0, 0
		}
		return from, to
	}
	return r
}

// WithLookahead returns a rule whose Lookahead is limit. The caller guarantees that Match
// examines no more bytes than that where it finds nothing. The rule reports every miss as
// Costly, so that repeated text is judged once.
func (r Rule) WithLookahead(limit int) Rule {
	match := r.Match
	r.Lookahead = limit
	r.Match = func(s string, at, end int) (int, int) {
		from, to := match(s, at, end)
		if to <= from {
			return Costly, Costly
		}
		return from, to
	}
	return r
}

// Except returns a rule with more Misses: texts that it must leave alone.
func (r Rule) Except(misses ...string) Rule {
	r.Misses = append(r.Misses, misses...)
	return r
}

// Token returns a rule for tokens that identify themselves by their format. Its hits are
// the formats.
func Token(id string, formats ...string) Rule { return TokenOf(id, Format{}, nil, formats) }

// RandomToken returns a token rule for a prefix that is common in other texts: what
// follows it must look generated.
func RandomToken(id string, formats ...string) Rule {
	return TokenOf(id, Format{}, lex.LooksGenerated, formats)
}

// LooseToken returns a token rule for a prefix so rare that the token may also start
// inside a word.
func LooseToken(id string, formats ...string) Rule {
	return TokenOf(id, Format{Loose: true}, nil, formats)
}

// Link returns a token rule for URLs that grant access to anyone who knows them, such as
// webhooks. The formats begin with the host; a scheme before it is masked, too.
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

// FoldToken returns a token rule whose literals match in either case.
func FoldToken(id string, formats ...string) Rule {
	return TokenOf(id, Format{Fold: true}, nil, formats)
}

// ExactToken returns a token rule for formats of a fixed length. A longer run is no match,
// except for one extra byte, such as a letter of the surrounding text.
func ExactToken(id string, formats ...string) Rule {
	return TokenOf(id, Format{Exact: true, AllowExtra: true}, nil, formats)
}

// TokenOf returns a rule for tokens of the formats specs, with the flags of how. If pass
// is not nil, it must accept the variable part of the token. TokenOf panics if a format
// does not parse.
func TokenOf(id string, how Format, pass func(string) bool, specs []string) Rule {
	r := Rule{ID: id, Specificity: ByShape, Fold: how.Fold, Hits: specs}
	var formats []Format
	for _, spec := range specs {
		f := MustFormat(spec)
		f.Loose, f.Exact, f.AllowExtra = how.Loose, how.Exact, how.AllowExtra
		if how.Fold {
			f = f.Folded()
		}
		formats = append(formats, f)
		r.Keywords = append(r.Keywords, keywordsOf(f)...)
	}
	r.Keywords = shortest(r.Keywords)
	r.Prev = preceding(formats)
	r.Next, r.Far, r.Skip = following(formats)
	sets := newFormatSets(formats)
	r.Match = func(s string, at, _ int) (from, to int) {
		for k := range sets {
			if from, to = sets[k].match(s, at, pass); to > 0 {
				break
			}
		}
		return from, to
	}
	r.IsFull = func(s string, at int) bool {
		for k := range sets {
			if from, to := sets[k].match(s, at, pass); to > 0 {
				return to-from == longest(sets, s, at)
			}
		}
		return false
	}
	return r
}

// keywordsOf returns the keywords of f. A keyword of two bytes is too short for the
// prefilter; it is replaced by all of its continuations.
func keywordsOf(f Format) []string {
	if len(f.keyword) >= 3 {
		return []string{f.keyword}
	}
	return Spread(f.keyword, f.Right[0].Set)
}

// following returns the class of the byte after a keyword in every match of any of the
// formats, and the class of the byte skip positions after that, where the shortest run
// ends. It returns nil if a format allows any byte after its keyword.
func following(formats []Format) (next, far *lex.Class, skip int) {
	next, skip = &lex.Class{}, MaxTail
	for _, f := range formats {
		lead := 0
		if len(f.keyword) < 3 { // keywordsOf has appended the first byte of the run
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

// preceding returns the class of the byte before a keyword in every match of any of the
// formats, or nil if a format allows any byte there.
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

// Spread returns lit followed by each byte of next, in the order of the bytes.
func Spread(lit string, next *lex.Class) []string {
	var all []string
	for b := range next {
		if next[b] {
			all = append(all, lit+string(rune(b)))
		}
	}
	return all
}

// shortest returns lits without the duplicates and without those that begin with another.
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
