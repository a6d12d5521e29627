package lex

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPlaceholdersAreNotSecrets(t *testing.T) {
	for _, v := range []string{
		"", "xxxx", "****", "0000", "aaaaaaaa", "sk-xxxxxxxxxxxx", "key-************",
		"$", "$TOKEN", "${TOKEN}", "$(cat token)", "{{ token }}", "<token>", "[token]", "%s", "%TOKEN%", "@token@",
		"!vault", "!vault |", "[REDACTED:named-password]",
		"my-Example-value", "aYOUR-key", "abyour_key", "abcyourapikey", "pLaCeHoLdEr", "k9.CHANGEME.k9", "q1redactedq1",
		"zz......zz", "ab0123456789", "insert_here", "q-insert-q",
		"k1" + strings.Repeat("z", 24) + "9",
	} {
		assert.True(t, Placeholder(v), v)
	}
}

func TestOrdinaryValuesAreNotPlaceholders(t *testing.T) {
	for _, v := range []string{
		"hunter2", "aaaaaaa", "sk-xxxxx", "$TOKEN-9", "%s and more", "@token", "!", "!9", "!vaults9", "exampel",
		"k1" + strings.Repeat("A", 24) + "9", "k1" + strings.Repeat("Q", 24) + "9", // zeros in base64 and bech32
		strings.Repeat("q7", 50) + "example", // past the bytes that are examined
	} {
		assert.False(t, Placeholder(v), v)
	}
}

func TestEveryFillerIsFoundAtEveryOffset(t *testing.T) {
	for _, filler := range fillers {
		for n := range 12 {
			v := strings.Repeat("q7", 6)[:n] + strings.ToUpper(filler) + "q7"
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
