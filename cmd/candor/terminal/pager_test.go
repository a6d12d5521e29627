package terminal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pagerOf is a pager of numbered lines, in a window of 40 columns and 11 rows: ten show text.
// Every tenth line is of a call that failed. In a window of fewer columns each line takes two.
func pagerOf(lines int) *pager {
	p := &pager{draw: func(width int) (parts []pagePart) {
		for i := range lines {
			text := fmt.Sprintf("line %d\n", i+1)
			if width < 40 {
				text += "continued\n"
			}
			parts = append(parts, pagePart{text, i%10 == 9})
		}
		return parts
	}}
	p.resize(40, 11)
	return p
}

// press presses keys, each a string.
func (p *pager) press(t *testing.T, keys ...string) *pager {
	t.Helper()
	for _, k := range keys {
		require.True(t, p.key(k), "%q ends the pager", k)
	}
	return p
}

func TestThePagerMovesAsItsKeysSay(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		top  string // the first line in the window
		last string // the last row
	}{
		{"it begins at the first line", nil, "line 1", "lines 1-10 of 35 · q back"},
		{"space is a window on", []string{" "}, "line 11", "lines 11-20 of 35"},
		{"PageDown is too", []string{"\x13"}, "line 11", "lines 11-20"},
		{"b is a window back", []string{" ", " ", "b"}, "line 11", "lines 11-20"},
		{"PageUp is too", []string{" ", "\x12"}, "line 1", "lines 1-10"},
		{"nothing comes after the end", []string{" ", " ", " ", " "}, "line 26", "lines 26-35 of 35"},
		{"nor before the beginning", []string{"k", "b"}, "line 1", "lines 1-10"},
		{"j, Enter and down are a line on", []string{"j", "\r", "\x1b[B"}, "line 4", "lines 4-13"},
		{"k and up are a line back", []string{"G", "k", "\x1b[A"}, "line 24", "lines 24-33"},
		{"G is the end", []string{"G"}, "line 26", "lines 26-35"},
		{"g is the beginning", []string{"G", "g"}, "line 1", "lines 1-10"},
		{"so are Home and End", []string{"\x05", "\x01", "\x05"}, "line 26", "lines 26-35"},
		{"words are found, in any case", []string{"/", "N", "E", " ", "1", "2", "\r"}, "line 12", "lines 12-21"},
		{"n finds the next, and begins anew", []string{"/", "3", "\r", "n", "n"}, "line 23", "lines 23-32"},
		{"a letter is taken back", []string{"/", "2", "x", "\x1c", "1", "\r"}, "line 21", "lines 21-30"},
		{"Ctrl-C while typing only ends the typing", []string{"/", "2", "\x18", " "}, "line 11", "lines 11-20"},
		{"what is not there is said", []string{" ", "/", "z", "\r"}, "line 11", "not found: z · q back"},
		{"n without words says so", []string{"n"}, "line 1", "nothing to find; / asks f… · q back"},
		{"x shows only what failed", []string{"x"}, "line 10", "failed only · lines 1-3 of 3"},
		{"x again shows all", []string{"x", "x"}, "line 10", "lines 10-19 of 35"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			view := pagerOf(35).press(t, tt.keys...).view()
			assert.Len(t, view, 11, "the window is filled")
			assert.Equal(t, tt.top, strings.TrimSpace(unpainted(view[0])))
			assert.Contains(t, unpainted(view[10]), tt.last)
		})
	}
	for _, key := range []string{"q", "\x18"} {
		assert.False(t, pagerOf(35).key(key), "%q leads back", key)
	}
}

func TestThePagerStaysWithinItsWindow(t *testing.T) {
	p := pagerOf(35).press(t, " ", " ")
	p.resize(30, 8)
	assert.Equal(t, "line 21", p.view()[0], "the call at the top stays there")
	assert.Len(t, p.view(), 8)
	for width := range 120 {
		p.resize(width+4, 5)
		for _, keys := range []string{"", "/a long word to find", "x"} {
			q := *p
			for _, k := range keys {
				q.key(string(k))
			}
			rows := q.view()
			assert.Less(t, shownWidth(rows[len(rows)-1]), width+4, "%q", rows)
		}
	}
}

// What stands out is what was found, and nothing that a person types reaches the screen raw.
func TestThePagerMarksWhatItFound(t *testing.T) {
	p := pagerOf(35).press(t, "/", "E", " ", "2", "\r")
	assert.Equal(t, "lin\x1b[7me 2\x1b[0m", p.view()[0])
	p.press(t, "/", "\x1b[C", "\x07", "\u202e", "ö")
	assert.Equal(t, "/ö", p.view()[10])
	for range 100 {
		p.press(t, "many")
	}
	assert.LessOrEqual(t, len(p.words), maxFind)
}

// Where nothing failed there is nothing to choose from.
func TestNothingThatFailedLeavesAll(t *testing.T) {
	p := pagerOf(9).press(t, "x")
	assert.Contains(t, p.view()[10], "nothing failed")
	assert.Equal(t, "line 1", p.view()[0])
}
