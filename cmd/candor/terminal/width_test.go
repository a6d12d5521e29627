package terminal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWrapBreaksLinesAtWordsByCells(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		cells      int
		want       []string
	}{
		{"what fits is one", "a b", 10, []string{"a b"}},
		{"no width is any", strings.Repeat("a ", 100), 0, []string{strings.Repeat("a ", 100)}},
		{"at words", "one two three", 8, []string{"one two", "three"}},
		{"a wide character takes two cells", "日本語 日本", 6, []string{"日本語", "日本"}},
		{"a word that is too long is broken", "abcdefgh ij", 3, []string{"abc", "def", "gh", "ij"}},
		{"a wide character is not split", "日本語", 3, []string{"日", "本", "語"}},
		{"an emoji is one", "👩‍👩‍👧👩‍👩‍👧", 2, []string{"👩‍👩‍👧", "👩‍👩‍👧"}},
		{"the space before a line's first word stays", "  indented here", 10, []string{"  indented", "here"}},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, wrap(tt.text, tt.cells)) })
	}
}

// FuzzWrap checks that wrapping loses nothing but spaces and keeps to the width.
func FuzzWrap(f *testing.F) {
	f.Add("one two  three", uint8(4))
	f.Add("日本語 👩‍👩‍👧 a\u0301", uint8(2))
	f.Fuzz(func(t *testing.T, s string, n uint8) {
		cells := 2 + int(n%60)
		s = CleanLine(s)
		lines := wrap(s, cells)
		bare := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		require.Equal(t, bare(s), bare(strings.Join(lines, "")))
		for _, l := range lines {
			require.LessOrEqual(t, cellWidth(l), cells, "%q", l)
		}
	})
}

func TestNumbersAndNounsAreReadable(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 4321: "4,321", 1234567: "1,234,567", -1000: "-1,000",
		-999: "-999"} {
		assert.Equal(t, want, count(n))
	}
	assert.Equal(t, "1 byte", plural(1, "byte"))
	assert.Equal(t, "0 bytes", plural(0, "byte"))
	assert.Equal(t, "abcd…", fit("abcdefgh", 5))
	assert.Equal(t, "日…", fit("日本語", 4), "a wide character that does not fit whole is left out")
	assert.Equal(t, "日本  |", pad("日本", 6)+"|")
}
