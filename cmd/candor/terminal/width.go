package terminal

import (
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// cellWidth returns how many terminal cells a text takes. It measures grapheme
// clusters, since a terminal draws each as one character.
func cellWidth(s string) int { return displaywidth.String(s) }

// fit cuts a text to a number of cells. A cut text ends in an ellipsis, which
// counts.
func fit(s string, cells int) string { return displaywidth.TruncateString(s, cells, "…") }

// pad fills a text up to a number of cells with spaces.
func pad(s string, cells int) string { return s + strings.Repeat(" ", max(0, cells-cellWidth(s))) }

// truncate cuts a text to a number of characters and marks the cut with an ellipsis.
// It reads no further than that, so the rest of a long text costs nothing.
func truncate(s string, characters int) string {
	if len(s) <= characters {
		return s
	}
	g, at := displaywidth.StringGraphemes(s), 0
	for n := 0; g.Next(); n++ {
		if n == characters {
			return s[:at] + "…"
		}
		at += len(g.Value())
	}
	return s
}

// wrap breaks a line at spaces into lines of at most cells. A word that is longer is
// broken where the line ends. Nothing is broken if cells is 0 or less.
func wrap(s string, cells int) []string { return wrapUnder(s, cells, cells) }

// wrapUnder is like wrap, but the first line may have cells cells and the others rest,
// for instance because a label precedes the first.
func wrapUnder(s string, cells, rest int) []string {
	if cells <= 0 || cellWidth(s) <= cells {
		return []string{s}
	}
	var lines []string
	line, used := strings.Builder{}, 0
	flush := func() {
		lines = append(lines, strings.TrimRight(line.String(), " "))
		line.Reset()
		used, cells = 0, rest
	}
	// Words come with the space behind them, which may reach over the end of the line.
	for word := range strings.SplitAfterSeq(s, " ") {
		bare := cellWidth(strings.TrimRight(word, " "))
		if used > 0 && used+bare > cells {
			flush()
		}
		for g := displaywidth.StringGraphemes(word); g.Next(); {
			if used+g.Width() > cells {
				flush()
			}
			// Spaces at the break disappear; those that begin the text are its indentation.
			if used == 0 && len(lines) > 0 && g.Value() == " " {
				continue
			}
			line.WriteString(g.Value())
			used += g.Width()
		}
	}
	if line.Len() > 0 {
		flush()
	}
	return lines
}

// count writes a number with commas between thousands: 1,234,567.
func count(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// plural writes a number with its noun: 1 byte, 4,321 bytes.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}
