package prefilter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/safety/internal/lex"
)

// testFilter is a filter for keywords such as the rules have: of three bytes and
// more, in either case and in one, with and without a context.
func testFilter() *Filter {
	var keywords []Keyword
	for k, literal := range strings.Fields("sk- ghp_ key token password secret authorization akia eyj -----begin @ab s.a t1. \u5bc6\u7801 private_key") {
		keywords = append(keywords, Keyword{Literal: literal, Fold: k%2 == 0, Rule: k})
	}
	keywords = append(keywords, Keyword{Literal: "lin_api_", Rule: 90, Context: Context{Next: lex.Alnum}},
		Keyword{Literal: "ab1", Rule: 91, Context: Context{Prev: lex.Digits}}, Keyword{Literal: "xyz", Rule: 92, Context: Context{Next: lex.Digits}})
	return New(keywords)
}

// texts are every keyword in several surroundings, and repetitions.
func texts() []string {
	var all []string
	for _, k := range testFilter().Keywords {
		for _, around := range []string{"", " ", "5", "a", "=", "\xff", "\n> ", "密"} {
			all = append(all, around+k.Literal+around, strings.Repeat(around+k.Literal, 20), strings.Repeat("some words ", 3)+around+k.Literal+"9 and more words")
		}
	}
	return append(all, "", "k", "ke", strings.Repeat("key", 500), strings.Repeat("s.", 100))
}

// candidates are all that batch after batch gives for s.
func candidates(f *Filter, s string) []Candidate {
	var all []Candidate
	var found Batch
	for i := 0; i < len(s); {
		var n int
		n, i = f.Scan(s, i, &found)
		all = append(all, found[:n]...)
	}
	return all
}

// missing is a keyword that stands in s where the candidates have no place for it.
func missing(f *Filter, s string, found []Candidate) string {
	at := map[int]bool{}
	for _, c := range found {
		at[int(c.At)] = true
	}
	for i := range f.Keywords {
		k := &f.Keywords[i]
		for start := range len(s) {
			end := start + len(k.Literal)
			if !k.Matches(s, start) || start > 0 && k.Prev != nil && !k.Prev[s[start-1]] || end < len(s) && k.Next != nil && !k.Next[s[end]] {
				continue
			}
			if !at[start+k.Off] {
				return k.Literal
			}
		}
	}
	return ""
}

func TestEveryKeywordInATextIsACandidate(t *testing.T) {
	f := testFilter()
	for _, s := range texts() {
		require.Empty(t, missing(f, s, candidates(f, s)), "%q", s)
	}
}

func TestCandidatesComeInOrderAndOnlyOnce(t *testing.T) {
	f := testFilter()
	for _, s := range texts() {
		last := int32(-1)
		for _, c := range candidates(f, s) {
			require.Greater(t, c.At, last, "%q", s)
			last = c.At
		}
	}
}

func TestOrdinaryTextHasFewCandidates(t *testing.T) {
	require.Less(t, len(candidates(testFilter(), sample)), len(sample)/20)
}

func FuzzFilter(f *testing.F) {
	for _, s := range texts() {
		f.Add(s)
	}
	filter := testFilter()
	f.Fuzz(func(t *testing.T, s string) {
		require.Empty(t, missing(filter, s, candidates(filter, s)))
	})
}
