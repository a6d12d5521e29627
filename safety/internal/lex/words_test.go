package lex

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVocabularyHasItsWordsInAnyCaseAndNoOthers(t *testing.T) {
	v := WordSet("pass password passphrase key a b64 sixteenletters16")
	for _, word := range []string{
		"pass", "PASS", "Password", "passPhrase", "KEY", "a", "A", "B64", "SixteenLetters16",
	} {
		assert.True(t, v.Has(word), word)
	}
	for _, word := range []string{
		"", "b", "pas", "passw", "keys", "p\u0131ss", "passwore", "paszword", "passphrasf",
		"sixteenletters1", "seventeenletter17",
	} {
		assert.False(t, v.Has(word), word)
	}
	assert.Panics(t, func() { WordSet("seventeenletters7") })
	many := make([]string, 400) // enough to share slots
	for i := range many {
		many[i] = fmt.Sprint("word", i)
	}
	v = WordSet(strings.Join(many, " "))
	for _, word := range many {
		assert.True(t, v.Has(word), word)
	}
}

func TestVocabularyCombinesTheKindsOfAWord(t *testing.T) {
	v := NewVocabulary(map[WordKind]string{1: "key token", 2: "token id", 4: "id token"})
	for word, want := range map[string]WordKind{"key": 1, "TOKEN": 7, "Id": 6, "tokens": 0} {
		assert.Equal(t, want, v.Kind(word), word)
	}
}

func TestWordBreakSplitsCamelCase(t *testing.T) {
	for _, want := range []string{
		"api", "api Key", "API Key", "my API Key", "API", "key2 A", "A B1", "get URL", "snake_case",
	} {
		name := strings.ReplaceAll(want, " ", "")
		got := name[:1]
		for i := 1; i < len(name); i++ {
			if WordBreak(name, i, len(name)) {
				got += " "
			}
			got += name[i : i+1]
		}
		assert.Equal(t, want, got)
	}
	assert.False(t, WordBreak("apiKey", 3, 3), "the end of a name starts no word")
}

func TestLeadingPairsHoldsTheFirstTwoLettersOfEveryWord(t *testing.T) {
	pairs := LeadingPairs("is equals a")
	for _, pair := range []string{"is", "IS", "eq", "Eq", "a ", "a\t"} {
		assert.True(t, pairs.May(pair[0], pair[1]), pair)
	}
	for _, pair := range []string{"si", "it", "as", "qe", "a-"} {
		assert.False(t, pairs.May(pair[0], pair[1]), pair)
	}
}
