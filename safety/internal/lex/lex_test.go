package lex

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawnFrom returns n random bytes of an alphabet.
func drawnFrom(rng *rand.Rand, alphabet string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

// allBytes holds each of the 256 bytes once.
var allBytes = func() string {
	var b [256]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

// countSlowly counts as CountChars does, a byte at a time.
func countSlowly(v string) CharStats {
	v = v[:min(len(v), StatsLimit)]
	l := CharStats{Hex: true}
	seen := map[byte]bool{}
	for _, b := range []byte(v) {
		seen[b] = true
		switch {
		case b >= 'a' && b <= 'z':
			l.Lower++
		case b >= 'A' && b <= 'Z':
			l.Upper++
		case b >= '0' && b <= '9':
			l.Digit++
		default:
			l.Other++
		}
		l.Hex = l.Hex && strings.IndexByte("0123456789abcdefABCDEF-", b) >= 0
	}
	l.Distinct = len(seen)
	return l
}

func TestCountCharsCountsEveryByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, chars := range []string{
		allBytes, "abc", "0123456789abcdef-", "aA0", "\x80\xff\xbf\xc0", "ABCxyz129.+/=",
	} {
		for n := range 200 {
			v := drawnFrom(rng, chars, n)
			require.Equal(t, countSlowly(v), CountChars(v), "%q", v)
			require.Equal(t, countSlowly(v).Digit > 0, HasDigit(v), "%q", v)
		}
	}
}

func TestHasDigitSeesADigitAnywhere(t *testing.T) {
	for _, filler := range []byte{'a', ':', '/', 0, 0x7f, 0x80, 0xff, 0xb0, 0x70} {
		for n := range 20 {
			plain := strings.Repeat(string([]byte{filler}), n)
			assert.False(t, HasDigit(plain), "%#x", filler)
			for i := range n {
				for d := byte('0'); d <= '9'; d++ {
					v := plain[:i] + string([]byte{d}) + plain[i+1:]
					require.True(t, HasDigit(v), "%#x at %d", filler, i)
				}
			}
		}
	}
}

func TestAVocabularyHoldsItsWordsInAnyCaseAndNoOthers(t *testing.T) {
	v := WordSet("pass password passphrase key a b64 sixteenletters16")
	for _, word := range strings.Fields("pass PASS Password passPhrase KEY a A B64 SixteenLetters16") {
		assert.True(t, v.Has(word), word)
	}
	for _, word := range []string{
		"", "b", "pas", "passw", "keys", "p\u0131ss", "passwore", "paszword", "passphrasf", "sixteenletters1",
		"seventeenletter17",
	} {
		assert.False(t, v.Has(word), word)
	}
	assert.Panics(t, func() { WordSet("seventeenletters7") })
}

func TestASCIIEndStopsAtTheFirstHighByte(t *testing.T) {
	for n := range 100 {
		text := strings.Repeat("a", n)
		require.Equal(t, n, ASCIIEnd(text, 0))
		for i := range n {
			require.Equal(t, i, ASCIIEnd(text[:i]+"\x80"+text[i+1:], 0), "%d of %d", i, n)
		}
	}
}

func TestWordRunEndsWhereRunDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 3000 {
		const letters = "abcdefghijklmnopqrstuvwxyz"
		s := drawnFrom(rng, letters+"ABCXYZ"+letters+"09_- .@[`{\x80\xe1", rng.IntN(40))
		for i := range len(s) + 1 {
			require.Equal(t, WordChars.Run(s, i, 20), WordRun(s, i, 20), "%q from %d", s, i)
		}
	}
	for b := range 256 {
		s := "token" + string([]byte{byte(b)}) + "abcdefgh"
		require.Equal(t, WordChars.Run(s, 0, 9), WordRun(s, 0, 9), "%q", s)
	}
}
