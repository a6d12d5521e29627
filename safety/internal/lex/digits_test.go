package lex

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestACursorFindsDigitsWhateverWasAskedBefore(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		text := []byte(strings.Repeat("a b/\x80", 60)[:rng.IntN(300)])
		for range rng.IntN(4) {
			if len(text) > 0 {
				text[rng.IntN(len(text))] = '7'
			}
		}
		s := string(text)
		var c DigitCursor
		for range 40 {
			i := rng.IntN(len(s) + 1)
			end := i + rng.IntN(len(s)-i+1)
			require.Equal(t, strings.Contains(s[i:end], "7"), c.Has(s, i, end), "%q from %d to %d", s, i, end)
		}
	}
}
