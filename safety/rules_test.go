package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
var followers = []string{"", " ", ".", ",", ")", "]", ">", "&", `"`, "'", "`", ";", ":", "!", "?", "}", "|", "\n", "\t", "。", "，", "的", "」", "…", "<", "@", "#", "*", "\\n", "%20"}

func TestEveryHitOfARuleIsFound(t *testing.T) {
	eachRule(t, func(t *testing.T, l *Layer, r *rule) {
		for k, h := range r.hits {
			hit := hitOf(r, h, uint64(k))
			for _, text := range []string{hit, "I checked it:\n" + hit} {
				out, report := l.Mask(text)
				require.NotEmpty(t, report.Findings, "hit %d is not found", k)
				if r.tier != tierFlag {
					require.True(t, strings.Contains(out.String(), "[REDACTED:") || r.action == Sanitize, "hit %d is not masked", k)
				}
			}
		}
	})
}

func TestATokenEndsWhereItsAlphabetEnds(t *testing.T) {
	eachRule(t, func(t *testing.T, l *Layer, r *rule) {
		if r.tier != tierToken {
			return
		}
		for k, h := range r.hits {
			token := hitOf(r, h, uint64(k))
			for _, before := range []string{"", "the key ", "(", `"`, "=", "密钥", "`", "\\n", "%3D"} {
				for _, after := range followers {
					if after == "%20" && strings.Contains(h, "{%") {
						continue // part of its alphabet
					}
					out, report := l.Mask(before + token + after)
					require.Equal(t, Redacted, report.Verdict, "hit %d before %q is not masked", k, after)
					require.False(t, leaked(out.String(), token[6:], 8), "hit %d before %q leaks", k, after)
					require.True(t, strings.HasSuffix(out.String(), after) || after == "\\n", "hit %d: what follows is lost: %q", k, after)
				}
			}
		}
	})
}

func TestNoRuleFiresOnItsMisses(t *testing.T) {
	eachRule(t, func(t *testing.T, l *Layer, r *rule) {
		for _, miss := range r.misses {
			out, report := l.Mask(miss)
			assert.False(t, found(report, r.id), "%q", miss)
			assert.NotEqual(t, Redacted, report.Verdict, "%q became %q", miss, out)
		}
	})
}

func TestEveryRuleIsProved(t *testing.T) {
	ids := map[string]bool{}
	for _, r := range NewLayer().detector.rules {
		if r.id == "secret-field" || r.id == "known-secret" || r.id == "invisible-text" {
			continue
		}
		require.NotEmpty(t, r.hits, r.id)
		require.False(t, ids[r.id], "two rules are called %s", r.id)
		ids[r.id] = true
		for _, a := range r.anchors {
			require.GreaterOrEqual(t, len(a), 3, r.id)
		}
	}
}

func TestAMarkerCarriesNothingOfTheSecret(t *testing.T) {
	eachRule(t, func(t *testing.T, l *Layer, r *rule) {
		for k, h := range r.hits {
			if r.tier == tierToken {
				token := strings.ToLower(hitOf(r, h, uint64(k)))
				assert.False(t, leaked("[redacted:"+r.id+"]", token, 4), "%s", h)
			}
		}
	})
}
