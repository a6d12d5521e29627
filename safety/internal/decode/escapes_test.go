package decode

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/lex"
)

func TestEscapeDecodesOneEscape(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     rune
		length   int
	}{
		{"percent", "%41", 'A', 3},
		{"percent of a rune of two bytes", "%C3%A9", 'é', 6},
		{"percent of half a rune", "%C3x", 0xc3, 3},
		{"percent without digits", "%zz", 0, 0},
		{"newline", `\n`, '\n', 2},
		{"carriage return", `\r`, '\n', 2},
		{"tab", `\t`, '\t', 2},
		{"quote", `\"`, '"', 2},
		{"underscore of Markdown", `\_`, '_', 2},
		{"octal", `\101`, 'A', 4},
		{"octal that is no text", `\001`, 0, 0},
		{"hex", `\x41`, 'A', 4},
		{"hex without digits", `\xg1`, 0, 0},
		{"long Unicode", `\U00000041`, 'A', 10},
		{"long Unicode beyond the last rune", `\U00110000`, 0, 0},
		{"Unicode", `\u0041`, 'A', 6},
		{"Unicode in braces", `\u{41}`, 'A', 6},
		{"Unicode in open braces", `\u{41`, 0, 0},
		{"Unicode without digits", `\u00`, 0, 0},
		{"a surrogate pair", `\ud83d\ude00`, '😀', 12},
		{"the sanitizer's own mark", `\/`, 0, 0},
		{"a backslash at the end", `\`, 0, 0},
		{"decimal reference", "&#65;", 'A', 5},
		{"decimal reference without a semicolon", "&#65 ", 'A', 4},
		{"hex reference", "&#x41;", 'A', 6},
		{"hex reference with a capital X", "&#X41;", 'A', 6},
		{"hex reference without digits", "&#x;", 0, 0},
		{"a reference beyond the last rune", "&#x110000;", 0, 0},
		{"a decimal reference with a letter", "&#6a;", 0, 0},
		{"named reference", "&amp;", '&', 5},
		{"a character that nobody sees, by its name", "&ZeroWidthSpace;", '\u200b', 16},
		{"a soft hyphen by its name", "&shy;", '\u00ad', 5},
		{"a name without a semicolon", "&amp ", 0, 0},
		{"an unknown name", "&nosuch;", 0, 0},
		{"an ampersand between words", "& b", 0, 0},
		{"no escape", "A", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, n := Escape(tt.in, 0)
			assert.Equal(t, tt.length, n)
			if n > 0 {
				assert.Equal(t, tt.want, r)
			}
		})
	}
}

func TestAViewMapsEachByteToItsSource(t *testing.T) {
	const s = "a%20b&amp;c and \\u0064"
	v := Unescaped(s)
	require.NotNil(t, v)
	assert.Equal(t, "a b&c and d", v.Text.String())
	assert.Equal(t, lex.Span{From: 4, To: 11, Rule: 7}, v.Back(lex.Span{From: 2, To: 5, Rule: 7}))
	assert.Equal(t, len(s), v.Source(v.Text.Len()), "the end maps to the end")
	assert.Equal(t, 1, v.Source(1), "an earlier offset is found after a later one")
	row := Unescaped("%61%62%63d")
	for i, source := range []int{0, 3, 6, 9, 10} {
		assert.Equal(t, source, row.Source(i), "byte %d of a row of escapes", i)
	}
	assert.Nil(t, Unescaped("50 % of R&D in C:\\dir"), "nothing to decode gives nil")
	assert.Equal(t, "ab", Unescaped("a%E2%80%8Bb").Text.String(), "what cannot be seen is dropped")
}

func TestPlainLettersReplaceLookalikes(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"full-width forms", "ｇｈｐ＿１", "ghp_1"},
		{"mathematical letters", "𝐀𝐙𝐚𝐳𝔅𝟗", "AZazB9"},
		{"letters and digits in circles", "ⒶⓏⓐⓩ①⑨⓪", "AZaz190"},
		{"Cyrillic", "раssword", "password"},
		{"Greek", "ΤΟΚΕΝ", "TOKEN"},
		{"dashes and lines", "a–b−c﹣d︳e‿f", "a-b-c-d︳e_f"},
		{"spaces of all widths", "a\u00a0b\u2003c\u3000d", "a b c d"},
		{"typographic quotes", "“a” ‘b’", `"a" 'b'`},
		{"combining accents go", "pa\u0301ss\u20dd", "pass"},
		{"blank Braille inside a word goes", "gh\u2800p", "ghp"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := PlainLetters(tt.in)
			require.NotNil(t, v)
			assert.Equal(t, tt.want, v.Text.String())
		})
	}
	assert.Nil(t, PlainLetters("naïve 你好 \u2800 x"), "letters of their own stay, and a blank between words")
}

func TestLookalikesAreSorted(t *testing.T) {
	for i, l := range lookalikes {
		assert.LessOrEqual(t, l.first, l.last)
		assert.True(t, i == 0 || lookalikes[i-1].last < l.first, "run %d stands behind the one before", i)
	}
}

func TestNextRunFindsEncodedText(t *testing.T) {
	run := strings.Repeat("QUJD", 8)
	for _, tt := range []struct{ name, in, want string }{
		{"alone", run, run},
		{"between words", "see " + run + " there", run},
		{"over full lines", run + "\n" + run + "\nQUJDQUJDQUJDQU==", run + "\n" + run + "\nQUJDQUJDQUJDQU"},
		{"behind quotes", run + "\n> " + run + "\n> QUI=", run + "\n> " + run + "\n> QUI"},
		{"not over a line of prose", run + "\nword", run},
		{"not over a line that is longer", run + "\n" + run + "QUJD", run},
		{"behind a long word", "counterrevolutionary " + run, run},
		{"across the step before", "a word of no use" + "aa " + run, run},
		{"too short", strings.Repeat("QUJD", 5), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from, to, _ := NextRun(tt.in, 0)
			assert.Equal(t, tt.want, tt.in[from:to])
		})
	}
}

func TestFromWideReadsUTF16(t *testing.T) {
	wide := encodedUTF16("Invoke-WebRequest https://example.com")
	var buf [512]byte
	assert.Equal(t, "Invoke-WebRequest https://example.com", string(FromWide(wide, buf[:0])))
	const text = "Invoke-WebRequest https://example.com"
	var low, high []byte
	for _, b := range []byte(text) {
		low, high = append(low, b, 0), append(high, 0, b)
	}
	for name, raw := range map[string][]byte{
		"the high byte first":      high,
		"behind a byte order mark": append([]byte{0xff, 0xfe}, low...),
		"the low byte first":       low,
	} {
		assert.Equal(t, text, string(FromWide(base64.RawStdEncoding.EncodeToString(raw), buf[:0])), name)
	}
	assert.Nil(t, FromWide(strings.Repeat("QUJD", 20), buf[:0]), "plain text is not wide")
	assert.Nil(t, FromWide("AAAA", buf[:0]), "too short")
}

func TestEncodedLinesGoBackToTheFirstFullLine(t *testing.T) {
	line := strings.Repeat("QUJD", 8)
	text := "The key:\n" + line + "\n" + line + "\nQUJD=\n"
	assert.Equal(t, len("The key:\n"), EncodedLines(text, len(text)))
	assert.Equal(t, len("two words\n"), EncodedLines("two words\n", len("two words\n")), "prose is not encoded")
	assert.Zero(t, EncodedLines("", 0))
}
