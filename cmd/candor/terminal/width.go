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

// Style says how things are shown. The zero value is plain: no color, and lines as
// long as their text. Its methods are pure functions from data to text. Each returns
// whole lines, safe to print, that keep to the width.
type Style struct {
	Color bool
	Width int // cells of a line; 0 for no limit
}

// The renditions in use, by their SGR parameters. All are relative to the colors of
// the reader's terminal, so they are readable on dark and on light backgrounds.
const (
	dim     = "2"
	italic  = "2;3"
	bold    = "1"
	cyan    = "36"
	red     = "31"
	green   = "32"
	yellow  = "33"
	dimCyan = "2;36"
)

// paint gives text a rendition. The text must be clean and within one line, so that
// no rendition reaches over a line break.
func (s Style) paint(rendition, text string) string {
	if !s.Color || text == "" || rendition == "" {
		return text
	}
	return "\x1b[" + rendition + "m" + text + "\x1b[0m"
}

// hang writes text with a hanging indent: a dim label before the first line, spaces
// of the same width before the others.
func (s Style) hang(label, rendition, text string) string {
	return s.hangAt(s.paint(dim, label), cellWidth(label), rendition, text)
}

// hangAt is hang for a label that is painted already and takes a number of cells. A
// label that takes more than two fifths of the line is too wide to indent by: the
// text then continues further to the left.
func (s Style) hangAt(label string, cells int, rendition, text string) string {
	// Without a width nothing is broken. With one, at least two cells are left for text,
	// so that a wide character always fits and wrapping ends.
	first, rest, indent := 0, 0, cells
	if s.Width > 0 {
		if cells > s.Width*2/5 {
			indent = min(cells, 2+leading(label))
		}
		first, rest = max(2, s.Width-cells), max(2, s.Width-indent)
	}
	var out strings.Builder
	for _, line := range wrapUnder(text, first, rest) {
		line = strings.ReplaceAll(line, "\u00a0", " ")
		out.WriteString(label + s.paint(rendition, line) + "\n")
		label = strings.Repeat(" ", indent)
	}
	return out.String()
}

// leading returns how many spaces a label begins with, painted or not.
func leading(label string) int {
	if sgr, rest, ok := strings.Cut(label, "m"); ok && strings.HasPrefix(sgr, "\x1b[") {
		label = rest
	}
	return len(label) - len(strings.TrimLeft(label, " "))
}

// shorten cuts a name so that it fits on a line behind what takes the cells before
// it. At least eight cells are left.
func (s Style) shorten(name string, before int) string {
	if s.Width == 0 {
		return name
	}
	return fit(name, max(8, s.Width-before))
}
