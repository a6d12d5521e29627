package decode

import (
	"encoding/base64"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	var mixed []string
	for from, to := NextLong(text, 0); to > 0; from, to = NextLong(text, to) {
		if IsMixed(text[from:to]) {
			mixed = append(mixed, text[from:to])
		}
	}
	assert.Equal(t, []string{run}, mixed)
	assert.True(t, IsMixed("aBcDeFgHiJk"))
}

func TestEveryLongRunIsFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		text := make([]byte, rng.IntN(60))
		for i := range text {
			text[i] = "aaaaaaaaaaZ9+/ .\n\x80"[rng.IntN(18)]
		}
		s, i := string(text), 0
		for from, to := NextLong(s, 0); ; from, to = NextLong(s, to) {
			for i < len(s) && (encoding.Run(s, i, len(s))-i < minMixed || i > 0 && encoding[s[i-1]]) {
				i++
			}
			if i == len(s) {
				assert.Zero(t, to, "%q", s)
				break
			}
			require.Equal(t, [2]int{i, encoding.Run(s, i, len(s))}, [2]int{from, to}, "%q", s)
			i = to
		}
	}
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
