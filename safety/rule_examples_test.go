package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/rule"
)

func found(r Report, id string) bool {
	for _, f := range r.Findings {
		if f.Rule == id {
			return true
		}
	}
	return false
}

// what may stand after a token, in prose, code, markup and other scripts.
var followers = []string{"", " ", ".", ",", ")", "]", ">", "&", `"`, "'", "`", ";", ":", "!", "?", "}", "|", "\n",
	"\t", "。", "，", "的", "」", "…", "<", "@", "#", "*", "\\n", "%20"}

func TestEveryRuleFindsItsHits(t *testing.T) {
	eachRule(t, func(t *testing.T, l *Layer, r *rule.Rule) {
		for k, h := range r.Hits {
			hit := hitOf(r, h, uint64(k))
			for _, text := range []string{hit, "I checked it:\n" + hit} {
				out, report := l.Mask(text)
				require.NotEmpty(t, report.Findings, "hit %d is not found", k)
				if r.Specificity != rule.FlagOnly {
					require.True(t, strings.Contains(out.String(), "[REDACTED:") || r.Action() == rule.Sanitize,
						"hit %d is not masked", k)
				}
			}
		}
	})
}

func TestATokenEndsWhereItsAlphabetEnds(t *testing.T) {
	eachRule(t, func(t *testing.T, l *Layer, r *rule.Rule) {
		if r.Specificity != rule.ByShape {
			return
		}
		for k, h := range r.Hits {
			token := hitOf(r, h, uint64(k))
			for _, before := range []string{"", "the key ", "(", `"`, "=", "密钥", "`", "\\n", "%3D"} {
				for _, after := range followers {
					if after == "%20" && strings.Contains(h, "{%") {
						continue // part of its alphabet
					}
					out, report := l.Mask(before + token + after)
					require.Equal(t, Redacted, report.Verdict, "hit %d before %q is not masked", k, after)
					require.False(t, leaked(out.String(), token[6:], 8), "hit %d before %q leaks", k, after)
					require.True(t, strings.HasSuffix(out.String(), after) || after == "\\n",
						"hit %d: what follows is lost: %q", k, after)
				}
			}
		}
	})
}

func TestNoRuleFiresOnItsMisses(t *testing.T) {
	eachRule(t, func(t *testing.T, l *Layer, r *rule.Rule) {
		for _, miss := range r.Misses {
			out, report := l.Mask(miss)
			assert.False(t, found(report, r.ID), "%q", miss)
			assert.NotEqual(t, Redacted, report.Verdict, "%q became %q", miss, out)
		}
	})
}

func TestEveryRuleHasExamplesAndItsOwnID(t *testing.T) {
	ids := map[string]bool{}
	for _, r := range NewLayer().detector.Rules {
		if r.ID == "secret-field" || r.ID == "known-secret" || r.ID == "invisible-text" || r.ID == seenBefore {
			continue
		}
		if ids[r.ID] && r.Hits == nil {
			continue // finds the tokens of another rule in disguise
		}
		require.NotEmpty(t, r.Hits, r.ID)
		require.False(t, ids[r.ID], "two rules are called %s", r.ID)
		ids[r.ID] = true
		for _, a := range r.Keywords {
			require.GreaterOrEqual(t, len(a), 3, r.ID)
		}
	}
}

func TestAMarkerContainsNoPartOfTheSecret(t *testing.T) {
	eachRule(t, func(t *testing.T, l *Layer, r *rule.Rule) {
		for k, h := range r.Hits {
			if r.Specificity == rule.ByShape {
				token := strings.ToLower(hitOf(r, h, uint64(k)))
				assert.False(t, leaked("[redacted:"+r.ID+"]", token, 4), "%s", h)
			}
		}
	})
}
