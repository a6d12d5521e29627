package secrets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/rule"
	"candor/safety/internal/ruletest"
)

func TestEveryMatcherFindsTheHitsOfItsRule(t *testing.T) {
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			require.NotEmpty(t, r.Hits)
			for k, template := range r.Hits {
				hit := ruletest.Hit(&r, template, uint64(k))
				if r.ID == "typeform-token" && strings.HasSuffix(template, "}.") {
					continue // its alphabet has the full stop; typeform-api-token finds it
				}
				for _, before := range []string{"", "the log said:\n", "密钥 "} {
					assert.NotEmpty(t, ruletest.Matches(&r, before+hit), "hit %d, %q, behind %q", k, template, before)
				}
			}
		})
	}
}

// The examples of a rule cannot show that the rule itself is missing.
func TestRulesCoverEveryFamily(t *testing.T) {
	var ids []string
	for _, r := range Rules() {
		ids = append(ids, r.ID)
	}
	assert.Subset(t, ids, []string{
		"private-key", "private-key-block", "private-key-rest", "putty-private-key", "jwk-private-part", "jwt",
		"jwt-like", "dsn-password", "bearer-token", "basic-auth", "auth-header", "cookie", "named-password",
		"foreign-password", "command-secret", "crypto-private-key", "curl-auth-user", "kubernetes-secret",
		"openai-api-key", "anthropic-key", "openrouter-api-key", "huggingface-token", "google-ai-key",
		"github-pat", "gitlab-pat", "npm-token", "docker-pat", "atlassian-api-token", "sentry-access-token",
		"aws-access-key-id", "aws-secret-access-key", "google-api-key", "azure-client-secret", "vault-service-token",
		"digitalocean-pat", "slack-token", "stripe-api-key", "twilio-api-key", "sendgrid-api-key",
		"shopify-access-token",
	})
	assert.Greater(t, len(ids), 250)
}

func TestNoMatcherFindsTheMissesOfItsRule(t *testing.T) {
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			for _, miss := range r.Misses {
				assert.Empty(t, ruletest.Matches(&r, miss), "%q", miss)
			}
		})
	}
}

// A full stop at the end of a token may be the sentence's, and a digit behind a hyphen
// a suffix: up to two bytes may stay.
func TestAMatchCoversATokenAndNothingAroundIt(t *testing.T) {
	for _, r := range Rules() {
		if r.Specificity != rule.ByShape {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			for k, template := range r.Hits {
				token := ruletest.Hit(&r, template, uint64(k))
				for _, around := range [][2]string{{"(", ")"}, {`"`, `",`}, {"是 ", "。"}, {"key: ", "\n"}} {
					longest := ""
					for _, found := range ruletest.Matches(&r, around[0]+token+around[1]) {
						assert.Contains(t, token, found, "hit %d, %q, between %q", k, template, around)
						if len(found) > len(longest) {
							longest = found
						}
					}
					assert.GreaterOrEqual(t, len(longest)+2, len(token), "hit %d, %q, between %q", k, template, around)
				}
			}
		})
	}
}

func TestRulesHaveUniqueNamesAndKeywordsOfThreeBytes(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		assert.False(t, seen[r.ID], "two rules are called %s", r.ID)
		seen[r.ID] = true
		require.NotEmpty(t, r.Keywords, r.ID)
		for _, keyword := range r.Keywords {
			assert.GreaterOrEqual(t, len(keyword), 3, "%s: the filter needs three bytes", r.ID)
		}
	}
}

// A stream masks a text piece by piece: where a block or a header is not open, what its
// rule says of a text that ends early must be what it says of the whole.
func TestABlockIsOpenWhereMoreTextWouldChangeItsMatch(t *testing.T) {
	blocks := map[string]bool{
		"private-key": true, "private-key-block": true, "putty-private-key": true,
		"auth-header": true, "cookie": true, "kubernetes-secret": true,
	}
	for _, r := range Rules() {
		if !blocks[r.ID] {
			continue
		}
		delete(blocks, r.ID)
		t.Run(r.ID, func(t *testing.T) {
			for k, template := range r.Hits {
				text := ruletest.Hit(&r, template, uint64(k))
				for cut := range len(text) {
					ruletest.EachKeyword(&r, text[:cut], func(at, end int) {
						if r.Open(text[:cut], at, end) {
							return
						}
						from, to := r.Match(text[:cut], at, end)
						wholeFrom, wholeTo := r.Match(text, at, end)
						assert.Equal(t, text[wholeFrom:wholeTo], text[from:to], "%q cut at %d", template, cut)
					})
				}
			}
		})
	}
	assert.Empty(t, blocks, "no such rules")
}
