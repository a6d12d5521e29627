package lex

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASCIIEndFindsTheFirstHighByte(t *testing.T) {
	for n := range 100 {
		text := strings.Repeat("a", n)
		require.Equal(t, n, ASCIIEnd(text, 0))
		for i := range n {
			require.Equal(t, i, ASCIIEnd(text[:i]+"\x80"+text[i+1:], 0), "%d of %d", i, n)
		}
	}
}

func TestRuneStartNeverSplitsACharacter(t *testing.T) {
	const s = "a\u00e9\u5bc6z" // of 1, 2, 3 and 1 bytes
	for i, want := range []int{0, 1, 1, 3, 3, 3, 6, 7, 7} {
		assert.Equal(t, want, RuneStart(s, i), i)
	}
	assert.Equal(t, 0, RuneStart(s, -1))
}

func TestSkippingStopsAtTheLimitAndAtOtherBytes(t *testing.T) {
	const s = "x \t\r\n =" // one letter, five blanks and line endings, one sign
	assert.Equal(t, 3, SkipBlank(s, 1, 9), "a line ending is not blank")
	assert.Equal(t, 2, SkipBlank(s, 1, 1))
	assert.Equal(t, 6, SkipSpace(s, 1, 9))
	assert.Equal(t, 4, SkipSpace(s, 1, 3))
	assert.Equal(t, 0, SkipSpace(s, 0, 9))
	assert.Equal(t, len(s)+2, SkipSpace(s+"  ", 7, 9), "the text may end in spaces")
	assert.Equal(t, len(s)+2, SkipBlank(s+"  ", 7, 9))
	for i, want := range []bool{false, true, true, false, true, true, false} {
		assert.Equal(t, want, IsSpaceAt(s, i), i)
	}
}

func TestATokenStartsAfterPunctuationOrAnEscape(t *testing.T) {
	for before, want := range map[string]bool{
		"": true, " ": true, "=": true, "_": true, "\u5bc6": true, `\n`: true, `\t`: true, "%3D": true, "x%0a": true,
		"a": false, "Z": false, "7": false, "n": false, `\x`: false, "%3G": false, "3D": false, "%D": false,
	} {
		assert.Equal(t, want, CanStartToken(before+"token", len(before)), before)
		if want && before != "" {
			assert.True(t, BeforeToken[before[len(before)-1]], "BeforeToken holds the last byte of %q", before)
		}
	}
}
