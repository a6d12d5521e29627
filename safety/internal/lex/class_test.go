package lex

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNewClassReadsRangesAndSingleBytes(t *testing.T) {
	c := NewClass("a-c_x-z-")
	for b := range 256 {
		assert.Equal(t, strings.IndexByte("abc_xyz-", byte(b)) >= 0, c[b], "%q", b)
	}
}

func TestClassesOfFormatsContainNoByteAboveASCII(t *testing.T) {
	for letter, c := range Classes {
		for b := 0x80; c != nil && b < 256; b++ {
			require.False(t, c[b], "class %c, byte %#x", letter, b)
		}
	}
}

func TestRunsEndAtOtherBytesAndAtTheLimit(t *testing.T) {
	const s = "-123-"
	for _, c := range []struct{ at, limit, end, start int }{
		{0, 9, 0, 0}, {1, 9, 4, 1}, {1, 2, 3, 1}, {4, 9, 4, 1}, {4, 2, 4, 2}, {5, 9, 5, 5}, {3, 0, 3, 3},
	} {
		assert.Equal(t, c.end, Digits.Run(s, c.at, c.limit), "run from %d", c.at)
		assert.Equal(t, c.start, Digits.Back(s, c.at, c.limit), "run back from %d", c.at)
	}
	assert.Equal(t, 6, Digits.Run(s, 6, 9), "a position past the end has no run")
	var both Class
	both.Join(Digits)
	both.Join(NewClass("-"))
	assert.Equal(t, len(s), both.Run(s, 0, 9))
}

func TestWordRunEndsWhereTheClassOfWordCharactersEnds(t *testing.T) {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	rng := rand.New(rand.NewPCG(6, 6))
	for range 3000 {
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
