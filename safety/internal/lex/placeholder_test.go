package lex

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPlaceholdersAreNotSecrets(t *testing.T) {
	for _, v := range []string{
		"", "xxxx", "****", "0000", "00000000-0000-0000-0000-000000000000", "xxxx-xxxx", "••••", "…",
		"sk-xxxxxxxxxxxx", "key-************", "sk-proj-xxxx-q1-xxxx", "xxxx_q1",
		"sk-ant-...", "ghp_…", "AKIA...", "k_xxxx", "sk-xxxxx", "Bearer ...", "bearer ${TOKEN}",
		"$", "$TOKEN", "${TOKEN}", "$(cat token)", "{{ token }}", "<token>", "[token]", "%s", "%TOKEN%", "@token@",
		"!vault", "!vault |", "!vault_ref app/db", "[REDACTED:named-password]",
		"my-Example-value", "aYOUR-key", "abyour_key", "abcyourapikey", "pLaCeHoLdEr", "k9.CHANGEME.k9", "q1redactedq1",
		"zz......zz", "insert_here", "q-insert-q", "example", "example.com", "q1.example", "myExample", "exampleKey1",
	} {
		assert.True(t, Placeholder(v), v)
	}
}

func TestOrdinaryValuesAreNotPlaceholders(t *testing.T) {
	for _, v := range []string{
		"hunter2", "aaaaaaa", "sk-xxx", "$TOKEN-9", "%s and more", "@token", "!", "!9", "!vaults9", "exampel",
		strings.Repeat("a", 36), "k1" + strings.Repeat("z", 24) + "9", "k1" + strings.Repeat("0", 24),
		"abcdefghijklmnopqrstuvwxyz", "0123456789abcdef",
		"k17EXAMPLE", "q1EXAMPLEKEY", "example1", "examples", "tr0ub4dor...", "tr0ub4dor…",
		strings.Repeat("q7", 50) + "example", // past the bytes that are examined
	} {
		assert.False(t, Placeholder(v), v)
	}
}

func TestEveryFillerIsFoundAtEveryOffset(t *testing.T) {
	for _, filler := range fillers {
		for n := range 12 {
			v := strings.Repeat("q7", 6)[:n] + strings.ToUpper(filler) + "q7"
			if filler == wordFiller {
				v = strings.Repeat("q.", 6)[:n/2*2] + filler + ".q7"
			}
			assert.True(t, Placeholder(v), v)
		}
	}
}

func TestBenignWordsAreKnownInAnyCase(t *testing.T) {
	for _, word := range []string{"true", "TRUE", "managed", "same-origin", "Authentication"} {
		assert.True(t, Benign.Has(word), word)
	}
	assert.False(t, Benign.Has("hunter2"))
}
