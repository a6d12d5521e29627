package terminal

import (
	"strings"
)

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
