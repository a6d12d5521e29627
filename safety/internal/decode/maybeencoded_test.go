package decode

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
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
	for text, want := range map[string]bool{
		"the configuration of internal/auth/token in NewClient, is kept": false,
		"the configuration of " + run + " is kept":                       true,
		"aBcDeFgHiJk":                  true,
		"MFRGGZDFMZTWQ":                true,
		"MFRGGZDFMZTWQ_":               false,
		"GITHUB_TOKEN":                 false,
		"ABCDEFGHIJKLM":                true,
		"version 2024":                 false,
		"a2345678":                     false,
		"a23456789":                    true,
		strings.Repeat("a", 200):       false,
		"A" + strings.Repeat("a", 200): true,
	} {
		encoded, _ := MayBeEncoded(text, 0, len(text))
		assert.Equal(t, want, encoded, text)
	}
}

func TestEveryRunThatMayBeEncodedIsFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		text := make([]byte, rng.IntN(60))
		for i := range text {
			text[i] = "aaaaaaaaaaZ9+/ .\n\x80"[rng.IntN(18)]
		}
		s := string(text)
		i := rng.IntN(len(s) + 1)
		end := i + rng.IntN(len(s)-i+1)
		want, seen := false, Bytes(0)
		for k := i; k < end; k++ {
			want = want || encoding[s[k]] && isMixed(runAround(s, k))
			if s[k] == 'Z' || s[k] == '9' {
				seen.Add(s[k])
			}
		}
		encoded, got := MayBeEncoded(s, i, end)
		require.Equal(t, want, encoded, "%q from %d to %d", s, i, end)
		if !encoded {
			require.Equal(t, seen, got, "%q from %d to %d", s, i, end)
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
