package terminal

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One text with every kind of block, in color, plain, and on a narrow screen.
func TestAnAnswerIsShownAsMarkdown(t *testing.T) {
	const answer = "# Lines\nwere **rounded** before the *sum*, in `totals.go`.\n\n- one\n- two\n  1. deep\n\n" +
		"> so it was\n\n```\nx  :=   1\n```\n\n| file | why |\n|-|-|\n| a.go | it rounds |\n\n---\n"
	for _, tt := range []struct {
		name  string
		style Style
		want  string
	}{
		{"plain text keeps the marks", Style{}, `  # Lines

  were **rounded** before the *sum*, in ` + "`totals.go`" + `.

  - one
  - two
    1. deep

  > so it was

      x  :=   1

  file  why
  ────  ─────────
  a.go  it rounds

  ────────
`},
		{"color takes their place", Style{Color: true, Width: 80}, "  \x1b[1;4mLines\x1b[0m\n\n" +
			"  were \x1b[1mrounded\x1b[0m before the \x1b[3msum\x1b[0m, in \x1b[36mtotals.go\x1b[0m.\n\n" +
			"  • one\n  • two\n    1. deep\n\n  \x1b[2m│ \x1b[0mso it was\n\n      \x1b[36mx  :=   1\x1b[0m\n\n" +
			"  \x1b[1mfile\x1b[0m  \x1b[1mwhy\x1b[0m\n  \x1b[2m────  ─────────\x1b[0m\n  a.go  it rounds\n\n" +
			"  \x1b[2m────────\x1b[0m\n"},
		{"a narrow screen breaks lines", Style{Width: 20}, `  # Lines

  were **rounded**
  before the *sum*,
  in ` + "`totals.go`" + `.

  - one
  - two
    1. deep

  > so it was

      x  :=   1

  file  why
  ────  ─────────
  a.go  it rounds

  ────────
`},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, tt.style.markdown("  ", answer)) })
	}
}

func TestATableFitsTheScreen(t *testing.T) {
	const table = "| file | reason |\n|-|-|\n| totals.go | the sum is made here and nowhere else |\n| 税.go | tax |"
	assert.Equal(t, `file       reason
─────────  ─────────────────────────────────────
totals.go  the sum is made here and nowhere else
税.go      tax
`, Style{Width: 50}.markdown("", table))
	assert.Equal(t, `file       reason
─────────  ────────────────────
totals.go  the sum is made here
           and nowhere else
税.go      tax
`, Style{Width: 31}.markdown("", table))
	assert.Equal(t, `file:
  totals.go
reason: the
  sum is made
  here and
  nowhere
  else

file: 税.go
reason: tax
`, Style{Width: 13}.markdown("", table))
	assert.Equal(t, "nothing\n  but\n  names\n",
		Style{Width: 8}.markdown("", "|nothing |but |names |\n|-|-|-|"))
}

// A character may be named by its number, and stand where the text was clean before.
func TestMarkdownMakesNoSequenceOfNumbers(t *testing.T) {
	shown := Style{Color: true, Width: 60}.markdown("", "a&#27;[31mb &#x202e;c &#7;d [x](http://h/&#27;]8;;y)\n\n"+
		"a\u0301\u0301\u0301\u0301"+strings.Repeat("**\u0301\u0301\u0301\u0301**\u0301\u0301\u0301\u0301", 50))
	for _, gone := range []string{"\x1b[31m", "\u202e", "\x07", "\x1b]"} {
		assert.NotContains(t, shown, gone)
	}
	assert.NotContains(t, shown, strings.Repeat("\u0301", 9))
}

// What cannot be parsed at little cost is shown as it is.
func TestALongTextIsShownAsItIs(t *testing.T) {
	shown := Style{Width: 40}.markdown("  ", strings.Repeat("**strong** words\n", 2000))
	assert.Equal(t, 2000, strings.Count(shown, "  **strong** words\n"))
}

// Whatever the text is, at any width from 50 to 200 no line is wider than the screen and no
// word is broken that would fit on a line of its own.
func TestNoLineOfAnAnswerIsWiderThanTheScreen(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 3))
	marks := []string{"# ", "- ", "1. ", "> ", "    ", "```\n", "|a|b|\n|-|-|\n|", "**", "", "", "\n\n"}
	for range 2000 {
		width := 50 + random.IntN(151)
		var text strings.Builder
		for range random.IntN(12) {
			text.WriteString(marks[random.IntN(len(marks))] + hostileText(random) + []string{"\n", "|"}[random.IntN(2)])
		}
		assertFits(t, width, Style{Color: random.IntN(2) == 0, Width: width}.markdown("  ", text.String()))
	}
	words := strings.Repeat("unbroken ", 40)
	for width := 20; width < 200; width++ {
		shown := Style{Width: width}.markdown("  ", words+"\n\n- "+words+"\n\n> "+words)
		require.Equal(t, 120, strings.Count(shown, "unbroken"), "%d cells", width)
	}
}
