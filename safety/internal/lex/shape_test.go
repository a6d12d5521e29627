package lex

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheShapeOfAValueTellsWordsFromGeneratedOnes(t *testing.T) {
	for name, c := range map[string]struct {
		holds        func(string) bool
		hits, misses []string
	}{
		"Random": {
			Random,
			[]string{"g1h2j3k4m5n6p7q8", "abcdefghijklmno1"},
			[]string{
				"g1h2j3k4m5n6p7q", "abcdefghijklmnop", "0123456789abcdef0123", "g1g1g1g1g1g1g1g1",
				"a1.b2.c3.d4.e5.f6.", "1234567890.12345",
			},
		},
		"LooksGenerated": {LooksGenerated, []string{"aBcDeF", "g1h2j3k4m5n6p7q8"}, []string{"userName", "password"}},
		"LooksGeneratedInBothCases": {
			LooksGeneratedInBothCases,
			[]string{"G1h2J3k4m5n6p7q8"},
			[]string{"g1h2j3k4m5n6p7q8", "G1h2j3k4m5n6p7q8", "aBcDeF"},
		},
		"NotWords":      {NotWords, []string{"xkcdqwrtz", "aBcDeF"}, []string{"userName", "correct-horse"}},
		"Scrambled":     {Scrambled, []string{"aBcDeFgHiJ"}, []string{"aBcDeFgHi", "someUserName", "password12"}},
		"MixedCase":     {MixedCase, []string{"abCD", "UserName"}, []string{"abC", "ABc", "ab12"}},
		"Pronounceable": {Pronounceable, []string{"token", "correcthorse", "xyz", "the"}, []string{"strngthsx", "bcdfgahjklm"}},
		"Placeholder": {
			Placeholder,
			[]string{
				"", "xxxx", "****", "sk-XXXXXXXXXXXX", "aaaaaaaa", "$TOKEN", "${TOKEN}", "$(cat x)", "{{ .x }}",
				"<token>", "[token]",
				"%s", "%TOKEN%", "@token@", "!vault", "!vault x", "my-Example-key", "YOUR_key", "abChangeMe",
				"abcabcxxxxxxab",
				"12" + strings.Repeat("7", 30) + "12", MarkerPrefix + "x]",
			},
			[]string{
				"hunter2", "aaaaaaa", "$TOKEN-1", "%sword", "@token", "!pass1word", "exampl", "xxxxxab",
				"p" + strings.Repeat("A", 30) + "p",
			},
		},
	} {
		for _, v := range c.hits {
			assert.True(t, c.holds(v), "%s: %q", name, v)
		}
		for _, v := range c.misses {
			assert.False(t, c.holds(v), "%s: %q", name, v)
		}
	}
}

func TestAFillerIsSeenWhereverItStands(t *testing.T) {
	for _, filler := range fillers {
		for shift := range 2 * fillerStep {
			text := "qwertzuiop"[:shift] + strings.ToUpper(filler) + "q"
			assert.True(t, Placeholder(text), "%q", text)
		}
	}
}

func TestWordsOfNamesAndPathsAreCounted(t *testing.T) {
	for text, want := range map[string]struct {
		n             int
		hyphen, slash bool
	}{
		"userName": {2, false, false}, "correct-horse": {2, true, false}, "server/token_store.go": {4, false, true},
		"server/token_store": {3, false, true}, "APIKeyStorage": {3, false, false}, "user2Name": {2, false, false},
		"user name": {0, false, false}, "xkcdqwrtz": {0, false, false}, "aB": {0, false, false},
		"the/of/it":         {0, false, false},
		"abcabcabcabcabcab": {0, false, false}, "": {0, false, false},
	} {
		n, hyphen, slash := WordsIn(text)
		assert.Equal(t, want, struct {
			n             int
			hyphen, slash bool
		}{n, hyphen, slash}, "%q", text)
	}
}
