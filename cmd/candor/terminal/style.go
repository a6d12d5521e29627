package terminal

import "strings"

// Style is how things are shown. The zero value is plain: no color, and lines as long
// as they are.
type Style struct {
	Color bool
	Width int // cells of a line, 0 for any number
}

// The renditions used, by their SGR parameters. They are relative to the reader's own
// colors, so they hold on dark and on light.
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

// paint gives clean text a rendition. It never spans lines.
func (s Style) paint(rendition, text string) string {
	if !s.Color || text == "" || rendition == "" {
		return text
	}
	return "\x1b[" + rendition + "m" + text + "\x1b[0m"
}

// hang is a line that goes on, where it is too long, under its text: a dim label stands
// before the first line, spaces as wide before the rest.
func (s Style) hang(label, rendition, text string) string {
	return s.hangAt(s.paint(dim, label), cellWidth(label), rendition, text)
}

// under is hang for a label that is painted already and takes so many cells. Where
// the label takes much of a narrow line, the text goes on further to the left.
func (s Style) hangAt(label string, cells int, rendition, text string) string {
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

// leading is how many spaces a label begins with, painted or not.
func leading(label string) int {
	if sgr, rest, ok := strings.Cut(label, "m"); ok && strings.HasPrefix(sgr, "\x1b[") {
		label = rest
	}
	return len(label) - len(strings.TrimLeft(label, " "))
}

// short cuts a name so that it and what stands before it fit in a line.
func (s Style) shorten(name string, before int) string {
	if s.Width == 0 {
		return name
	}
	return fit(name, max(8, s.Width-before))
}
