package secrets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety/internal/lex"
	"candor/safety/internal/ruletest"
)

func TestPredicatesHoldForTheirHitsOnly(t *testing.T) {
	for name, c := range map[string]struct {
		holds        func(string) bool
		hits, misses []string
	}{
		"isScattered": {isScattered, []string{"{a6}4{a6}X7{a8}2b"}, []string{"ReadUint16LengthPrefixed"}},
		"looksLikeSlackToken": {
			looksLikeSlackToken, []string{"12-ab", "aBcD"}, []string{"with-love-from-all-of-us", "one-2-go"},
		},
		"mixedHex":            {mixedHex, []string{"aaBBccDD12"}, []string{"aabbccdd12", "AABBCCDD12", "aaBBccXX12"}},
		"isInsideVariable":    {isInsideVariable, []string{"${USER"}, []string{"${USER}", "bob"}},
		"isKeyAsUser":         {isKeyAsUser, []string{"{a16}"}, []string{"somebody", "a1", "$KEY12345"}},
		"isOtherValue":        {isOtherValue, []string{"{a20}12"}, []string{"{a8}", "internationalisationally"}},
		"endsSentence":        {endsSentence, []string{"done."}, []string{"v1.", "go.", "done"}},
		"isVendorPlaceholder": {isVendorPlaceholder, []string{"AAAAAAAAAAyour-key", "information"}, []string{"{a32}"}},
		"keyPart":             {keyPart, []string{"MIIBVgIBADANBg"}, []string{"lower/case/path", "++//++"}},
		"isLocalHost":         {isLocalHost, []string{"localhost:80", "127.0.0.1"}, []string{"db.test", "10.0.0.1"}},
		"keyLines": {
			keyLines, []string{"\nMIIB\n", `\nMIIB\n`},
			[]string{"MIIB\n", "\nMI\n", "\nis how such a file begins", "\n"},
		},
		"looksGeneratedPart": {looksGeneratedPart, []string{"{a24}"}, []string{"eyewitness-account"}},
	} {
		for _, text := range c.hits {
			assert.True(t, c.holds(ruletest.Fill(text, 4)), "%s of %q", name, text)
		}
		for _, text := range c.misses {
			assert.False(t, c.holds(ruletest.Fill(text, 4)), "%s of %q", name, text)
		}
	}
}

func TestUnmarkedSkipsAMarker(t *testing.T) {
	text := "the [" + "REDACTED:cookie] of"
	assert.Equal(t, strings.LastIndexByte(text, ']')+1, unmarked(text, 0, len(text)))
	assert.Equal(t, 2, unmarked("a list[0] of", 2, 12))
	assert.True(t, lex.InMarker(text, strings.IndexByte(text, ']')))
}
