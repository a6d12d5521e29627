package detect

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/safety/internal/injection"
	"candor/safety/internal/rule"
	"candor/safety/internal/ruletest"
	"candor/safety/internal/secrets"
)

// allRules are the rules of a layer without a policy.
func allRules() []rule.Rule { return append(secrets.Rules(), injection.Rules()...) }

// seeds are every rule's hits and misses, alone and inside other text.
func seeds() []string { return ruletest.Seeds(allRules()) }

// forgetful returns a detector that caches no misses.
func forgetful() *Detector {
	rules := allRules()
	for i := range rules {
		rules[i].Lookahead = 0
	}
	return New(rules)
}

// agree fails unless both detectors have the same findings in s.
func agree(t *testing.T, d, anew *Detector, s string) {
	t.Helper()
	if !slices.Equal(d.spans(s, nil), anew.spans(s, nil)) {
		t.Fatalf("caching misses changes the findings in %d bytes", len(s))
	}
}

func TestARepeatedTextGivesTheFindingsOfEachPart(t *testing.T) {
	d, anew := New(allRules()), forgetful()
	for k, s := range seeds() {
		if s = s[:min(len(s), 300)]; k%3 > 0 {
			s += " "
		}
		agree(t, d, anew, strings.Repeat(s, 2400/max(1, len(s))+2))
	}
}

func TestARepetitionWithAnotherEndIsJudgedAnew(t *testing.T) {
	d, anew := New(allRules()), forgetful()
	password := ruletest.Fill("{a12}", 4)
	for _, unit := range []string{"x-api-key: ", "twitter_key=", "password ", "token: ", "the key is "} {
		for _, end := range []string{
			"", password, " " + password, `"` + password + `"`, "= " + password, "\n" + password,
			strings.Repeat(" ", 40) + password,
		} {
			agree(t, d, anew, strings.Repeat(unit, 200)+end)
			agree(t, d, anew, end+strings.Repeat(unit, 200)+end+strings.Repeat(unit, 200))
		}
	}
}

func TestAMatcherLooksNoFartherThanItsLookahead(t *testing.T) {
	l := New(allRules())
	for i := range l.Rules {
		r := &l.Rules[i]
		for k, h := range r.Hits {
			if r.Lookahead == 0 {
				continue
			}
			hit := ruletest.Hit(r, h, uint64(k))
			pad := strings.Repeat("filler ", 200)
			text := pad + hit + " " + pad
			for _, a := range r.Keywords {
				at := strings.Index(strings.ToLower(text), a)
				if at < 0 {
					continue
				}
				from, to := r.Match(text, at, at+len(a))
				near := text[:min(len(text), at+r.Lookahead)]
				f, e := r.Match(near, at, at+len(a))
				require.Equal(t, [2]int{from, to}, [2]int{f, e}, "%s: hit %d", r.ID, k)
			}
		}
	}
}

func FuzzRepetition(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s, "", uint8(9))
	}
	f.Add("x-api-key: ", "a", uint8(200))
	d, anew := New(allRules()), forgetful()
	f.Fuzz(func(t *testing.T, s, end string, n uint8) {
		agree(t, d, anew, strings.Repeat(s[:min(len(s), 200)], int(n))+end)
	})
}
