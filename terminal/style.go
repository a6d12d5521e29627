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
	return s.under(s.paint(dim, label), width(label), rendition, text)
}

// under is hang for a label that is painted already and takes so many cells.
func (s Style) under(label string, cells int, rendition, text string) string {
	room := 0
	if s.Width > 0 {
		room = max(16, s.Width-cells)
	}
	var out strings.Builder
	for _, line := range wrap(text, room) {
		out.WriteString(label + s.paint(rendition, line) + "\n")
		label = strings.Repeat(" ", cells)
	}
	return out.String()
}
