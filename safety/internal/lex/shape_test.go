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

// allBytes contains each of the 256 bytes once.
var allBytes = func() string {
	var b [256]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

// countSlowly is the specification of CountChars, written for clarity.
func countSlowly(v string) CharStats {
	v = v[:min(len(v), StatsLimit)]
	stats := CharStats{Hex: true}
	seen := map[byte]bool{}
	for _, b := range []byte(v) {
		seen[b] = true
		switch {
		case b >= 'a' && b <= 'z':
			stats.Lower++
		case b >= 'A' && b <= 'Z':
			stats.Upper++
		case b >= '0' && b <= '9':
			stats.Digit++
		default:
			stats.Other++
		}
		stats.Hex = stats.Hex && strings.IndexByte("0123456789abcdefABCDEF-", b) >= 0
	}
	stats.Distinct = len(seen)
	return stats
}

func TestCountCharsAgreesWithACountByteByByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, alphabet := range []string{
		allBytes, "abc", "0123456789abcdef-", "aA0", "\x80\xff\xbf\xc0", "ABCxyz129.+/=",
	} {
		for n := range 200 {
			v := drawnFrom(rng, alphabet, n)
			require.Equal(t, countSlowly(v), CountChars(v), "%q", v)
			require.Equal(t, countSlowly(v).Digit > 0, HasDigit(v), "%q", v)
		}
	}
}

func TestHasDigitFindsADigitAtEveryPosition(t *testing.T) {
	for _, filler := range []byte{'a', ':', '/', 0, 0x7f, 0x80, 0xff, 0xb0, 0x70} {
		for n := range 20 {
			plain := strings.Repeat(string([]byte{filler}), n)
			assert.False(t, HasDigit(plain), "%#x", filler)
			for i := range n {
				for d := byte('0'); d <= '9'; d++ {
					text := plain[:i] + string([]byte{d}) + plain[i+1:]
					require.True(t, HasDigit(text), "%#x at %d", filler, i)
				}
			}
		}
	}
}

// TestHeuristicsTellGeneratedValuesFromWords states, for each value, which of the
// heuristics hold for it.
func TestHeuristicsTellGeneratedValuesFromWords(t *testing.T) {
	mixed := "aB3d9Kq7" + "Zr5Tn2Mb"
	for _, c := range []struct {
		what, value                            string
		random, generated, mixedCase, notWords bool
	}{
		{"letters of both cases and digits", mixed, true, true, true, true},
		{"the same, one byte too short", mixed[1:], false, false, false, true},
		{"lower case and digits", "q7w2e9r4" + "t1y8u3zx", true, true, false, true},
		{"a hex digest", "0123456789abcdef" + "0123456789abcdef", false, false, false, false},
		{"eight different bytes", "wxyz1234" + "wxyz1234", false, false, false, false},
		{"mostly punctuation", "a1b2c3d4--------", false, false, false, true},
		{"a camelCase name", "requestTimeoutSeconds", false, false, false, false},
		{"letters whose case changes all the time", "aBcDeFgHiJkL", false, true, false, true},
		{"a run of consonants", "bcdfghjklm", false, false, false, true},
		{"words", "correct-horse-battery", false, false, false, false},
	} {
		assert.Equal(t, c.random, Random(c.value), "%s is random", c.what)
		assert.Equal(t, c.generated, LooksGenerated(c.value), "%s looks generated", c.what)
		assert.Equal(t, c.mixedCase, LooksGeneratedInBothCases(c.value), "%s is random in both cases", c.what)
		assert.Equal(t, c.notWords, NotWords(c.value), "%s is not made of words", c.what)
	}
}

func TestScrambledNeedsManyCaseChanges(t *testing.T) {
	for value, want := range map[string]bool{
		"aBcDeFgHiJ":         true,
		"aBcDeFgHi":          false, // too short
		"getHTTPClientByURL": false,
		"abcdefghij":         false,
		"abCDefGHij":         true,
		"abCDefGHijk":        true, // four changes in ten pairs
		"abCDefGHijkl":       false,
	} {
		assert.Equal(t, want, Scrambled(value), value)
	}
	assert.Equal(t, 3, CaseChanges("aBc1D-eF"), "digits and hyphens interrupt a pair")
	assert.True(t, MixedCase("abCD"))
	assert.False(t, MixedCase("abcD"))
	assert.False(t, MixedCase("ABCd"))
}

func TestCaseChangesCountsEachPairOnce(t *testing.T) {
	for value, want := range map[string]int{
		"": 0, "a": 0, "aB": 1, "aBc1D-eF": 3, "abcdefgH": 1, "abcdefgHi": 2, "abcdefghI": 1, "ABCDEFGhijklmnOPQ": 2,
		"aBcDeFgHiJkLmNoPqRs": 18, "a_B.C d": 0, "\xc1a\xe1B\xc1cdefgh": 0,
	} {
		assert.Equal(t, want, CaseChanges(value), value)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		text := make([]byte, rng.IntN(40))
		for i := range text {
			text[i] = "aAzZ[@{`1\xe1\xc1"[rng.IntN(11)]
		}
		want := 0
		for i := 1; i < len(text); i++ {
			if IsLetter(text[i-1]) && IsLetter(text[i]) && IsUpper(text[i-1]) != IsUpper(text[i]) {
				want++
			}
		}
		require.Equal(t, want, CaseChanges(string(text)), "%q", text)
	}
}

func TestWordsInCountsWordsAndReportsWhatJoinsThem(t *testing.T) {
	for _, c := range []struct {
		text          string
		words         int
		hyphen, slash bool
	}{
		{"correct-horse-battery", 3, true, false},
		{"docs/guide/install", 3, false, true},
		{"requestTimeout2_seconds.total", 4, false, false},
		{"hello world", 0, false, false},
		{"xkcdqwrt", 0, false, false},
		{"ab-cd-ef", 0, false, false},                 // too short to be words
		{"pneumonoultramicroscopic", 0, false, false}, // too long to be a word
		{"", 0, false, false},
		{"usr/lib/man", 3, false, true},  // short words are usual in a path,
		{"usr-lib-man", 0, false, false}, // but not elsewhere
	} {
		n, hyphen, slash := WordsIn(c.text)
		assert.Equal(t, c.words, n, c.text)
		assert.Equal(t, c.hyphen, hyphen, c.text)
		assert.Equal(t, c.slash, slash, c.text)
	}
}
