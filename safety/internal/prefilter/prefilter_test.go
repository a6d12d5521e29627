package prefilter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/safety/internal/lex"
)

// testLiterals are keywords of three bytes and more.
const testLiterals = "sk- ghp_ key token password secret authorization akia eyj -----begin @ab s.a t1. " +
	"\u5bc6\u7801 private_key"

// testFilter returns a filter for keywords like those of the rules, with and without
// case folding and a context.
func testFilter() *Filter {
	var keywords []Keyword
	for k, literal := range strings.Fields(testLiterals) {
		keywords = append(keywords, Keyword{Literal: literal, Fold: k%2 == 0, Rule: k})
	}
	return New(append(keywords,
		Keyword{Literal: "lin_api_", Rule: 90, Context: Context{Next: lex.Alnum}},
		Keyword{Literal: "ab1", Rule: 91, Context: Context{Prev: lex.Digits}},
		Keyword{Literal: "xyz", Rule: 92, Context: Context{Next: lex.Digits}},
	))
}

// texts returns every keyword in several surroundings, and repetitions of it.
func texts() []string {
	var all []string
	for _, k := range testFilter().Keywords {
		for _, around := range []string{"", " ", "5", "a", "=", "\xff", "\n> ", "密"} {
			all = append(all, around+k.Literal+around, strings.Repeat(around+k.Literal, 20),
				strings.Repeat("some words ", 3)+around+k.Literal+"9 and more words")
		}
	}
	return append(all, "", "k", "ke", strings.Repeat("key", 500), strings.Repeat("s.", 100))
}

// candidates returns the candidates of s from all batches.
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

// missing returns a keyword that stands in s, in its context, without a candidate, or "".
func missing(f *Filter, s string, found []Candidate) string {
	at := map[int]bool{}
	for _, c := range found {
		at[int(c.At)] = true
	}
	for i := range f.Keywords {
		k := &f.Keywords[i]
		for start := range len(s) {
			end := start + len(k.Literal)
			fits := k.Matches(s, start) &&
				(start == 0 || k.Prev == nil || k.Prev[s[start-1]]) &&
				(end >= len(s) || k.Next == nil || k.Next[s[end]])
			if fits && !at[start+k.Off] {
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

func TestCandidatesAreInOrderWithoutDuplicates(t *testing.T) {
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

func TestMatchesComparesTheWholeKeyword(t *testing.T) {
	for _, c := range []struct {
		literal string
		fold    bool
		text    string
		at      int
		want    bool
	}{
		{"key", false, "a key", 2, true}, // compared byte by byte near the end of a text
		{"key", false, "a key and more", 2, true},
		{"key", false, "a KEY and more", 2, false},
		{"key", true, "a KEY and more", 2, true},
		{"key", true, "a KEY", 2, true},
		{"k-y", true, "a k\ry and more", 2, false}, // case folding must not confuse - with a control character
		{"private_key", false, "private_key", 0, true},
		{"private_key", false, "private_kez", 0, false},
		{"private_key", true, "PRIVATE_KEY", 0, true},
		{"private_key", true, "PRIVATE_KEz", 0, false},
		{"key", false, "a ke", 2, false},
		{"key", false, "key", -1, false},
	} {
		f := New([]Keyword{{Literal: c.literal, Fold: c.fold}})
		require.Equal(t, c.want, f.Keywords[0].Matches(c.text, c.at), "%s in %q", c.literal, c.text)
	}
}

func TestFitsChecksTheBytesAroundAKeyword(t *testing.T) {
	c := Context{Prev: lex.Digits, Far: lex.Alnum, Skip: 2}
	for text, want := range map[string]bool{
		"1key--a": true, "1key--": false, "1key---": false, "xkey--a": false, "1key--ab": true,
	} {
		require.Equal(t, want, c.Fits(text, 1, 4), text)
	}
	require.True(t, c.Fits("key--a", 0, 3), "a keyword may start the text")
	require.True(t, new(Context).Fits("xkey", 1, 4), "an empty context allows everything")
}

func TestKeywordsAtReturnsEveryKeywordOfItsTrigram(t *testing.T) {
	f := testFilter()
	for _, k := range f.Keywords {
		require.Equal(t, Trigram(k.Literal, k.Off), k.Gram, k.Literal)
		require.Contains(t, f.KeywordsAt(k.Gram), k)
	}
	f = New([]Keyword{{Literal: "key", Rule: 1}, {Literal: "key", Fold: true, Rule: 2}, {Literal: "Key", Rule: 3}})
	require.Len(t, f.KeywordsAt(f.Keywords[0].Gram), 3, "several keywords may share a trigram")
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
