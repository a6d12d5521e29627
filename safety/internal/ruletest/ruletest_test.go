package ruletest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

func TestATemplateIsFilledWithItsClasses(t *testing.T) {
	for template, want := range map[string]string{
		"ghx_{a12}, then": `^ghx_[A-Za-z0-9]{12}, then$`,
		"{d4}-{x6}":       `^[0-9]{4}-[0-9A-Fa-f]{6}$`,
		"{a8-20}":         `^[A-Za-z0-9]{8}$`,
		"PRIVATE {}KEY":   `^PRIVATE KEY$`,
		"{k6}{e2}":        `^[A-Za-z0-9_-]{6}==$`,
		"${PW} and {":     `^\$\{PW\} and \{$`,
		"{a}":             `^\{a\}$`,
		"nothing to fill": `^nothing to fill$`,
	} {
		assert.Regexp(t, want, Fill(template, 3), template)
	}
}

func TestTheSameSeedGivesTheSameText(t *testing.T) {
	assert.Equal(t, Fill("{a30}", 1), Fill("{a30}", 1))
	assert.NotEqual(t, Fill("{a30}", 1), Fill("{a30}", 2))
}

func TestAFilledValueHasEachKindOfCharacterAndNoSignAtItsEnds(t *testing.T) {
	for seed := range uint64(200) {
		v := Fill("{p4}", seed)
		chars := lex.CountChars(v)
		require.True(t, chars.Digit > 0 && chars.Lower > 0 && chars.Upper > 0, v)
		require.NotContains(t, "-.", v[:1], v)
		require.NotContains(t, "-._=", v[3:], v)
	}
}

func TestAHitLeavesOutTheMarksAroundAKeyword(t *testing.T) {
	token := rule.Rule{Specificity: rule.ByShape}
	assert.Regexp(t, `^[0-9]{4}-xyz$`, Hit(&token, "{d4}<-xyz>", 1))
	value := rule.Rule{Specificity: rule.ByContext}
	assert.Regexp(t, `^<b>[0-9]{4}</b>$`, Hit(&value, "<b>{d4}</b>", 1))
}

func TestLeakedFindsAnyPartOfASecret(t *testing.T) {
	assert.True(t, Leaked("x cdef y", "abcdefgh", 4))
	assert.False(t, Leaked("x cde y", "abcdefgh", 4))
	assert.False(t, Leaked("abc", "abc", 4), "the secret is shorter than the part")
}

func TestSeedsHoldEveryHitAndMiss(t *testing.T) {
	r := rule.Token("x", "xyz_{a8}").Except("xyz_ is no token")
	seeds := Seeds([]rule.Rule{r})
	assert.Contains(t, seeds, Hit(&r, "xyz_{a8}", 0))
	assert.Contains(t, seeds, "xyz_ is no token")
	assert.Contains(t, strings.Join(seeds, "\n"), "\u200b", "a hit behind an invisible character")
}
