package decode

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnEscapedTextIsToldFromOneThatReadsAsWritten(t *testing.T) {
	for _, text := range []string{"a%20b", `a\u0041b`, "a &amp; b", "ｐass",
		"84, 114, 48, 117, 98, 52, 100, 111, 114, 51, 38, 99, 85, 54"} {
		assert.True(t, IsEscaped(text), text)
	}
	for _, text := range []string{"", "50 % of it & more", `C:\dir`, "schön", "the year 2024, the 3rd of 12"} {
		assert.False(t, IsEscaped(text), text)
	}
}

func TestRunsThatAreNoWordsMayBeEncoded(t *testing.T) {
	run := base64.RawStdEncoding.EncodeToString([]byte("Tr0ub4dor&x"))
	text := "the configuration of internal/auth/token in NewClient, " + run + ", is kept"
	from, to := NextMixed(text, 0)
	assert.Equal(t, run, text[from:to])
	_, to = NextMixed(text, to)
	assert.Zero(t, to, "a word is taken for a run")
	_, to = NextMixed("aBcDeFgHiJk", 0)
	assert.Equal(t, 11, to)
}

func TestJoinedTextHasItsPiecesInOne(t *testing.T) {
	for text, want := range map[string]string{
		`x = "ab" + "cd";`: `x=abcd";`, "ab\\\ncd": "abcd", "ab\ncd": "abcd", "one two  three": "onetwo  three",
		"ab<b>cd</b> ": "abcd",
	} {
		v := Joined(text)
		if assert.NotNil(t, v, text) {
			assert.Equal(t, want, v.Text.String(), text)
		}
	}
	assert.Nil(t, Joined("abcd"))
	v := Joined(`"ab" + "cd"`)
	assert.Equal(t, 8, v.Source(2), "the map leads back to the second piece")
}
