package lex

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAClassHoldsTheBytesItLists(t *testing.T) {
	c := NewClass("a-c_-")
	for b := range 256 {
		assert.Equal(t, strings.IndexByte("abc_-", byte(b)) >= 0, c[b], "%q", byte(b))
	}
	c.Join(NewClass("x"))
	assert.True(t, c['x'] && c['a'])
	assert.Equal(t, 3, c.Back("zzzabc", 6, 10))
	assert.Equal(t, 4, c.Back("zzzabc", 6, 2), "no more than max bytes")
	assert.Equal(t, 2, c.Run("zzz", 2, 10))
}

func TestBytesAreFoldedAndSortedAsInUnicode(t *testing.T) {
	for b := range byte(utf8.RuneSelf) {
		r := rune(b)
		assert.Equal(t, unicode.ToLower(r), rune(ToLower(b)))
		assert.Equal(t, unicode.ToUpper(r), rune(ToUpper(b)))
		assert.Equal(t, unicode.IsLetter(r), IsLetter(b))
		assert.Equal(t, unicode.IsUpper(r), IsUpper(b))
		assert.Equal(t, unicode.IsPrint(r) || strings.ContainsRune("\n\t\r", r), IsText(b), "%q", b)
		assert.Equal(t, strings.ContainsRune("\"'`", r), IsQuote(b))
	}
	assert.False(t, IsLetter(0xe4) || IsUpper(0xc4) || IsText(0xe4))
}

func TestLiteralsAreFoundInAnyCase(t *testing.T) {
	assert.True(t, HasFold("a Token", 2, "token"))
	for _, i := range []int{-1, 1, 3, 9} {
		assert.False(t, HasFold("a Token", i, "token"), "at %d", i)
	}
	assert.True(t, EqualFold("ToKen", "token"))
	assert.False(t, EqualFold("tokens", "token"))
	assert.True(t, ContainsFold("myToKen", "token"))
	assert.False(t, ContainsFold("my-toke", "token"))
}

func TestATokenStartsWhereNoWordGoesOn(t *testing.T) {
	for text, want := range map[string]bool{
		"‸x": true, "a ‸x": true, "=‸x": true, `a\n‸x`: true, `a\t‸x`: true, "%3D‸x": true, "a‸x": false, "3‸x": false,
		`a\b‸x`: false, "%3G‸x": false, "%D‸x": false, "n‸x": false,
	} {
		before, after, _ := strings.Cut(text, "‸")
		assert.Equal(t, want, CanStartToken(before+after, len(before)), "%q", text)
	}
}

func TestPositionsStayInsideTheText(t *testing.T) {
	for i, want := range []int{0, 0, 0, 3, 4, 5, 5} {
		assert.Equal(t, want, RuneStart("€ab", i), "at %d", i)
	}
	assert.Equal(t, 0, RuneStart("€", -3))
	assert.Equal(t, 3, RuneStart("€", 9))
	assert.Equal(t, 3, SkipBlank(" \t x", 0, 9))
	assert.Equal(t, 2, SkipBlank(" \t x", 0, 2))
	assert.Equal(t, 2, SkipBlank("  \nx", 0, 9), "a line end is no blank")
	assert.Equal(t, 4, SkipSpace(" \t\r\nx", 0, 9))
	assert.Equal(t, 1, SkipSpace("  ", 0, 1))
	assert.True(t, IsSpaceAt("a\tb", 1))
	assert.False(t, IsSpaceAt("a\tb", 0))
}

func TestHexDigitsStandForANumber(t *testing.T) {
	for text, want := range map[string]rune{"41": 'A', "20ac": '€', "00e4": 'ä', "FFffFFff": 0x7fffffff} {
		r, ok := HexNumber("x"+text, 1, len(text))
		require.True(t, ok, text)
		assert.Equal(t, want, r)
	}
	for _, text := range []string{"4", "4g", "", "123456789"} {
		_, ok := HexNumber(text, 0, max(2, len(text)))
		assert.False(t, ok, text)
	}
	_, ok := HexNumber("41", 0, 0)
	assert.False(t, ok)
	assert.True(t, HexText("41"))
	assert.False(t, HexText("01"))
}

func TestWordsOfACamelCaseNameBreakAtCapitals(t *testing.T) {
	for name, want := range map[string]string{
		"apiKey": "api Key", "APIKey": "API Key", "key": "key", "userID": "user ID", "A": "A", "aBC": "a BC",
	} {
		var words strings.Builder
		for i := range len(name) {
			if i > 0 && WordBreak(name, i, len(name)) {
				words.WriteByte(' ')
			}
			words.WriteByte(name[i])
		}
		assert.Equal(t, want, words.String())
	}
	assert.False(t, WordBreak("aB", 2, 2))
}

func TestHeadsKnowTheFirstTwoLettersOfTheirWords(t *testing.T) {
	h := LeadingPairs("is was a")
	assert.True(t, h.May('i', 's') && h.May('W', 'A') && h.May('a', ' ') && h.May('a', '\t'))
	assert.False(t, h.May('i', 't') || h.May('w', 's') || h.May('a', 's'))
}

func TestAWordInSeveralListsHasAllTheirRoles(t *testing.T) {
	v := NewVocabulary(map[WordKind]string{1: "key auth", 2: "api key"})
	assert.Equal(t, []WordKind{3, 1, 2, 0}, []WordKind{v.Kind("Key"), v.Kind("auth"), v.Kind("API"), v.Kind("map")})
}
