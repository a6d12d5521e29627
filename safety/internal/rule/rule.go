package rule

import (
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
