package terminal

import (
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// width is how many cells text takes; what a terminal draws as one character counts
// as one.
func cellWidth(s string) int { return displaywidth.String(s) }

// fit cuts text to a number of cells, marking that it did.
func fit(s string, cells int) string { return displaywidth.TruncateString(s, cells, "…") }

// pad fills text up with spaces to a number of cells.
func pad(s string, cells int) string { return s + strings.Repeat(" ", max(0, cells-cellWidth(s))) }

// first cuts text to a number of characters, marking that it did.
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

// wrap breaks a line at spaces into lines of at most cells; a word that is longer is
// broken where it has to be. cells of 0 or less break nothing.
func wrap(s string, cells int) []string { return wrapUnder(s, cells, cells) }

// wrapUnder is wrap for a line of which the first part has another width than the rest.
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
	for word := range strings.SplitAfterSeq(s, " ") {
		bare := cellWidth(strings.TrimRight(word, " "))
		if used > 0 && used+bare > cells {
			flush()
		}
		for g := displaywidth.StringGraphemes(word); g.Next(); {
			if used+g.Width() > cells {
				flush()
			}
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

// count writes a number with commas between thousands.
func count(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}
