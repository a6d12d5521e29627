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
		filler := []string{"a b/:\x80\xff", "a b/:@z"}[rng.IntN(2)]
		text := []byte(strings.Repeat(filler, 43)[:rng.IntN(300)])
		for range rng.IntN(4) {
			if len(text) > 0 {
				text[rng.IntN(len(text))] = "0789"[rng.IntN(4)]
			}
		}
		s := string(text)
		var c DigitCursor
		for range 40 {
			i := rng.IntN(len(s) + 1)
			end := i + rng.IntN(len(s)-i+1)
			want := strings.ContainsAny(s[i:end], "0123456789")
			require.Equal(t, want, c.Has(s, i, end), "%q from %d to %d", s, i, end)
		}
	}
}
