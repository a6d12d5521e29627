package detect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/safety/internal/prefilter"
	"candor/safety/internal/rule"
)

// places returns all candidates that the filter finds in s, batch after batch.
func places(f *prefilter.Filter, s string) []prefilter.Candidate {
	var all []prefilter.Candidate
	var found prefilter.Batch
	for i := 0; i < len(s); {
		var n int
		n, i = f.Scan(s, i, &found)
		all = append(all, found[:n]...)
	}
	return all
}

// mayStand reports whether the bytes beside a keyword allow for a match.
func mayStand(a *prefilter.Keyword, s string, at int) bool {
	end := at + len(a.Literal)
	return (at == 0 || a.Prev == nil || a.Prev[s[at-1]]) && (end == len(s) || a.Next == nil || a.Next[s[end]])
}

// covers reports whether found is in order and holds every place where a keyword
// may start, given what may stand beside it.
func covers(f *prefilter.Filter, s string, found []prefilter.Candidate) bool {
	k := 0
	for i := 0; i+3 <= len(s); i++ {
		if k < len(found) && int(found[k].At) == i {
			k++
			continue
		}
		for _, a := range f.KeywordsAt(prefilter.Trigram(s, i)) {
			if a.Gram == prefilter.Trigram(s, i) && a.Matches(s, i-a.Off) && mayStand(&a, s, i-a.Off) {
				return false
			}
		}
	}
	return k == len(found)
}

func TestTheFilterMissesNoKeyword(t *testing.T) {
	f := New(allRules()).filter
	for _, s := range append(seeds(), strings.Repeat("token ", 500), strings.Repeat("key", 500), "", "k", "ke") {
		require.True(t, covers(f, s, places(f, s)))
	}
	for _, a := range f.Keywords {
		require.True(t, a.Matches("x"+a.Literal, 1))
		require.True(t, covers(f, "x"+a.Literal+"y", places(f, "x"+a.Literal+"y")))
	}
}

func FuzzFilter(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	filter := New(allRules()).filter
	f.Fuzz(func(t *testing.T, s string) {
		require.True(t, covers(filter, s, places(filter, s)), "the filter misses a keyword")
	})
}

func TestAKeywordCountsOnlyAsAWhole(t *testing.T) {
	for _, keyword := range []string{"qzw_vault", "qzw_vault_of_keys", "qzwx", "qzw_vaul"} {
		d := New([]rule.Rule{{ID: "x", Specificity: rule.ByContext, Keywords: []string{keyword},
			Match: func(_ string, at, end int) (int, int) { return at, end }}})
		for _, behind := range []string{"", " and a long rest of the text"} {
			require.Len(t, d.Inspect("a "+keyword+behind, nil), 1, "%q", keyword+behind)
			for k := range keyword {
				other := keyword[:k] + "#" + keyword[k+1:]
				require.Empty(t, d.Inspect("a "+other+behind, nil), "%q", other+behind)
			}
		}
	}
}
